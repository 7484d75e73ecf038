"""``make screenshots``: every page as the demo fills it, light and dark, wide and narrow, full and empty.

All go to ``test-results/screenshots``; those that the documentation shows also to ``docs/images``. Look at them before
committing.
"""

import io
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from config.env import ROOT
from demo.pages import EMPTY, PAGES, PUBLIC
from demo.people import PASSWORD
from demo.wire import DESCRIBE, Server
from tests import plugin
from tests.browser import QUIET, find_chromium
from tests.installation import Installation

ALL = ROOT / "test-results" / "screenshots"
IMAGES = ROOT / "docs" / "images"
SHOWN = ("workspace", "runs", "run")
"""Of the documentation: wide, light."""
SIZES = {"wide": {"width": 1440, "height": 900}, "narrow": {"width": 390, "height": 844}}
THEMES = ("light", "dark")
COLORS = 128
SETTLES_S = 1.0
"""Charts draw in the frames after their data has come."""


def _sign_in(page: Page, site: Installation) -> None:
    page.goto(f"{site.url}/accounts/login/")
    page.fill("[name=login]", "ada")
    page.fill("[name=password]", PASSWORD)
    page.click("form.panel button[type=submit]")
    page.wait_for_url(f"{site.url}/")


def _shoot(page: Page, url: str, target: Path) -> None:
    """Keep a page as a picture with few colours, which a page of flat areas does not miss."""
    page.goto(url)
    page.wait_for_load_state("load")
    time.sleep(SETTLES_S)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    target.parent.mkdir(parents=True, exist_ok=True)
    picture.quantize(COLORS, dither=Image.Dither.NONE).save(target, optimize=True)


def _shoot_all(browser: Browser, site: Installation, theme: str, size: str) -> None:
    context = browser.new_context(viewport=SIZES[size], color_scheme=theme)  # type: ignore[arg-type]
    page = context.new_page()
    for name, path in PUBLIC.items():
        _shoot(page, site.url + path, ALL / f"{name}-{theme}-{size}.png")
    _sign_in(page, site)
    for name, path in (PAGES | EMPTY).items():
        target = ALL / f"{name}-{theme}-{size}.png"
        _shoot(page, site.url + path, target)
        if name in SHOWN and (theme, size) == ("light", "wide"):
            (IMAGES / f"{name}.png").write_bytes(target.read_bytes())
    context.close()


def fill(site: Installation) -> None:
    """Fill an installation with the demo and a project without a run."""
    command = [sys.executable, "-m", "demo", "--url", site.url]
    subprocess.run(command, cwd=ROOT, env=site.env, check=True)
    program = Server(site.url, site.manage("create_api_key", "ada")["api_key"])
    program.ask(DESCRIBE, entity="ada", project="nothing-here", text="")


def main() -> None:
    """Make all of them."""
    plugin.start_redis()
    try:
        with (
            tempfile.TemporaryDirectory() as home,
            Installation(Path(home)) as site,
            sync_playwright() as playwright,
        ):
            fill(site)
            chromium = playwright.chromium.launch(executable_path=find_chromium(), args=QUIET)
            for theme in THEMES:
                for size in SIZES:
                    _shoot_all(chromium, site, theme, size)
            chromium.close()
    finally:
        plugin.pytest_unconfigure()
    sys.stdout.write(f"{len(list(ALL.glob('*.png')))} pictures in {ALL.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
