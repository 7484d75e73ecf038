"""A role of one's own in a real Chromium: define, give, use, explain, delete (TEAM-20, TEAM-21, UI-5)."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import listen_to
from tests.installation import Installation
from tests.journeys.people import sign_up
from tests.journeys.test_teams import invite, make_team

pytestmark = pytest.mark.browser
HTML = {"Accept": "text/html"}


@pytest.fixture
def other(browser: Browser) -> Iterator[Page]:
    """Give a second person's browser; a refused page is what this journey looks for, so its console may say so."""
    context = browser.new_context()
    page = context.new_page()
    said = listen_to(page)
    yield page
    assert [line for line in said if "403" not in line] == []
    context.close()


def _define(page: Page, server: Installation) -> None:
    """Make the role by keyboard and mouse; the base fixes what it gives, the search hides and keeps."""
    page.goto(f"{server.url}/organizations/swallows-lab/roles")
    expect(page.locator("#main")).to_contain_text("No custom roles yet")
    page.click("text=New role")
    page.get_by_label("Name", exact=True).fill("Host")
    expect(page.get_by_label("Log runs")).not_to_be_checked()
    page.get_by_label("Invite people").check()
    page.keyboard.press("Tab")
    page.locator("[name=base][value=M]").check()
    expect(page.get_by_label("Log runs")).to_be_checked()
    expect(page.get_by_label("Log runs")).to_be_disabled()
    expect(page.get_by_label("Invite people")).to_be_checked()
    page.locator("[name=base][value=V]").check()
    expect(page.get_by_label("Log runs")).to_be_enabled()
    page.locator("#main h1").click()
    page.keyboard.press("/")
    page.keyboard.type("profile page")
    expect(page.get_by_label("Change team settings")).to_be_visible()
    expect(page.get_by_label("Invite people")).to_be_hidden()
    page.click("text=Create role")
    expect(page.locator(".toast-note")).to_contain_text("Role “Host” created")
    expect(page.locator(".role-list").first).to_contain_text("Invite people")


def test_from_defining_a_role_to_deleting_it(quiet: Page, other: Page, server: Installation) -> None:
    """TEAM-20: the added thing can be done and others not; without the role it is as its base."""
    page = quiet
    sign_up(page, server, "ursula")
    sign_up(other, server, "valentin")
    make_team(page, server, "swallows")
    _define(page, server)

    page.goto(f"{server.url}/teams/swallows/invite")
    page.get_by_label("Role").select_option(label="Host")
    invite(page, "valentin")
    other.goto(f"{server.url}/settings/teams")
    expect(other.locator("#main")).to_contain_text("Host")
    other.click("text=Accept")
    other.wait_for_url(f"{server.url}/settings/teams")
    invitation = other.request.get(f"{server.url}/teams/swallows/invite", headers=HTML)
    assert invitation.status == 200

    other.goto(f"{server.url}/teams/swallows/settings")
    expect(other.locator("#main")).to_contain_text("“Change team settings”")
    other.click("text=Why?")
    expect(other.locator("#verdict")).to_contain_text(
        "No: valentin does not have the permission “Change team settings”"
    )
    expect(other.locator("#answer")).to_contain_text("valentin is Host (based on View-only)")

    page.goto(f"{server.url}/teams/swallows")
    page.get_by_role("link", name="Explain the access of valentin").click()
    page.get_by_label("What", exact=True).select_option(label="Invite people")
    page.get_by_role("button", name="Explain").click()
    expect(page.locator("#verdict")).to_contain_text("Yes: valentin has the permission “Invite people”")

    page.goto(f"{server.url}/organizations/swallows-lab/roles")
    page.get_by_role("link", name="Delete Host").click()
    expect(page.locator("#main")).to_contain_text("1 member of swallows: valentin")
    page.get_by_role("button", name="Delete role").click()
    expect(page.locator(".toast-note")).to_contain_text("Role Host deleted")
    assert other.request.get(f"{server.url}/teams/swallows/invite", headers=HTML).status == 403
    page.goto(f"{server.url}/teams/swallows")
    expect(page.get_by_label("Role of valentin").locator("option:checked")).to_have_text("View-only")
