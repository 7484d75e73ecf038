"""Signing up in a browser, and what the first page then shows."""

import os
import re

from playwright.sync_api import Page

from tests.installation import Installation
from tests.plugin import SHARED

PASSWORD = "correct horse battery"


def sign_up(page: Page, server: Installation, name: str) -> None:
    """Sign up, and see the first page.

    Raises:
        AssertionError: the name is refused, or another file signs it up, which would be refused by the chance that one
            worker gets both files.
    """
    files = _files_with(name)
    assert len(files) == 1, f"{name} is signed up by {' and '.join(sorted(files))}: use another name"
    page.goto(f"{server.url}/accounts/signup/")
    page.fill("[name=username]", name)
    page.fill("[name=email]", f"{name}@example.com")
    page.fill("[name=password1]", PASSWORD)
    with page.expect_response(lambda answer: answer.request.method == "POST") as posted:
        page.click("form.panel button[type=submit]")
    assert posted.value.status == 302, page.inner_text("form.panel")
    page.wait_for_url(f"{server.url}/")


def _files_with(name: str) -> set[str]:
    """Note that the running file signs up a name; return all files that do."""
    running, _, _ = os.environ["PYTEST_CURRENT_TEST"].partition("::")
    with (SHARED / f"signed-up-{name}").open("a+") as noted:
        noted.write(f"{running}\n")
        noted.seek(0)
        return set(noted.read().splitlines())


def env_shown(page: Page) -> dict[str, str]:
    """Take the variables from the page, as a person copies them."""
    text = page.inner_text("[data-first-run]")
    return dict(re.findall(r"export (WANDB_\w+)=(\S+)", text))


def leave_with_env(page: Page) -> dict[str, str]:
    """Take the variables and leave the page, which would go to the first run by itself while another is opened."""
    env = env_shown(page)
    page.goto("about:blank")
    return env
