"""What people do with teams in a real Chromium: make, invite, accept, change, remove (TEAM-1 to TEAM-8, UI-5)."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.browser import listen_to
from tests.installation import Installation
from tests.journeys.people import sign_up

pytestmark = pytest.mark.browser
HTML = {"Accept": "text/html"}
NARROW = ViewportSize(width=390, height=844)


@pytest.fixture
def other(browser: Browser) -> Iterator[Page]:
    """Give a second person's browser; fail at the end if its console has said anything."""
    context = browser.new_context()
    page = context.new_page()
    said = listen_to(page)
    yield page
    assert said == []
    context.close()


def make_team(page: Page, server: Installation, name: str) -> None:
    """Make a team with an organization along the way, by the button of the top bar (TEAM-2, TEAM-11)."""
    page.click("text=Invite your team")
    page.wait_for_url(f"{server.url}/teams/new")
    page.get_by_label("Team name").fill("settings")
    expect(page.locator("#id_name_answer")).to_contain_text("reserved")
    page.get_by_label("Team name").fill(name)
    expect(page.locator("#id_name_answer")).to_contain_text("is free")
    page.get_by_label("Academic").check()
    page.get_by_label("Name of the new organization").fill(f"{name}-lab")
    page.click("text=Create team")
    page.wait_for_url(f"{server.url}/teams/{name}/invite")


def invite(page: Page, people: str, *, button: str = "Invite") -> None:
    page.get_by_label("Email addresses or usernames").fill(people)
    page.locator("form.panel button", has_text=button).click()


def row_of(page: Page, name: str) -> Any:
    return page.locator("#people tbody tr", has_text=name)


def test_from_making_a_team_to_removing_a_member(quiet: Page, other: Page, server: Installation) -> None:
    """TEAM-2, TEAM-3, TEAM-5: each step as people do it, the answer in a browser of its own."""
    page = quiet
    sign_up(page, server, "amelie")
    sign_up(other, server, "boris")
    make_team(page, server, "kites")
    invite(page, "boris, nobody-here\nnew@example.com")
    expect(page.locator(".banner-success")).to_contain_text("boris, new@example.com")
    expect(page.locator(".banner-danger")).to_contain_text("User “nobody-here” doesn’t exist")
    expect(page.get_by_label("Email addresses or usernames")).to_have_value("nobody-here")
    page.click("text=Done")
    expect(row_of(page, "boris")).to_contain_text("Invitation pending")

    other.goto(f"{server.url}/settings/teams")
    expect(other.locator("#main")).to_contain_text("amelie invites you to the team kites of kites-lab")
    other.click("text=Accept")
    expect(other.locator(".toast-note")).to_contain_text("You are now a member of kites")
    assert other.request.get(f"{server.url}/teams/kites/settings", headers=HTML).status == 403

    page.reload()
    expect(page.locator("#main")).to_contain_text("The team has only one admin. Add a second one")
    select = page.get_by_label("Role of boris")
    select.select_option(label="Admin")
    expect(page.locator(".toast-note")).to_contain_text("boris is now Admin")
    assert other.request.get(f"{server.url}/teams/kites/settings", headers=HTML).status == 200

    page.reload()
    row_of(page, "boris").get_by_role("button", name="Remove boris").click()
    page.locator("dialog[open] .btn-danger").click()
    expect(page.locator(".toast-note")).to_contain_text("boris was removed from kites")
    expect(row_of(page, "boris")).to_have_count(0)
    assert other.request.get(f"{server.url}/teams/kites", headers=HTML).status == 404


@pytest.mark.turns
def test_a_role_that_is_refused_goes_back(quiet: Page, other: Page, server: Installation) -> None:
    """TEAM-5: two pages of the same team; the second would take its last admin away."""
    page = quiet
    sign_up(page, server, "carla")
    sign_up(other, server, "denis")
    make_team(page, server, "boats")
    invite(page, "denis")
    other.goto(f"{server.url}/settings/teams")
    other.click("text=Accept")
    page.goto(f"{server.url}/teams/boats")
    page.get_by_label("Role of denis").select_option(label="Admin")
    expect(page.locator(".toast-note")).to_contain_text("denis is now Admin")
    other.goto(f"{server.url}/teams/boats")
    page.get_by_label("Role of denis").select_option(label="Member")
    expect(page.locator(".toast-note")).to_contain_text(["denis is now Admin", "denis is now Member"])
    page.reload()
    expect(row_of(page, "carla")).to_contain_text("the only one")


@pytest.mark.turns
def test_the_members_page_works_by_keyboard(quiet: Page, server: Installation) -> None:
    """UI-5: search, sort, a role, a dialog and back, with no mouse."""
    page = quiet
    sign_up(page, server, "elsa")
    make_team(page, server, "gliders")
    invite(page, " ".join(f"guest{number}@example.com" for number in range(4)))
    page.goto(f"{server.url}/teams/gliders")
    page.keyboard.press("/")
    page.keyboard.type("guest2")
    expect(page.locator("#people tbody tr")).to_have_count(1)
    expect(page).to_have_url(re.compile("q=guest2"))
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    expect(page.locator("#people tbody tr")).to_have_count(5)
    page.locator("#sort-name").focus()
    page.keyboard.press("Enter")
    expect(page.locator("th[aria-sort=descending]")).to_contain_text("Name")
    assert page.evaluate("document.activeElement.id") == "sort-name"
    page.get_by_role("button", name="Remove elsa").focus()
    page.keyboard.press("Enter")
    expect(page.locator("dialog[open]")).to_contain_text("This is the team’s only admin")
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)
    page.get_by_role("button", name="Revoke the invitation of guest0@example.com").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".toast-note")).to_contain_text("revoked")
    expect(page.locator("#people tbody tr")).to_have_count(4)


@pytest.mark.turns
def test_privacy_is_decided_for_a_team_and_for_all(quiet: Page, server: Installation) -> None:
    """TEAM-8."""
    page = quiet
    sign_up(page, server, "farid")
    make_team(page, server, "rockets")
    page.goto(f"{server.url}/teams/rockets/privacy")
    page.get_by_label("Every member can invite").check()
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".toast-note")).to_contain_text("Saved")
    expect(page.get_by_label("Every member can invite")).to_be_checked()
    page.goto(f"{server.url}/organizations/rockets-lab/privacy")
    page.get_by_label("Allow public projects").select_option(label="Off in all teams")
    page.get_by_role("button", name="Save").click()
    page.goto(f"{server.url}/teams/rockets/privacy")
    expect(page.get_by_label("Allow public projects")).to_be_disabled()
    expect(page.locator("#main")).to_contain_text("Set by rockets-lab for all its teams")


@pytest.mark.turns
def test_a_phone_shows_members_as_cards(quiet: Page, server: Installation) -> None:
    """UI-6: at 390 px nothing scrolls sideways, and a role can be given."""
    page = quiet
    sign_up(page, server, "greta")
    make_team(page, server, "trains")
    invite(page, "a-rather-long-address-of-somebody@mail.department.university.example")
    page.set_viewport_size(NARROW)
    for path in ("/teams/trains", "/organizations/trains-lab", "/settings/teams", "/teams/trains/invite"):
        page.goto(server.url + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"], path
    page.goto(f"{server.url}/teams/trains")
    expect(row_of(page, "greta@example.com").locator("td[data-label=Status]")).to_be_visible()


@pytest.mark.turns
def test_colleagues_are_added_by_a_click(quiet: Page, other: Page, server: Installation) -> None:
    """TEAM-3: usernames of the organization are completed."""
    page = quiet
    sign_up(page, server, "hugo")
    sign_up(other, server, "irene")
    make_team(page, server, "planes")
    invite(page, "irene")
    other.goto(f"{server.url}/settings/teams")
    other.click("text=Accept")
    page.goto(f"{server.url}/organizations/planes-lab/teams")
    page.click("text=New team")
    page.get_by_label("Team name").fill("engines")
    expect(page.locator("#id_name_answer")).to_contain_text("is free")
    page.click("text=Create team")
    page.wait_for_url(f"{server.url}/teams/engines/invite")
    colleagues = page.get_by_label("Colleagues in planes-lab")
    colleagues.fill("nobody")
    # so that the list of all, which comes with the focus, is not replaced in the middle of the click
    expect(page.get_by_text("No one else by that name.")).to_be_visible()
    colleagues.fill("ire")
    page.locator("[data-adds=irene]").click()
    expect(page.get_by_label("Email addresses or usernames")).to_have_value("irene")
