"""Japanese and Korean type for the pictures of pages: a machine may have none, and users do not need it."""

import json
import subprocess
from pathlib import Path

from playwright.sync_api import BrowserContext, Route

FOLDER = Path(__file__).parent
_FILES = FOLDER / "node_modules" / "@fontsource"
_ADDRESS = "/screenshot-fonts/"
_HANGUL = "U+1100-11FF, U+3130-318F, U+AC00-D7AF"
_WEIGHTS = (400, 600)
_FACES = [
    *(
        ("Noto Sans JP", f"noto-sans-jp-japanese-{weight}-normal.woff2", weight, "U+0-10FFFF")
        for weight in _WEIGHTS
    ),
    *(
        ("Noto Sans KR", f"noto-sans-kr-korean-{weight}-normal.woff2", weight, "U+0-10FFFF")
        for weight in _WEIGHTS
    ),
    # What pages in English name last, for words of other languages on them.
    *(
        ("Noto Sans CJK JP", f"noto-sans-jp-japanese-{weight}-normal.woff2", weight, "U+3000-9FFF")
        for weight in _WEIGHTS
    ),
    *(
        ("Noto Sans CJK JP", f"noto-sans-kr-korean-{weight}-normal.woff2", weight, _HANGUL)
        for weight in _WEIGHTS
    ),
]
_ADD = """for (const [family, file, weight, unicodeRange] of %s)
  document.fonts.add(new FontFace(family, `url(%s${file})`, { weight, unicodeRange }));"""


def install() -> None:
    """Download them, unless they are there.

    Raises:
        subprocess.CalledProcessError: the packages could not be downloaded.
    """
    if not _FILES.exists():
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=FOLDER, check=True)


def use(context: BrowserContext) -> None:
    """Let the pages of a browser find them, under the names that our style sheets ask for."""
    context.route(f"**{_ADDRESS}*", _send)
    context.add_init_script(_ADD % (json.dumps(_FACES), _ADDRESS))


def _send(route: Route) -> None:
    name = route.request.url.rsplit("/", 1)[-1]
    route.fulfill(path=_FILES / "-".join(name.split("-")[:3]) / "files" / name)
