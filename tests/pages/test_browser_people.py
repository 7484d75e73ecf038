"""Two people from signing up to a team of theirs, with mail that really leaves, in a real Chromium.

ACC-20, ACC-30 to ACC-34, TEAM-2, TEAM-3, TEAM-8, ACC-3.
"""

import re
from collections.abc import Callable, Iterator
from email.message import EmailMessage

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import listen_to
from tests.fakes.smtp import MailServer, mail_server, text_of
from tests.installation import Installation
from tests.waiting import until

pytestmark = pytest.mark.browser
PASSWORD = "correct horse battery"


@pytest.fixture
def smtp() -> Iterator[MailServer]:
    with mail_server() as running:
        yield running


@pytest.fixture
def mailing(new_server: Callable[..., Installation], smtp: MailServer) -> Installation:
    """Give an installation whose mail leaves by SMTP."""
    return new_server(RUNYARD_EMAIL_URL=f"smtp://127.0.0.1:{smtp.port}")


@pytest.fixture
def second(browser: Browser) -> Iterator[Page]:
    """Give another person's browser."""
    context = browser.new_context()
    page = context.new_page()
    said = listen_to(page)
    yield page
    assert said == []
    context.close()


def link_in(smtp: MailServer, address: str, subject: str) -> str:
    """Return the link of the last mail to an address whose subject has these words, once it has come."""

    def come() -> list[EmailMessage]:
        return [mail for mail in smtp.to(address) if re.search(subject, mail["Subject"])]

    text = text_of(until(come, f"the mail {subject!r} to {address}")[-1])
    link = re.search(r"https?://\S+/(?:accounts/confirm-email|invitations)/\S+", text)
    assert link is not None, text
    return link[0]


def sign_up(page: Page, name: str, address: str) -> None:
    """Fill in the form of sign-up."""
    page.fill("[name=username]", name)
    page.fill("[name=email]", address)
    page.fill("[name=password1]", PASSWORD)
    page.click("form.panel button[type=submit]")


def open_menu(page: Page, address: str) -> None:
    page.get_by_role("row", name=address).get_by_role("button").click()


def make_account(page: Page, server: Installation, smtp: MailServer) -> None:
    """ACC-20, ACC-34: sign up, open the mailed link, and be signed in."""
    page.goto(f"{server.url}/accounts/signup/")
    sign_up(page, "ines", "ines@example.com")
    expect(page.locator("#main")).to_contain_text("We sent a link to ines@example.com")
    page.goto(link_in(smtp, "ines@example.com", "erify"))
    page.click("text=Verify address")
    page.wait_for_url(f"{server.url}/")
    expect(page.locator("[data-csrf]")).to_be_visible()


def make_team(page: Page, server: Installation) -> None:
    """TEAM-2, TEAM-3: a team with its organization, and an invitation by mail."""
    page.goto(f"{server.url}/teams/new")
    page.get_by_label("Team name").fill("weather")
    page.get_by_label("Name of the new organization").fill("weather-institute")
    expect(page.locator("#id_name_answer")).to_contain_text("is free")
    page.click("text=Create team")
    page.wait_for_url(f"{server.url}/teams/weather/invite")
    page.get_by_label("Email addresses or usernames").fill("jun@example.com")
    page.locator("form.panel button", has_text="Invite").click()
    expect(page.locator(".banner-success")).to_contain_text("jun@example.com")


def join(page: Page, smtp: MailServer) -> None:
    """TEAM-3: from the mailed link through sign-up into the team; the link proves the address."""
    page.goto(link_in(smtp, "jun@example.com", "weather"))
    page.click("text=Create an account")
    expect(page.locator("[name=email]")).to_have_value("jun@example.com")
    sign_up(page, "jun", "jun@example.com")
    page.get_by_role("button", name="Accept").click()
    expect(page.locator(".toast-note")).to_contain_text("You are now a member of weather")


def edit_profile(page: Page, server: Installation) -> None:
    """ACC-1, ACC-3."""
    page.goto(f"{server.url}/settings/profile")
    page.get_by_label("Display name").fill("Inês Faria")
    page.get_by_label("Institution", exact=False).first.fill("Weather Institute")
    page.locator("form", has=page.get_by_label("Display name")).get_by_role("button", name="Save").click()
    page.goto(f"{server.url}/ines")
    expect(page.locator(".profile-card")).to_contain_text("Inês Faria")
    expect(page.locator(".profile-card")).to_contain_text("Weather Institute")


def switch_address(page: Page, server: Installation, smtp: MailServer) -> None:
    """ACC-30 to ACC-33: a second address, verified, becomes the primary one."""
    page.goto(f"{server.url}/settings/emails")
    page.click("text=Add email")
    page.fill("details.add-email [name=email]", "ines@weather.example")
    page.click("text=Send link")
    expect(page.get_by_role("row", name="ines@weather.example")).to_contain_text("Unverified")
    page.goto(link_in(smtp, "ines@weather.example", "erify"))
    page.click("text=Verify address")
    page.goto(f"{server.url}/settings/emails")
    open_menu(page, "ines@weather.example")
    page.get_by_role("button", name="Make primary").click()
    expect(page.get_by_role("row", name="ines@weather.example")).to_contain_text("Primary")


def test_two_people_from_signing_up_to_a_team(
    quiet: Page, second: Page, mailing: Installation, smtp: MailServer
) -> None:
    page, server = quiet, mailing
    make_account(page, server, smtp)
    make_team(page, server)
    join(second, smtp)

    page.goto(f"{server.url}/teams/weather/privacy")  # TEAM-8, TEAM-4
    page.get_by_label("Every member can invite").check()
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".toast-note")).to_contain_text("Saved")
    second.goto(f"{server.url}/teams/weather/invite")
    expect(second.get_by_label("Email addresses or usernames")).to_be_visible()

    edit_profile(page, server)
    switch_address(page, server, smtp)
    for address in ("ines@example.com", "ines@weather.example"):  # ACC-31: both are told
        until(
            lambda: any("ines@weather.example" in text_of(mail) for mail in smtp.to(address)),  # noqa: B023 - called at once
            f"the mail to {address}",
        )
