"""A real Chromium for Playwright's own fixtures (`page`, `context`, `browser`), and a page that must stay quiet.

Nothing may appear on a browser's console: that is where violations of the security policy show.
"""

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from tests.waiting import PATIENCE_S

SHELLS = ("chromium-headless-shell", "chrome-headless-shell")
"""The same engine without a window around it: a page costs a third of the CPU time."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DOWNLOAD_LIMIT_S = 60
QUIET = [
    "--no-sandbox",  # the suite may run as root, in a container
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--enable-unsafe-swiftshader",  # WebGL without a GPU, for what is drawn in three dimensions
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",  # or it looks up its maker's hosts at every start
    "--disable-component-update",
    "--disable-sync",
]


def _found() -> Iterator[str | None]:
    """Yield candidates, cheapest first; each step runs only when those before it gave nothing."""
    yield os.environ.get("CHROME_PATH")
    yield _on_path(SHELLS)
    with (Path(tempfile.gettempdir()) / "runyard-chromium.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the suite's processes come here at once, and apt-get lets in one
        yield _on_path(SHELLS)
        if os.geteuid() == 0 and shutil.which("apt-get"):
            _install("chromium-headless-shell")
            yield _on_path(SHELLS)
        yield _on_path(BROWSERS)
        yield _playwrights_own()


def _install(package: str) -> None:
    """Install a package of Debian; without a network it gives up soon."""
    quick = ["-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=20"]
    for arguments in (["update"], ["install", "--no-install-recommends", package]):
        subprocess.run(
            ["apt-get", "-y", "-qq", *quick, *arguments], env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600, check=False,
        )  # fmt: skip


def _on_path(names: Sequence[str]) -> str | None:
    return next(filter(None, map(shutil.which, names)), None)


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
        f"{', '.join(SHELLS)} on PATH; `apt-get install chromium-headless-shell` (as root only); "
        f"{', '.join(BROWSERS)} on PATH; `playwright install chromium` (for {DOWNLOAD_LIMIT_S} s)."
    )


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of a Chromium, which is installed first where that is possible."""
    return find_chromium()


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any], chromium: str) -> dict[str, Any]:
    """Launch that Chromium instead of the one Playwright would download."""
    return {**browser_type_launch_args, "executable_path": chromium, "args": QUIET}


@pytest.fixture(scope="session")
def browser(browser: Browser) -> Browser:
    """Let whatever is done and expected in the browser take as long as it needs on a busy machine."""
    plain = browser.new_context

    def patient(**given: Any) -> BrowserContext:
        context = plain(**given)
        context.set_default_timeout(PATIENCE_S * 1000)
        return context

    browser.new_context = patient  # type: ignore[method-assign]
    expect.set_options(timeout=PATIENCE_S * 1000)
    return browser


EXPECTED = re.compile(r"htmx:(afterRequest|sendAbort),|\[\.WebGL-\w+\]GL Driver Message")
"""What htmx says of a request that a newer one replaced, as in a form that somebody goes on filling in, and what
Chromium says of the speed of WebGL without a GPU."""


def listen_to(page: Page) -> list[str]:
    """Return what the page will have said on its console: errors, warnings, exceptions."""
    said: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and not EXPECTED.match(message.text):
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
    deadline = time.monotonic() + PATIENCE_S
    while not page.evaluate(test, argument):
        assert time.monotonic() < deadline, f"not within {PATIENCE_S} s: {test}"
        page.wait_for_timeout(20)  # unlike a sleep, lets what listens to the page hear it


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
    yield page
    assert said == [], said
