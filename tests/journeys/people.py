"""Signing up in a browser, and what the first page then shows."""

import re

from playwright.sync_api import Page

from tests.installation import Installation

PASSWORD = "correct horse battery"


def sign_up(page: Page, server: Installation, name: str) -> None:
    """Sign up, and see the first page."""
    page.goto(f"{server.url}/accounts/signup/")
    page.fill("[name=username]", name)
    page.fill("[name=email]", f"{name}@example.com")
    page.fill("[name=password1]", PASSWORD)
    page.click("form.panel button[type=submit]")
    page.wait_for_url(f"{server.url}/")


def env_shown(page: Page) -> dict[str, str]:
    """Take the variables from the page, as a person copies them."""
    text = page.inner_text("[data-first-run]")
    return dict(re.findall(r"export (WANDB_\w+)=(\S+)", text))


def leave_with_env(page: Page) -> dict[str, str]:
    """Take the variables and leave the page, which would go to the first run by itself while another is opened."""
    env = env_shown(page)
    page.goto("about:blank")
    return env
