"""TEAM-21: the operators' admin in a real Chromium: every page quiet, and the acts as operators do them."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import sign_in
from tests.installation import Installation
from tests.suite.passes import share

pytestmark = pytest.mark.browser
PASSWORD = "correct horse battery"


def _operator(server: Installation, page: Page, name: str) -> None:
    server.manage("create_user", name, "--email", f"{name}@example.com", "--password", PASSWORD, "--operator")
    sign_in(page, server.url, name, PASSWORD, to="/admin/")


def test_every_page_of_the_admin_is_quiet(quiet: Page, server: Installation) -> None:
    page = quiet
    _operator(server, page, "walker")
    lists = page.locator("#content-main th[scope=row] a").evaluate_all(
        "links => links.map(link => link.href)"
    )
    lists = [link for link in dict.fromkeys(lists) if re.search(r"/admin/\w+/\w+/$", link)]
    assert len(lists) > 20
    for link in share("pages of the admin", [*lists, f"{server.url}/admin/system/"]):
        page.goto(link)
        expect(page.locator("#content")).to_be_visible()
        first = page.locator("#result_list tbody th a, #result_list tbody td.field-at a").first
        if first.count():
            first.click()
            expect(page.locator("#content h1, #content-main").first).to_be_visible()
    for form in (
        "accounts/user/add",
        "teams/organization/add",
        "accounts/signinprovider/add",
        "teams/groupmapping/add",
    ):
        page.goto(f"{server.url}/admin/{form}/")
        expect(page.locator("#content form").first).to_be_visible()


def test_an_operator_acts_as_somebody_and_stops(quiet: Page, server: Installation) -> None:
    page = quiet
    server.manage("create_user", "guest-gil", "--email", "gil@example.com", "--password", PASSWORD)
    _operator(server, page, "actor-ann")
    page.get_by_role("link", name="Users", exact=True).first.click()
    page.get_by_role("link", name="guest-gil").click()
    page.get_by_role("link", name="Act as this person").click()
    page.fill("[name=reason]", "Their page is empty.")
    page.get_by_role("button", name="Act as this person").click()
    bar = page.locator(".notice-acting")
    expect(bar).to_contain_text("You are acting as guest-gil until")
    page.goto(f"{server.url}/settings/profile")
    expect(bar).to_be_visible()
    bar.get_by_role("button", name="Stop").click()
    page.wait_for_url(re.compile(r"/admin/accounts/user/\d+/change/"))
    expect(page.get_by_text("You are no longer acting as guest-gil.")).to_be_visible()
