"""A real Chromium for Playwright's own fixtures (`page`, `context`, `browser`), and a page that must stay quiet.

Nothing may appear on a browser's console: that is where violations of the security policy show.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import ConsoleMessage, Page, expect

PATIENCE_MS = 30_000
"""How long anything is waited for: a machine that does other work, too, is no fault."""
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DOWNLOAD_LIMIT_S = 60
QUIET = [
    "--no-sandbox",  # the suite may run as root, in a container
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",  # or it looks up its maker's hosts at every start
    "--disable-component-update",
    "--disable-sync",
]


def _found() -> Iterator[str | None]:
    """Yield candidates, cheapest first; each step runs only when those before it gave nothing."""
    yield os.environ.get("CHROME_PATH")
    yield _on_path()
    with (Path(tempfile.gettempdir()) / "runyard-chromium.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the suite's processes come here at once, and apt-get lets in one
        yield _on_path()
        if os.geteuid() == 0 and shutil.which("apt-get"):
            _apt_get("update", "-qq")
            _apt_get("install", "-y", "-qq", "--no-install-recommends", "chromium")
            yield _on_path()
        yield _playwrights_own()


def _apt_get(*arguments: str) -> None:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "-o", "DPkg::Lock::Timeout=300", *arguments]
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, timeout=600, check=False)


def _on_path() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


def _playwrights_own() -> str | None:
    try:
        subprocess.run(
            [sys.executable, "-m", "playwright", "install", "chromium"],
            check=True,
            timeout=DOWNLOAD_LIMIT_S,
            capture_output=True,
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return None
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


@cache
def find_chromium() -> str:
    """Return the path of a Chromium.

    Raises:
        RuntimeError: there is none; the message lists what was tried.
    """
    for path in _found():
        if path and Path(path).exists():
            return path
    raise RuntimeError(
        "No Chromium for the browser tests. Tried, in this order: the path in CHROME_PATH; "
        f"{', '.join(NAMES)} on PATH; `apt-get install chromium` (as root only); "
        f"`playwright install chromium` (for {DOWNLOAD_LIMIT_S} s)."
    )


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of a Chromium, which is installed first where that is possible."""
    return find_chromium()


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any], chromium: str) -> dict[str, Any]:
    """Launch that Chromium instead of the one Playwright would download."""
    return {**browser_type_launch_args, "executable_path": chromium, "args": QUIET}


def listen_to(page: Page) -> list[str]:
    """Return what the page will have said on its console: errors, warnings, exceptions."""
    said: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            said.append(f"{message.type}: {message.text} ({message.location.get('url')})")

    page.on("console", hear)
    page.on("pageerror", lambda error: said.append(f"exception: {error}"))
    return said


def wait_until(page: Page, test: str, argument: object = None) -> None:
    """Wait until an expression, or a function of ``argument``, holds in a page.

    Playwright's own `wait_for_function` asks again inside the page, where the security policy lets nothing evaluate.

    Raises:
        AssertionError: it did not within the patience.
    """
    end = time.monotonic() + PATIENCE_MS / 1000
    while not page.evaluate(test, argument):
        assert time.monotonic() < end, f"not within {PATIENCE_MS} ms: {test}"
        page.wait_for_timeout(20)


def sign_in(page: Page, url: str, name: str, password: str, *, to: str = "/") -> None:
    """Sign a person in by the form of the server at ``url``; the page then shows the path ``to``."""
    page.goto(f"{url}/accounts/login/?next={to}")
    page.fill("[name=login]", name)
    page.fill("[name=password]", password)
    page.click("form.panel button[type=submit]")
    page.wait_for_url(f"{url}{to}")


@pytest.fixture
def quiet(page: Page) -> Iterator[Page]:
    """Give a page; fail at the end if its console has said anything."""
    said = listen_to(page)
    page.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    yield page
    assert said == []
