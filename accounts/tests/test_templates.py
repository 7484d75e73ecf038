"""Every page of allauth that can be reached looks like ours."""

from pathlib import Path

import allauth

from config.env import ROOT

APPS = ("account", "mfa", "socialaccount", "usersessions")
FRAMES = {
    "account/base_entrance.html", "account/base_manage.html", "account/base_manage_email.html",
    "account/base_manage_password.html", "account/base_manage_phone.html", "account/base_reauthenticate.html",
    "mfa/base_entrance.html", "mfa/base_manage.html", "mfa/recovery_codes/base.html", "mfa/totp/base.html",
    "mfa/webauthn/base.html", "socialaccount/base_entrance.html", "socialaccount/base_manage.html",
    "usersessions/base_manage.html",
}  # fmt: skip
"""Extended by pages that all have templates of ours."""
PARTS = {
    "account/snippets/already_logged_in.html", "account/snippets/warn_no_email.html",
    "mfa/webauthn/snippets/login_script.html", "mfa/webauthn/snippets/scripts.html",
    "socialaccount/snippets/login.html", "socialaccount/snippets/login_extra.html",
    "socialaccount/snippets/provider_list.html",
}  # fmt: skip
"""Included by them."""
LEAD_TO_SETTINGS = {
    "account/email.html", "mfa/index.html", "mfa/webauthn/authenticator_list.html", "socialaccount/connections.html",
    "usersessions/usersession_list.html",
}  # fmt: skip
"""Pages whose addresses lead to sections of settings."""
SWITCHED_OFF = {
    "account/email_change.html", "account/phone_change.html", "account/confirm_email_verification_code.html",
    "account/confirm_login_code.html", "account/confirm_password_reset_code.html",
    "account/confirm_phone_verification_code.html", "account/request_login_code.html",
    "account/signup_by_passkey.html", "mfa/trust.html", "mfa/webauthn/signup_form.html",
    "socialaccount/login_redirect.html",
}  # fmt: skip
"""Pages of what is not used: codes by mail, telephones, trusted browsers, sign-up by passkey."""


def test_each_page_of_allauth_is_ours_or_cannot_be_reached():
    theirs = Path(allauth.__file__).parent / "templates"
    ours = ROOT / "templates"
    pages = {str(path.relative_to(theirs)) for app in APPS for path in (theirs / app).rglob("*.html")}
    left = {page for page in pages if not (ours / page).exists()}
    assert left == FRAMES | PARTS | LEAD_TO_SETTINGS | SWITCHED_OFF
