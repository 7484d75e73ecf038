"""Every page as the demo fills it, in a real browser (UI-5, UI-6)."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

from config.env import ROOT
from demo.pages import EMPTY, PAGES, PUBLIC
from demo.people import PASSWORD
from demo.wire import DESCRIBE, Server
from tests.browser import listen_to
from tests.installation import Installation

pytestmark = pytest.mark.browser
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS = {"serious", "critical"}
NARROW, WIDE = ViewportSize(width=360, height=780), ViewportSize(width=1440, height=900)


@pytest.fixture(scope="module")
def filled(server: Installation) -> Installation:
    """Fill the server as `make demo` does, with two of the projects, and make an empty one."""
    command = [sys.executable, "-m", "demo", "--url", server.url, "--only", "cifar-sweep", "diffusion"]
    made = subprocess.run(
        command, cwd=ROOT, env=server.env, capture_output=True, text=True, timeout=300, check=False
    )
    assert made.returncode == 0, made.stderr
    assert "Sign in at" in made.stdout
    again = subprocess.run(
        command, cwd=ROOT, env=server.env, capture_output=True, text=True, timeout=60, check=False
    )
    assert "The demo is here already" in again.stderr
    key = server.manage("create_api_key", "ada")["api_key"]
    program = Server(server.url, key)
    program.ask(DESCRIBE, entity="ada", project="nothing-here", text="")
    program.close()
    return server


@pytest.fixture(scope="module")
def visitor(filled: Installation, browser: Browser) -> Iterator[BrowserContext]:
    """Give a browser in which ada has signed in; axe is put into its pages, which their policy would forbid."""
    context = browser.new_context(
        color_scheme="light", reduced_motion="reduce", bypass_csp=True, viewport=WIDE
    )
    page = context.new_page()
    page.goto(f"{filled.url}/accounts/login/")
    page.fill("[name=login]", "ada")
    page.fill("[name=password]", PASSWORD)
    page.click("form.panel button[type=submit]")
    page.wait_for_url(f"{filled.url}/")
    page.close()
    yield context
    context.close()


def open_page(context: BrowserContext, url: str) -> tuple[Page, list[str]]:
    """Open a page; return it with what it will have said on its console."""
    page = context.new_page()
    said = listen_to(page)
    page.goto(url)
    page.wait_for_load_state("load")
    page.wait_for_function(  # a part inside of one that is hidden waits for its own turn
        "![...document.querySelectorAll('[data-when=loading]')].some((part) => part.offsetParent !== null)"
    )
    return page, said


def violations(page: Page) -> list[str]:
    """Return what axe finds serious, with the first elements of each."""
    if not page.evaluate("'axe' in window"):
        page.add_script_tag(path=AXE)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [
        f"{one['id']}: {one['help']}: " + "; ".join(node["html"][:160] for node in one["nodes"][:3])
        for one in found
        if one["impact"] in SERIOUS
    ]


@pytest.mark.parametrize("name", [*PAGES, *EMPTY])
def test_a_page_is_accessible_and_fits(visitor: BrowserContext, filled: Installation, name: str) -> None:
    """UI-5: axe finds nothing serious. UI-6: at 360 px nothing makes the page itself scroll sideways."""
    page, said = open_page(visitor, filled.url + (PAGES | EMPTY)[name])
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        "document.documentElement.dataset.bsTheme === 'dark' && !document.getAnimations().length"
    )
    assert violations(page) == []
    page.set_viewport_size(NARROW)
    page.wait_for_timeout(100)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    assert said == []
    page.close()


@pytest.mark.parametrize("name", PUBLIC)
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
    page.keyboard.press("Escape")
    assert not page.locator("#search-dialog").is_visible()
    assert said == []
    page.close()
