"""What a person does from the first visit on, in a real Chromium, with a real SDK beside it (UI-2, RUN-28, RUN-44)."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Request, Route, expect

from tests import sdks
from tests.browser import wait_until
from tests.installation import Installation
from tests.journeys.people import env_shown, leave_with_env, sign_up
from tests.sdk.wire import Wire
from tests.waiting import PATIENCE_S

pytestmark = [pytest.mark.browser, pytest.mark.sdk]

TRAINS = """
import time, wandb
with wandb.init(project="my-first-project", config={"lr": 0.01}) as run:
    for step in range(100):
        run.log({"train/loss": 100 - step, "train/step": step})
        print("at step", step)
        time.sleep(0.17)
"""


def mark(page: Page) -> None:
    """Leave something in the page that no reload survives."""
    page.evaluate("window.stillHere = true")


def check_mark(page: Page) -> None:
    assert page.evaluate("window.stillHere") is True, "the page was loaded again"


def latest(page: Page, key: str) -> str:
    return page.inner_text(f'.chart-card[data-key="{key}"] .chart-value')


def test_from_signing_up_to_a_finished_run(
    quiet: Page, server: Installation, sdk: Callable[[str], Path], tmp_path: Path
) -> None:
    page = quiet
    sign_up(page, server, "grace")
    env = env_shown(page)
    assert set(env) == {"WANDB_BASE_URL", "WANDB_API_KEY"}
    assert env["WANDB_BASE_URL"] == server.url
    process = sdks.start_script(sdk("0.31.0"), TRAINS, env=env, cwd=tmp_path)
    try:
        page.wait_for_url(re.compile(r"/grace/my-first-project/runs/\w+"))
        mark(page)
        expect(page).to_have_title(re.compile("^Running · "))
        expect(page.locator(".run-head .state-pill")).to_have_text("Running")
        card = page.locator('.chart-card[data-key="train/loss"]')
        expect(card.locator("canvas.chart-above")).to_be_visible()
        seen = latest(page, "train/loss")
        expect(page).to_have_title(re.compile("^Finished · "))
        expect(page.locator(".run-head .state-pill")).to_have_text("Finished")
        expect(card.locator(".chart-value")).to_have_text("1")
        assert seen != "1"
        check_mark(page)
    finally:
        out, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, out

    page.click("nav.tabs >> text=Logs")
    expect(page.locator("[data-log]")).to_contain_text("at step 99")
    page.click("nav.tabs >> text=Files")
    page.click("text=config.yaml")
    expect(page.locator(".preview")).to_contain_text("lr")
    page.click("nav.tabs >> text=Overview")
    expect(page.locator("#config")).to_contain_text("0.01")
    page.click("nav.tabs >> text=System")
    expect(page.locator("[data-when=full], [data-when=empty]").filter(visible=True)).to_have_count(1)
    page.goto(f"{server.url}/")
    expect(page.locator("#home-runs")).to_contain_text("my-first-project")


@pytest.mark.turns
def test_a_theme_once_chosen_stays(quiet: Page, server: Installation) -> None:
    page = quiet
    sign_up(page, server, "iris")
    shown = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(shown)
    page.click("[popovertarget=user-menu]")
    page.click("[data-theme-choice=dark]")
    wait_until(page, f"{shown} !== '{light}'")
    dark = page.evaluate(shown)
    page.reload()
    assert page.evaluate(shown) == dark
    page.goto(f"{server.url}/settings/api-keys")
    assert page.evaluate(shown) == dark


def fail(route: Route) -> None:
    """Answer nothing."""
    route.abort()


def answer_too_late(route: Route) -> None:
    """Answer when the page is being left, so that the server has rendered the next one with the old theme."""
    route.request.frame.evaluate("dispatchEvent(new Event('beforeunload'))")
    route.fulfill(status=204)


@pytest.mark.parametrize(
    ("name", "answer", "ended"),
    [("ivan", fail, "requestfailed"), ("ivy", answer_too_late, "requestfinished")],
)
def test_a_theme_that_the_next_page_does_not_know_of_stays_and_is_sent_again(
    page: Page, server: Installation, name: str, answer: Callable[[Route], None], ended: Any
) -> None:
    def is_theme(request: Request) -> bool:
        return request.url.endswith("/theme")

    sign_up(page, server, name)
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.route("**/theme", answer)
    page.click("[popovertarget=user-menu]")
    with page.expect_event(ended, is_theme):
        page.click("[data-theme-choice=dark]")
    wait_until(page, f"{background} !== '{light}'")
    with page.expect_event(ended, is_theme):
        page.reload()
    assert page.evaluate(background) != light
    page.unroute_all()
    with page.expect_response("**/theme"):
        page.reload()
    page.evaluate("localStorage.clear()")
    page.reload()
    assert page.evaluate(background) != light


ENDLESS = """
import time, wandb
with wandb.init(project="my-first-project", id="endless") as run:
    for step in range(1000):
        run.log({"loss": step})
        time.sleep(0.1)
"""


@pytest.mark.turns
def test_a_run_is_stopped_by_its_button(
    quiet: Page, server: Installation, sdk: Callable[[str], Path], tmp_path: Path
) -> None:
    """RUN-4: the client learns of it from the reply to its next post; a stranger learns nothing."""
    page = quiet
    sign_up(page, server, "edith")
    process = sdks.start_script(sdk("0.31.0"), ENDLESS, env=env_shown(page), cwd=tmp_path)
    try:
        page.wait_for_url(f"{server.url}/edith/my-first-project/runs/endless")
        page.click("[data-opens=stop-dialog]")
        page.click("#stop-dialog .btn-danger")
        page.wait_for_load_state()
        mark(page)
        expect(page.locator(".run-head .state-pill")).to_have_text("Killed")
        expect(page).to_have_title(re.compile("^Killed · "))
        check_mark(page)
        out, _ = process.communicate(timeout=PATIENCE_S)
        assert process.returncode != 0, out
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate(timeout=PATIENCE_S)


def status_of(page: Page, url: str) -> int:
    reply = page.goto(url)
    assert reply is not None
    return reply.status


def test_a_stranger_is_told_that_there_is_nothing(page: Page, server: Installation, new_context: Any) -> None:
    sign_up(page, server, "ruth")
    key = leave_with_env(page)["WANDB_API_KEY"]
    wire = Wire(server.url, key)
    run = wire.begin("private", "hidden")
    wire.http.close()
    assert status_of(page, f"{server.url}{run.page}") == 200
    stranger = new_context().new_page()
    sign_up(stranger, server, "mallory")
    for path in (run.page, f"{run.page}/logs", "/ruth/private"):
        assert status_of(stranger, server.url + path) == 404
    assert (
        status_of(stranger, f"{server.url}/ruth") == 200
    )  # people know of each other, not of what they have
    assert "private" not in stranger.inner_text("main")
