"""Japanese and Korean type for the pictures of pages: a machine may have none, and users do not need it."""

import os
import subprocess
from pathlib import Path

FOLDER = Path(__file__).parent
_TYPE = (
    "noto-sans-jp/files/noto-sans-jp-japanese-{}-normal.woff2",
    "noto-sans-kr/files/noto-sans-kr-korean-{}-normal.woff2",
)
_WEIGHTS = (400, 600)
_CONFIG = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><include ignore_missing="yes">/etc/fonts/fonts.conf</include>{folders}</fontconfig>
"""


def environment(home: Path) -> dict[str, str | float | bool]:
    """Install the fonts and return what a browser is started with to find them, beside those of the machine.

    Raises:
        subprocess.CalledProcessError: the packages could not be downloaded.
    """
    command = ["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(command, cwd=FOLDER, check=True)
    chosen = home / "fonts"
    chosen.mkdir()
    for pattern in _TYPE:
        for weight in _WEIGHTS:
            source = FOLDER / "node_modules" / "@fontsource" / pattern.format(weight)
            (chosen / source.name).symlink_to(source)
    config = home / "fonts.conf"
    config.write_text(
        _CONFIG.format(folders=f"<dir>{chosen}</dir><cachedir>{home}/cache</cachedir>"), encoding="utf-8"
    )
    return {**os.environ, "FONTCONFIG_FILE": str(config)}
