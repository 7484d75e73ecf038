"""``make screenshots``: every page as the demo fills it, full and empty, in every look that people have.

All go to ``screenshots/``, by look; those that the documentation shows also to ``docs/images``. Look at
them before committing. ``ARGS="workspace run --looks dark wide"`` makes some of them.
"""

import argparse
import io
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from config.env import ROOT
from demo import fonts
from demo.pages import EMPTY, OPERATORS, PAGES, PUBLIC
from demo.people import PASSWORD
from demo.wire import DESCRIBE, Server
from tests import plugin
from tests.browser import QUIET, find_chromium, sign_in
from tests.installation import Installation

ALL = ROOT / "screenshots"
IMAGES = ROOT / "docs" / "images"
SHOWN = ("workspace", "runs", "run")
"""Of the documentation, in the first look."""
COLORS = 128
SETTLES_S = 1.0
"""Charts draw in the frames after their data has come."""
VIEWER, OPERATOR = "ada", "olive"


@dataclass(frozen=True)
class Look:
    """How somebody sees the pages."""

    width: int
    height: int
    theme: str = "light"
    language: str = "en"


LOOKS = {
    "light": Look(1440, 900),
    "dark": Look(1440, 900, "dark"),
    "phone": Look(390, 844),
    "phone-dark": Look(390, 844, "dark"),
    "wide": Look(2560, 1440),
    "ja": Look(1440, 900, language="ja"),
    "ko": Look(1440, 900, language="ko"),
}


def _shoot(page: Page, url: str, target: Path) -> None:
    """Keep a page as a picture with few colors, which a page of flat areas does not miss."""
    page.goto(url)
    page.wait_for_load_state("load")
    time.sleep(SETTLES_S)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    target.parent.mkdir(parents=True, exist_ok=True)
    picture.quantize(COLORS, dither=Image.Dither.NONE).save(target, optimize=True)


def _shoot_as(browser: Browser, site: Installation, look: str, viewer: str, pages: Mapping[str, str]) -> None:
    seen = LOOKS[look]
    context = browser.new_context(
        viewport=ViewportSize(width=seen.width, height=seen.height),
        color_scheme=seen.theme,  # type: ignore[arg-type]
        locale=seen.language,
    )
    fonts.use(context)
    page = context.new_page()
    if viewer and pages:
        sign_in(page, site.url, viewer, PASSWORD)
    for name, path in pages.items():
        _shoot(page, site.url + path, ALL / look / f"{name}.png")
    context.close()


def fill(site: Installation) -> None:
    """Fill an installation with the demo, a project without a run, and an operator."""
    command = [sys.executable, "-m", "demo", "--url", site.url]
    subprocess.run(command, cwd=ROOT, env=site.env, check=True)
    program = Server(site.url, site.manage("create_api_key", VIEWER)["api_key"])
    program.ask(DESCRIBE, entity=VIEWER, project="nothing-here", text="")
    site.manage(
        "create_user", OPERATOR, "--email", f"{OPERATOR}@example.org", "--password", PASSWORD, "--operator"
    )


def shoot(site: Installation, looks: Sequence[str], names: Sequence[str]) -> int:
    """Make the pictures; returns how many there are."""
    by_viewer: dict[str, Mapping[str, str]] = {"": PUBLIC, VIEWER: PAGES | EMPTY, OPERATOR: OPERATORS}
    count = 0
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=QUIET)
        for look in looks:
            for viewer, pages in by_viewer.items():
                chosen = {name: path for name, path in pages.items() if not names or name in names}
                _shoot_as(chromium, site, look, viewer, chosen)
                count += len(chosen)
        chromium.close()
    return count


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="pages by their names in demo/pages.py; none makes all")
    parser.add_argument("--looks", nargs="+", choices=LOOKS, default=list(LOOKS))
    return parser.parse_intermixed_args()


def main() -> None:
    """Make all of them, or some."""
    chosen = _arguments()
    fonts.install()
    plugin.start_redis()
    try:
        with tempfile.TemporaryDirectory() as home, Installation(Path(home)) as site:
            fill(site)
            count = shoot(site, chosen.looks, chosen.names)
    finally:
        plugin.pytest_unconfigure()
    if "light" in chosen.looks:
        for name in SHOWN:
            picture = ALL / "light" / f"{name}.png"
            if picture.exists():
                (IMAGES / picture.name).write_bytes(picture.read_bytes())
    sys.stdout.write(f"{count} pictures in {ALL.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
