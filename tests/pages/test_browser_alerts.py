"""ACC-6, ALR-3: people choose what they are told of and where, and get no more of it, in a real Chromium."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import listen_to, sign_in
from tests.installation import Installation

pytestmark = pytest.mark.browser
PASSWORD = "correct horse battery"
PLACE = """
from alerts.models import Destination
from teams.models import Team
Destination.objects.create(team=Team.objects.get(name="told"), name="#told", kind="slack_webhook", place="Lab")
"""
LINK = """
import json
from accounts.models import User
from alerts.preferences.unsubscribe_links import Subscription, token_of
print(json.dumps({"token": token_of(Subscription(User.objects.get(username="told").pk, is_own=True))}))
"""


@pytest.fixture
def told(page: Page, server: Installation) -> Page:
    """Give the Alerts section of somebody who has not chosen anything."""
    server.manage("create_user", "told", "--email", "told@example.com", "--password", PASSWORD)
    sign_in(page, server.url, "told", PASSWORD, to="/settings/alerts")
    return page


def test_switches_save_ways_are_added_and_mail_is_switched_off_by_its_link(
    told: Page, server: Installation, browser: Browser
) -> None:
    page, said = told, listen_to(told)
    _switch_on(page)
    _add_a_way(page, server)
    _unsubscribe(page, server, browser)
    assert [line for line in said if "422" not in line] == []  # a form shown again with what is wrong


def _switch_on(page: Page) -> None:
    """ACC-6: a switch saves at once, and says so."""
    crashed = page.get_by_role("switch", name="Run crashed")
    crashed.check()
    expect(page.get_by_text("Saved.")).to_be_visible()
    with page.expect_response("**/settings/alerts"):
        page.get_by_label("Minimum level of alerts sent by code").select_option("WARN")
    mail = page.get_by_role("switch", name="Email")
    mail.uncheck()
    expect(page.get_by_text("No notifications are sent")).to_be_visible()
    expect(page.locator("#where [data-said]")).to_have_text("Saved.")
    with page.expect_response("**/settings/alerts"):
        mail.check()
    expect(page.get_by_text("No notifications are sent")).to_be_hidden()
    page.reload()
    expect(crashed).to_be_checked()
    expect(mail).to_be_checked()
    expect(page.get_by_role("switch", name="Runs finished")).not_to_be_checked()
    expect(page.get_by_label("Minimum level of alerts sent by code")).to_have_value("WARN")


def _add_a_way(page: Page, server: Installation) -> None:
    """Wish 79."""
    expect(page.get_by_role("link", name="Add a Slack channel or a webhook")).to_be_visible()
    server.manage("shell", "--no-imports", "-c", PLACE)
    page.reload()
    page.get_by_text("Send to Slack or a webhook").click()
    page.locator("input[name=project]").fill("no/such")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text("This project doesn’t exist here")).to_be_visible()
    page.locator("input[name=project]").fill("")
    page.get_by_label("Run tag").fill("nightly")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text("Alerts now go to #told.")).to_be_visible()
    expect(page.locator("#where li", has_text="#told")).to_contain_text("nightly")
    page.get_by_role("button", name="Stop sending to #told").click()
    expect(page.get_by_text("Alerts no longer go there.")).to_be_visible()
    expect(page.locator("#where li", has_text="#told")).to_have_count(0)


def _unsubscribe(page: Page, server: Installation, browser: Browser) -> None:
    """ALR-3: without signing in, and back."""
    link = f"{server.url}/unsubscribe/{server.manage('shell', '--no-imports', '-c', LINK)['token']}"
    context = browser.new_context()
    mail = context.new_page()
    mail.goto(link)
    expect(mail.get_by_text("Alerts about your own runs")).to_be_visible()
    mail.get_by_role("button", name="Unsubscribe").click()
    expect(mail.get_by_role("heading", name="Unsubscribed")).to_be_visible()
    page.reload()
    expect(page.get_by_role("switch", name="Email")).not_to_be_checked()
    mail.get_by_role("button", name="Undo").click()
    expect(mail.get_by_role("heading", name="Subscribed again")).to_be_visible()
    page.reload()
    expect(page.get_by_role("switch", name="Email")).to_be_checked()
    context.close()


@pytest.mark.turns
def test_the_section_works_without_scripts(told: Page, server: Installation, browser: Browser) -> None:
    """ACC-6."""
    state = told.context.storage_state()
    context = browser.new_context(java_script_enabled=False, storage_state=state)
    page = context.new_page()
    page.goto(f"{server.url}/settings/alerts")
    page.get_by_role("switch", name="Runs finished").check()
    page.get_by_role("button", name="Save", exact=True).first.click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(page.get_by_role("switch", name="Runs finished")).to_be_checked()
    context.close()
