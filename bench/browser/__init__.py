"""The pages that are scrolled all day, in a real Chromium: how long its main thread is kept from the next frame.

Aims: no task over 50 ms (https://web.dev/articles/optimize-long-tasks), and a median frame under 16 ms.
"""

from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from access.actor import SYSTEM
from access.web.requests import actor_of_user
from accounts.api_keys.services import create_api_key
from accounts.models import User
from bench import world
from bench.browser import filled, live, traces
from bench.load.server import Server
from runs.models import Project
from runs.saved_views.services import merge_working_view
from tests.browser import QUIET, find_chromium, sign_in

NAME, PASSWORD = "browser", "as long as a password has to be"
WIDTH, HEIGHT = 1440, 900
MIDDLE = (900, 500)
"""Of the charts, and of the log."""
WHEEL_PX, TURNS, PAUSE_MS = 400, 160, 50
"""How far a turn of the wheel goes, and how long until the next."""
SETTLES_MS, LIVE_MS = 3000, 20_000


def _fill() -> tuple[Project, filled.Sizes]:
    where = world.project(NAME)
    user = User.objects.get(username=where.team.name)
    user.set_password(PASSWORD)
    user.save()
    sizes = filled.fill(where)
    drawn = {"selector": {"first": sizes.runs}}
    merge_working_view(actor=actor_of_user(user), project=where, parts=drawn)
    return where, sizes


def _scroll(page: Page) -> None:
    """Turn the wheel, down and for the last quarter up again."""
    page.mouse.move(*MIDDLE)
    for turn in range(TURNS):
        page.mouse.wheel(0, WHEEL_PX if turn < TURNS * 3 / 4 else -WHEEL_PX)
        page.wait_for_timeout(PAUSE_MS)


def _measure(page: Page, name: str, address: str, place: str) -> None:
    """Print how busy a page is while it opens, and while it is scrolled."""
    with traces.recorded(page, frames=False) as opened:
        page.goto(address)
        page.wait_for_selector(place)
        page.wait_for_timeout(SETTLES_MS)
    print(f"{name}, opened   {opened}")
    with traces.recorded(page) as scrolled:
        _scroll(page)
    print(f"{name}, scrolled {scrolled}")


def _measure_live(page: Page, project: str, name: str, urls: list[str], key: str) -> None:
    """Print how busy a workspace is while runs log and somebody looks at a value."""
    page.goto(project)
    page.wait_for_selector(".chart-card canvas")
    page.wait_for_timeout(SETTLES_MS)
    page.mouse.move(*MIDDLE)
    with live.logging(urls, key), traces.recorded(page) as trace:
        page.wait_for_timeout(LIVE_MS)
    print(f"{name}, live     {trace}")


def run(home: Path) -> None:
    """Print milliseconds of the browser's main thread."""
    where, sizes = _fill()
    key = create_api_key(actor=SYSTEM, owner=User.objects.get(username=where.team.name), label=NAME)[1]
    print(f"workspace of {sizes.keys:,} keys × {sizes.runs} runs; log of {sizes.lines:,} lines")
    with Server(home) as server, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=QUIET)
        page = chromium.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        url = f"http://127.0.0.1:{server.port}"
        sign_in(page, url, where.team.name, PASSWORD)
        project = f"{url}/{where.team.name}/{where.name}"
        _measure(page, "workspace", project, ".chart-card canvas")
        files = f"{url}/files/{where.team.name}/{where.name}"
        urls = [f"{files}/run{number}/file_stream" for number in range(filled.RUNNING)]
        _measure_live(page, project, "workspace", urls, key)
        _measure(page, "log      ", f"{project}/runs/run0/logs", "[data-log] .log-text")
        chromium.close()
