"""`make dev`: what is edited is seen after reloading the page."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import httpx
import pytest

from config.env import ROOT
from tests import clients
from tests.ports import free_port
from tests.served import Served
from tests.waiting import until

pytestmark = [pytest.mark.processes, pytest.mark.exhaustive("edits sources in a copy of the checkout")]

EDITS = [
    ("templates/account/login.html", "<h1>", "<h1>just-edited", "/accounts/login/"),
    ("assets/css/app.css", "", ".just-edited { color: red }\n", "/static/css/app.css"),
    ("assets/ts/pages/shell.ts", "", 'console.log("just-edited");\n', "/static/js/shell.js"),
    ("common/server/health.py", '{"status": "ok"}', '{"status": "just-edited"}', "/healthz"),
]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a copy of the sources, with what is installed and built."""
    copy = tmp_path / "checkout"
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    files = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, files.split("\0")):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    shutil.copytree(ROOT / "assets" / "dist", copy / "assets" / "dist")
    for name in (".venv", "node_modules"):
        (copy / name).symlink_to(ROOT / name)
    return copy


@pytest.fixture
def url(checkout: Path, tmp_path: Path) -> Iterator[str]:
    """Serve the copy; return its address."""
    port = free_port()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RUNYARD_", "DJANGO_"))}
    env = kept | {"RUNYARD_HOME": str(tmp_path / "home"), "RUNYARD_PORT": str(port)}
    served = Served([sys.executable, "-m", "config.dev_server"], checkout, env)
    try:
        served.wait_until_it_serves()
        yield f"http://localhost:{port}"
        served.press_ctrl_c()
    finally:
        served.kill()


def test_an_edited_source_of_any_kind_is_seen_by_the_next_request(checkout: Path, url: str) -> None:
    with clients.client(base_url=url) as browser:

        def shows_it(path: str) -> bool:
            try:
                return "just-edited" in browser.get(path).text
            except httpx.TransportError:  # web starts again
                return False

        for name, old, new, path in EDITS:
            assert not shows_it(path)
            source = checkout / name
            source.write_text(source.read_text().replace(old, new, 1) if old else source.read_text() + new)
            until(partial(shows_it, path), f"the edited {name} at {path}")
