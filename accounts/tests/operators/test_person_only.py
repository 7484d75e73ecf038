"""TEAM-21: an operator who acts as a person is refused every page of their keys, sign-in and security."""

from typing import Any

import pytest
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.test import Client
from django.urls import resolve, reverse
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from accounts.models import ApiKey
from accounts.operators.impersonation import is_person_only, person_only
from tests.factories import UserFactory
from tests.matrix.asking import url_patterns

CLOSED: dict[str, dict[str, Any]] = {
    "account_login": {}, "account_logout": {}, "account_inactive": {}, "account_signup": {},
    "account_reauthenticate": {}, "account_change_password": {}, "account_set_password": {},
    "account_reset_password": {}, "account_confirm_login_code": {}, "account_reset_password_from_key_done": {},
    "account_reset_password_done": {},
    "mfa_authenticate": {}, "mfa_reauthenticate": {}, "mfa_activate_totp": {}, "mfa_deactivate_totp": {},
    "mfa_view_recovery_codes": {}, "mfa_generate_recovery_codes": {}, "mfa_download_recovery_codes": {},
    "mfa_add_webauthn": {}, "mfa_reauthenticate_webauthn": {}, "mfa_remove_webauthn": {"pk": 1},
    "mfa_edit_webauthn": {"pk": 1}, "mfa_login_webauthn": {},
    "socialaccount_login_cancelled": {}, "socialaccount_login_error": {}, "socialaccount_signup": {},
    "github_login": {}, "github_callback": {},
    "openid_connect_login": {"provider_id": "idp"}, "openid_connect_callback": {"provider_id": "idp"},
    "accounts:authorize": {}, "accounts:api_keys": {}, "accounts:api_keys_delete": {}, "accounts:api_key": {"pk": 1},
    "accounts:api_key_limit": {"pk": 1},
    "accounts:emails": {}, "accounts:github": {}, "accounts:security": {}, "accounts:sessions_end": {},
    "accounts:session_end": {"pk": 1}, "accounts:connection_end": {"pk": 1},
    "accounts:continue_with": {"slug": "github"},
    "runs:run_reveal": {"entity": "ada", "project": "p", "uid": "r"},
}  # fmt: skip
"""Routes that only the person uses, with what their addresses are made of."""

LEADS_TO_CLOSED = {
    "account_email", "mfa_index", "mfa_list_webauthn", "socialaccount_connections", "usersessions_list",
}  # fmt: skip
"""Allauth's pages that redirects to ours stand before."""

OPEN = {
    "connection": "says what the server takes a request for, to anyone",
    "account_email_verification_sent": "whose sign-in waits is in the session, which is the operator's",
    "account_confirm_email": "the link of a mail is the credential",
    "account_reset_password_from_key": "the link of a mail is the credential",
    "accounts:confirm": "only says how to show who one is",
}
"""Routes below the same addresses that are not closed, and why."""

PLACES = (
    "/accounts/",
    "/authorize",
    "/settings/api-keys",
    "/settings/emails",
    "/settings/github",
    "/settings/security",
)
"""Where all pages of keys, sign-in and security are."""


@pytest.fixture
def acting(client: Client) -> Client:
    client.force_login(UserFactory(username="boss", is_operator=True))
    ada = UserFactory(username="ada")
    client.post(f"/admin/accounts/user/{ada.pk}/do/impersonate/", {"reason": "Their charts are empty."})
    assert "You are acting as ada" in client.get("/settings/profile").content.decode()
    return client


def reached() -> dict[str, Any]:
    """Return the view of each named route that a request reaches; where names are doubled, the first."""
    found: dict[str, Any] = {}
    for name, pattern, view in url_patterns():
        found.setdefault(name or pattern, view)
    return found


def test_the_closed_routes_are_these_and_no_others():
    """Whoever adds or moves one names it here; a view that loses its mark is missed."""
    assert {name for name, view in reached().items() if is_person_only(view)} == set(CLOSED)


def test_every_page_of_keys_and_security_is_closed_or_open_for_a_reason():
    below = {name for name, pattern, _view in url_patterns() if name and pattern.startswith(PLACES)}
    assert below - set(CLOSED) - LEADS_TO_CLOSED == set(OPEN)


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["get", "post"])
def test_an_acting_operator_is_refused_all_of_them(acting: Client, method: str):
    """ACC-20, ACC-31, ACC-40."""
    answers = {}
    for name, parts in CLOSED.items():
        path = reverse(name, kwargs=parts)
        assert resolve(path).view_name == name
        if (name, method) != ("account_logout", "post"):  # signing out ends the acting
            answers[name] = getattr(acting, method)(path, {"label": "x"}, headers={"Accept": "text/html"})
    assert {name for name, answer in answers.items() if answer.status_code != 403} == set()
    assert all("You are acting as ada." in answer.content.decode() for answer in answers.values())
    assert not ApiKey.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("name", sorted(LEADS_TO_CLOSED))
def test_an_acting_operator_is_led_to_a_refusal(acting: Client, name: str):
    for answer in (acting.get(reverse(name), follow=True), acting.post(reverse(name), follow=True)):
        assert answer.redirect_chain
        assert answer.status_code == 403


@person_only
class _Page(View):
    pass


class _PageBelow(_Page):
    pass


@pytest.mark.parametrize(
    "view",
    [
        csrf_exempt(never_cache(person_only(lambda request: HttpResponse("seen")))),
        login_required(person_only(lambda request: HttpResponse("seen"))),
        person_only(csrf_exempt(lambda request: HttpResponse("seen"))),
        _Page.as_view(),
        never_cache(_PageBelow.as_view()),
    ],
)
def test_other_decorators_keep_the_mark(view: Any):
    assert is_person_only(view)


def test_a_view_without_the_mark_is_open():
    assert not is_person_only(csrf_exempt(View.as_view()))
