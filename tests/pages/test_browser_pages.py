"""Every page as the demo fills it, in a real browser (UI-5, UI-6)."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, ViewportSize, expect

from common.catalogues import LANGUAGES, compile_all, read_catalogue
from config.env import ROOT
from demo.pages import EMPTY, PAGES, PUBLIC
from demo.people import PASSWORD
from demo.wire import DESCRIBE, LoggedRun, Server
from tests.browser import listen_to, sign_in, wait_until
from tests.fixtures import installed
from tests.installation import Installation
from tests.suite.checkout import turn
from tests.suite.passes import amount, share
from tests.waiting import PATIENCE_S
from tests.words import leftovers

pytestmark = pytest.mark.browser
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS = {"serious", "critical"}
OF_COLOURS = ("color-contrast", "link-in-text-block")
"""The rules that a page in the dark can break and the same page in the light keep; the rest ask for its elements."""
NARROW, WIDE = ViewportSize(width=360, height=780), ViewportSize(width=1440, height=900)


@pytest.fixture(scope="module")
def filled() -> Iterator[Installation]:
    """Fill a server of its own as `make demo` does, with some of the projects, and make an empty one."""
    with installed() as server:
        fill(server)
        key = server.manage("create_api_key", "ada")["api_key"]
        program = Server(server.url, key)
        program.ask(DESCRIBE, entity="ada", project="nothing-here", text="")
        yield server


def fill(server: Installation) -> None:
    """Run the demo, and once more, which changes nothing."""
    projects = ["cifar-sweep", "diffusion", "cluster"]
    command = [sys.executable, "-m", "demo", "--url", server.url, "--only", *projects]

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=ROOT,
            env=server.env,
            capture_output=True,
            text=True,
            timeout=2 * PATIENCE_S,
            check=False,
        )

    made = run()
    assert made.returncode == 0, made.stderr
    assert "Sign in at" in made.stdout
    again = run()
    assert again.returncode == 0, again.stderr
    assert "The demo is here already" in again.stdout


@pytest.fixture(scope="module")
def visitor(filled: Installation, browser: Browser) -> Iterator[BrowserContext]:
    """Give a browser in which ada has signed in; axe is put into its pages, which their policy would forbid."""
    context = browser.new_context(
        color_scheme="light", reduced_motion="reduce", bypass_csp=True, viewport=WIDE
    )
    sign_in_ada(context, filled)
    yield context
    context.close()


def sign_in_ada(context: BrowserContext, filled: Installation) -> None:
    """Sign ada in."""
    page = context.new_page()
    sign_in(page, filled.url, "ada", PASSWORD)
    page.close()


@pytest.fixture(scope="module")
def tab(visitor: BrowserContext) -> Iterator[Page]:
    """Give one tab for all pages: opening another one takes longer than opening a page in it."""
    page = visitor.new_page()
    yield page
    page.close()


def open_page(context: BrowserContext, url: str) -> tuple[Page, list[str]]:
    """Open a page in a tab of its own; return it with what it will have said on its console."""
    page = context.new_page()
    said = listen_to(page)
    go(page, url)
    return page, said


def go(page: Page, url: str) -> None:
    """Open a page in a tab, and wait for the parts that it loads."""
    page.goto(url)
    page.wait_for_load_state("load")
    wait_until(  # a part inside of one that is hidden waits for its own turn
        page,
        "![...document.querySelectorAll('[data-when=loading]')].some((part) => part.offsetParent !== null)",
    )


def violations(page: Page, rules: Sequence[str] = ()) -> list[str]:
    """Return what axe finds serious, with the first elements of each; by all its rules or by some."""
    if not page.evaluate("'axe' in window"):
        page.add_script_tag(path=AXE)
    options: dict[str, Any] = {"resultTypes": ["violations"], "iframes": False}
    if rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    found = page.evaluate("(options) => axe.run(document, options)", options)["violations"]
    return [
        f"{one['id']}: {one['help']}: " + "; ".join(node["html"][:160] for node in one["nodes"][:3])
        for one in found
        if one["impact"] in SERIOUS
    ]


def _is_fine_in_light(page: Page) -> None:
    assert violations(page) == []


def _is_fine_in_dark(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    wait_until(
        page, "document.documentElement.dataset.bsTheme === 'dark' && !document.getAnimations().length"
    )
    assert violations(page, OF_COLOURS) == []


def _fits_a_phone(page: Page) -> None:
    page.set_viewport_size(NARROW)
    wait_until(page, "width => document.documentElement.scrollWidth <= width", NARROW["width"])


LOOKS = (_is_fine_in_light, _is_fine_in_dark, _fits_a_phone)
LOOKED_AT = amount("looks of each page: light, dark and narrow", 1, len(LOOKS))


@pytest.mark.parametrize("name", share("pages", [*PAGES, *EMPTY]))
def test_a_page_is_accessible_and_fits(tab: Page, filled: Installation, name: str) -> None:
    """UI-5: axe finds nothing serious. UI-6: at 360 px nothing makes the page itself scroll sideways."""
    page, said = tab, listen_to(tab)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(WIDE)
    go(page, filled.url + (PAGES | EMPTY)[name])
    first = turn(name, len(LOOKS))
    for is_fine in [*LOOKS[first:], *LOOKS[:first]][:LOOKED_AT]:
        is_fine(page)
    assert said == []


@pytest.mark.turns
def test_a_table_of_limits_is_read_without_scrolling_it(tab: Page, filled: Installation) -> None:
    """UI-6: its sentences wrap."""
    go(tab, filled.url + PAGES["limits"])
    for width in (WIDE["width"], 390, NARROW["width"]):
        tab.set_viewport_size({"width": width, "height": 900})
        tables = tab.locator(".limits .table-wrap")
        assert tables.count() > 3
        assert (
            tables.evaluate_all("found => found.filter((one) => one.scrollWidth > one.clientWidth).length")
            == 0
        )


@pytest.mark.parametrize("name", share("pages of strangers", list(PUBLIC)))
def test_a_page_of_strangers_is_accessible_and_fits(
    filled: Installation, browser: Browser, name: str
) -> None:
    """UI-5, UI-6."""
    context = browser.new_context(bypass_csp=True, viewport=NARROW)
    page, said = open_page(context, filled.url + PUBLIC[name])
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    assert said == []
    context.close()


def _card_of(page: Page, panel: str) -> Locator:
    """Return a panel of system metrics under the pointer, which shows its buttons; nothing sticky covers it there."""
    card = page.locator(f"[data-key='system:{panel}']")
    card.evaluate("card => card.scrollIntoView({block: 'center'})")
    card.hover()
    return card


def _lines_of(page: Page, panel: str) -> Locator:
    """Return the drawing of a panel of system metrics, whose label tells what it shows."""
    return _card_of(page, panel).locator(".chart-above")


def _choose(page: Page, panel: str, text: str) -> None:
    """Choose something in the menu of a panel."""
    _card_of(page, panel).locator("[aria-haspopup=menu]").click()
    page.get_by_role("menuitem", name=text).click()


@pytest.fixture
def as_found(filled: Installation) -> Iterator[None]:
    """Let a test change views: a second try of it begins as the first did, and other tests see nothing of it."""
    forget = ["shell", "-c", "from runs.models import SavedView; SavedView.objects.all().delete()"]
    filled.manage(*forget)
    yield
    filled.manage(*forget)


@pytest.mark.usefixtures("as_found")
def test_system_charts_show_nodes_and_devices_with_units(
    visitor: BrowserContext, filled: Installation
) -> None:
    """RUN-26, RUN-41: 32 GPUs are a heat map, or the means of four nodes; counters are rates, or totals."""
    page, said = open_page(visitor, f"{filled.url}/vision/cluster/runs/nodes/system")
    use = _lines_of(page, "gpu.{gpu}.gpu")
    expect(use).to_have_attribute("aria-label", re.compile("GPU use: 32 lines"))
    _choose(page, "gpu.{gpu}.gpu", "Mean and range of each node")
    expect(use).to_have_attribute("aria-label", re.compile("GPU use: 4 lines"))
    _choose(page, "gpu.{gpu}.gpu", "Mean and range of all devices")
    expect(use).to_have_attribute("aria-label", re.compile("GPU use: 1 lines"))
    assert page.locator("section, details").filter(has_text="GPU 3 utilization").count() == 0
    page.goto(f"{filled.url}/vision/cluster/runs/watch-gpu-09/system")
    expect(_lines_of(page, "gpu.{gpu}.temp")).to_have_attribute("aria-label", re.compile("8 lines"))
    expect(_lines_of(page, "network.recv")).to_have_attribute("aria-label", re.compile(r"8\.583 MiB/s"))
    _choose(page, "network.recv", "Show counters as totals")
    expect(_lines_of(page, "network.recv")).to_have_attribute("aria-label", re.compile(r"15\.09 GiB"))
    _card_of(page, "gpu.{gpu}.temp").locator("[aria-label^=Enlarge]").click()
    kept = '"system:gpu.{gpu}.temp":{"devices":"all"}'
    with page.expect_response(lambda answer: kept in (answer.request.post_data or "")):
        page.locator("#chart-dialog select").select_option("all")
    expect(page.locator("#chart-dialog .chart-above")).to_have_attribute("aria-label", re.compile("1 lines"))
    page.locator("#chart-dialog [data-closes]").click()
    expect(_lines_of(page, "gpu.{gpu}.temp")).to_have_attribute("aria-label", re.compile("1 lines"))
    page.reload()  # what was chosen is kept
    expect(_lines_of(page, "gpu.{gpu}.temp")).to_have_attribute("aria-label", re.compile("1 lines"))
    assert said == []
    page.close()


@pytest.mark.turns
@pytest.mark.usefixtures("as_found")
def test_a_code_panel_compares_what_runs_saved(visitor: BrowserContext, filled: Installation) -> None:
    """RUN-26: runs with the same program are one version; the file that is chosen is kept."""
    page, said = open_page(visitor, f"{filled.url}/vision/cifar-sweep")
    page.get_by_role("button", name="Add panel").first.click()
    page.click(".panel-kind[data-kind=code]")
    preview = page.locator("#panel-dialog .code-pair")
    expect(preview.locator("[data-kind=changed]")).to_have_count(2)
    page.click("#panel-dialog [data-submit]")
    card = page.locator(".chart-card", has=page.locator(".code-pair")).first
    expect(card.get_by_label("Version on the left")).to_have_value("0")
    expect(card).to_contain_text("No readable train.py")
    expect(card).not_to_contain_text("from __future__")
    card.get_by_role("button", name="equal lines").first.click()
    expect(card).to_contain_text("from __future__")
    with page.expect_response(lambda answer: '"file":"optimizers.py"' in (answer.request.post_data or "")):
        card.get_by_label("File").select_option("optimizers.py")
    expect(card.locator(".code-pair")).to_have_class(re.compile("is-single"))
    page.reload()
    expect(card.get_by_label("File").locator("option:checked")).to_have_text("optimizers.py")
    assert violations(page) == []
    assert said == []
    page.close()


@pytest.mark.turns
def test_a_folder_of_files_is_selected_as_a_whole(visitor: BrowserContext, filled: Installation) -> None:
    """RUN-41: the box of a folder is that of all files in it; one that is left out leaves the folder out."""
    page, said = open_page(visitor, f"{filled.url}/vision/cifar-sweep/runs/sweep004/files")
    count = page.locator("[data-chosen-count]")
    page.get_by_label("Select all in code/", exact=True).check()
    expect(count).to_have_text("3 selected")
    page.get_by_label("Select code/train.py").uncheck()
    expect(count).to_have_text("2 selected")
    expect(page.get_by_label("Select all in code/", exact=True)).not_to_be_checked()
    expect(page.get_by_label("Select all in code/models/")).to_be_checked()
    assert said == []
    page.close()


@pytest.mark.turns
def test_the_hosts_page_searches_and_follows_what_is_sampled(
    visitor: BrowserContext, filled: Installation
) -> None:
    """Wish 69 to 71: nodes and machines with their GPUs, found by their runs, kept up to date."""
    program = Server(filled.url, filled.manage("create_api_key", "ada")["api_key"])
    nodes, run = (
        LoggedRun(program, "vision", "cluster", uid, offsets={"wandb-events.jsonl": samples})
        for uid, samples in (("nodes", 480), ("watch-gpu-09", 120))
    )
    now = time.time()  # the demo may have been made longer ago than a host may be silent
    nodes.log(
        system=[
            {f"system.gpu.0.gpu/l:node-{node}": 50.0 for node in range(1, 5)}
            | {"_timestamp": now, "_runtime": now}
        ]
    )
    run.log()
    page, said = open_page(visitor, f"{filled.url}/vision")
    page.get_by_role("link", name="Hosts", exact=True).click()
    gpu_09 = page.locator(".host-card", has=page.get_by_role("heading", name="gpu-09"))
    expect(gpu_09.locator(".gpu-tile")).to_have_count(8)
    expect(page.get_by_role("heading", name="node-3")).to_be_visible()
    page.get_by_role("searchbox", name="Search hosts, GPUs and runs").fill("four-nodes")
    expect(gpu_09).to_have_count(0)
    expect(page.locator(".host-card")).to_have_count(4)
    page.get_by_role("searchbox", name="Search hosts, GPUs and runs").fill("gpu-09")
    expect(page.get_by_role("heading", name="node-3")).to_have_count(0)
    expect(gpu_09).to_have_count(1)
    run.log(system=[{"_timestamp": time.time(), "_runtime": 2000.0, "system.gpu.7.gpu": 77.0}])
    expect(gpu_09.locator(".gpu-tile").nth(7)).to_contain_text("77%")  # without a reload
    assert said == []
    page.route("**/*", lambda route: route.abort())  # the server is away
    page.get_by_role("searchbox", name="Search hosts, GPUs and runs").fill("gpu")
    expect(page.get_by_text("Connection lost")).to_be_visible()
    page.unroute("**/*")
    expect(page.get_by_text("Connection lost")).to_have_count(0)
    page.close()


def test_the_search_opens_by_key_and_goes_where_it_says(
    visitor: BrowserContext, filled: Installation
) -> None:
    """UI-1: Ctrl+K from any page, arrows, Enter; Esc closes it."""
    page, said = open_page(visitor, filled.url)
    page.keyboard.press("Control+k")
    page.locator("#search-hits a").first.wait_for()
    page.keyboard.type("diffusion")
    page.locator("#search-hits a", has_text="unet-").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{filled.url}/vision/diffusion**")
    page.keyboard.press("Control+k")
    page.keyboard.type("cifar-sweep")
    page.keyboard.press("Enter")  # before what was typed is answered: not to what was found before
    page.wait_for_url(f"{filled.url}/vision/cifar-sweep**")
    page.keyboard.press("Control+k")
    page.keyboard.press("Escape")
    assert not page.locator("#search-dialog").is_visible()
    assert said == []
    page.close()


@pytest.mark.turns
@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_speak_the_language_and_fit(filled: Installation, browser: Browser, language: str) -> None:
    """UI-9: no message of ours is English, before scripts and after; UI-6: nothing scrolls sideways at 360 px."""
    context = browser.new_context(locale=language, viewport=NARROW, reduced_motion="reduce", bypass_csp=True)
    compile_all()  # the server reads them with its first answer in the language
    catalog = read_catalogue(language)

    english = {}

    def check(path: str) -> None:
        html = context.request.get(filled.url + path, headers={"Accept-Language": language}).text()
        assert f'<html lang="{language}"' in html, path
        if words := leftovers(html, catalog):
            english[path] = words

    for path in share("pages of strangers in each language", list(PUBLIC.values())):
        check(path)
    sign_in_ada(context, filled)
    for path in share("pages in each language", list((PAGES | EMPTY).values())):
        check(path)
    assert english == {}
    for name in ("runs", "workspace", "run-overview", "run-logs", "api-keys"):
        page, said = open_page(context, filled.url + PAGES[name])
        assert leftovers(page.content(), catalog) == set(), name
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"], name
        assert said == []
        page.close()
    context.close()
