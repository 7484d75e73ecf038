"""ACC-20, ACC-21, ACC-30: ways in, as people use them in a real Chromium: SSO, passkey, authenticator app, sessions."""

import re
import time
from collections.abc import Callable, Iterator

import pytest
from allauth.mfa.totp.internal.auth import hotp_value
from playwright.sync_api import Browser, Page, expect

from tests.browser import listen_to
from tests.fakes.oidc import Provider, oidc_provider
from tests.installation import Installation
from tests.waiting import until

pytestmark = pytest.mark.browser

PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def oidc() -> Iterator[Provider]:
    with oidc_provider() as provider:
        yield provider


def _person(server: Installation, name: str) -> str:
    server.manage("create_user", name, "--email", f"{name}@example.com", "--password", PASSWORD)
    return name


def _sign_in(page: Page, server: Installation, name: str) -> None:
    page.goto(f"{server.url}/accounts/login/")
    page.fill("[name=login]", name)
    page.fill("[name=password]", PASSWORD)
    page.click("form.panel button[type=submit]")


def test_signing_in_through_a_provider(
    page: Page, new_server: Callable[..., Installation], oidc: Provider
) -> None:
    said = listen_to(page)
    server = new_server(
        RUNYARD_OIDC_ISSUER=oidc.issuer, RUNYARD_OIDC_CLIENT_ID="runyard", RUNYARD_OIDC_NAME="Example SSO"
    )
    oidc.add("s-9", email="grace@corp.example", email_verified=True, preferred_username="grace")
    page.goto(f"{server.url}/accounts/login/?next=/settings/security")
    page.get_by_role("button", name="Continue with Example SSO").click()
    page.fill("[name=sub]", "s-9")
    page.click("[type=submit]:not([value=deny])")
    page.wait_for_url(f"{server.url}/settings/security")
    expect(page.get_by_text("Example SSO")).to_be_visible()
    page.goto(f"{server.url}/settings/emails")
    row = page.get_by_role("row", name="grace@corp.example")
    expect(row).to_contain_text("Primary")
    expect(row).to_contain_text("Verified")
    expect(row).to_contain_text("Example SSO")
    elsewhere = (oidc.issuer, "cdn.jsdelivr.net")  # the other side lacks an icon, and the style it asks for
    assert [line for line in said if not any(place in line for place in elsewhere)] == []


def test_an_authenticator_app_from_turning_on_to_signing_in(quiet: Page, server: Installation) -> None:
    page, name = quiet, _person(server, "totp-tom")
    _sign_in(page, server, name)
    page.wait_for_url(f"{server.url}/")
    page.goto(f"{server.url}/settings/security")
    page.get_by_role("link", name="Add app").click()
    secret = page.locator("[data-totp-secret]").inner_text()
    page.fill("[name=code]", _code(secret))
    page.get_by_role("button", name="Turn on").click()
    codes = page.locator(".recovery-codes code")
    expect(codes).to_have_count(10)
    code = codes.first.inner_text()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert code in download.value.path().read_text()
    expect(page.get_by_role("button", name="Print")).to_be_visible()
    page.context.clear_cookies()
    _sign_in(page, server, name)
    page.fill("[name=code]", code)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url(f"{server.url}/")


def _code(secret: str) -> str:
    """Return the code that a telephone with the server's clock shows: neither the last nor the next of those taken."""
    return f"{hotp_value(secret, int(time.time()) // 30):06d}"


def _virtual_authenticator(page: Page) -> None:
    """Give the browser a device with a finger on it."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})


def test_a_passkey_from_adding_to_signing_in_to_removing(quiet: Page, server: Installation) -> None:
    page, name = quiet, _person(server, "passkey-pat")
    origin = server.url.replace("127.0.0.1", "localhost")  # WebAuthn knows names only
    _virtual_authenticator(page)
    page.goto(f"{origin}/accounts/login/")
    page.fill("[name=login]", name)
    page.fill("[name=password]", PASSWORD)
    page.click("form.panel button[type=submit]")
    page.wait_for_url(f"{origin}/")
    page.goto(f"{origin}/settings/security")
    page.get_by_role("link", name="Add a passkey").click()
    page.fill("[name=name]", "My laptop")
    page.get_by_role("button", name="Create passkey").click()
    expect(page.locator(".recovery-codes")).to_be_visible()
    page.context.clear_cookies()
    page.goto(f"{origin}/accounts/login/?next=/settings/security")
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url(f"{origin}/settings/security")
    expect(page.get_by_text("My laptop")).to_be_visible()
    page.get_by_role("link", name="Rename My laptop").click()
    page.fill("[name=name]", "Old laptop")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="Remove Old laptop").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    page.wait_for_url(f"{origin}/settings/security")
    expect(page.get_by_text("Old laptop")).to_have_count(0)


@pytest.mark.turns
def test_a_browser_signs_out_another(quiet: Page, server: Installation, browser: Browser) -> None:
    name = _person(server, "session-sam")
    other = browser.new_page(user_agent="Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/140.0")
    _sign_in(other, server, name)
    other.wait_for_url(f"{server.url}/")
    page = quiet
    _sign_in(page, server, name)
    page.wait_for_url(f"{server.url}/")
    page.goto(f"{server.url}/settings/security")
    expect(page.get_by_text("Firefox on Windows")).to_be_visible()
    page.get_by_role("button", name="Sign out", exact=True).last.click()
    expect(page.get_by_text("Firefox on Windows")).to_have_count(0)
    other.goto(f"{server.url}/settings/security")
    expect(other).to_have_url(re.compile("/accounts/login/"))
    other.close()


@pytest.mark.turns
def test_an_address_is_added_verified_from_the_outbox_and_made_primary(
    quiet: Page, server: Installation, browser: Browser
) -> None:
    """ACC-31, ACC-32; without a mail server operators read what was sent, in the outbox."""
    name = _person(server, "emil")
    page = quiet
    _sign_in(page, server, name)
    page.wait_for_url(f"{server.url}/")
    page.goto(f"{server.url}/settings/emails")
    page.get_by_text("Add email").click()
    page.fill(".add-email [name=email]", "emil@new.example")
    page.get_by_role("button", name="Send link").click()
    row = page.get_by_role("row", name="emil@new.example")
    expect(row).to_contain_text("Unverified")
    operator = browser.new_context().new_page()
    server.manage(
        "create_user", "outbox-olga", "--email", "o@example.com", "--password", PASSWORD, "--operator"
    )
    _sign_in(operator, server, "outbox-olga")
    operator.wait_for_url(f"{server.url}/")
    operator.goto(f"{server.url}/outbox")
    mail = operator.get_by_role("link", name=re.compile("Verify your email.*emil@new.example"))
    until(lambda: operator.reload() and mail.count(), "the mail, which the worker brings there")
    mail.click()
    link = operator.frame_locator("iframe").get_by_role("link", name="Verify address")
    page.goto(str(link.get_attribute("href")))
    page.get_by_role("button", name="Verify address").click()
    page.goto(f"{server.url}/settings/emails")
    expect(row).to_contain_text("Verified")
    page.get_by_role("button", name="Actions for emil@new.example").click()
    page.get_by_role("button", name="Make primary").click()
    expect(row).to_contain_text("Primary")
    operator.context.close()
