"""Dangerous acts ask again who is there; what was sent meanwhile is done after it, or said not to be done."""

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from accounts.models import ApiKey, User
from accounts.sign_in.reauthentication import MARK
from config.urls import urlpatterns  # noqa: F401 - all views are there
from tests.factories import PASSWORD, TeamFactory, UserFactory, leave_open, make_member
from tests.matrix.asking import url_patterns

pytestmark = pytest.mark.django_db

DANGEROUS = {
    "accounts:api_keys", "accounts:authorize", "accounts:connection_end", "accounts:delete", "accounts:emails",
    "runs:project_delete", "storage:team_bucket_connect", "storage:team_bucket_credentials",
    "teams:delete", "teams:privacy", "teams:privacy_close", "teams:organization_change",
    "teams:organization_privacy", "teams:organization_privacy_close", "teams:organization_settings",
    "teams:organization_delete", "teams:organization_role", "teams:organization_role_new",
    "teams:organization_role_delete", "teams:service_account_key", "teams:organization_service_account_key",
    "billing:cancel", "billing:change", "billing:storage",
    "billing:payment_act", "billing:payment_add", "billing:payment_pay", "billing:payment_setup",
    "billing:role_assign", "billing:role_withdraw",
}  # fmt: skip
"""Routes that end something for good, hand out a key or a right, move money, or open to others what was closed."""


@pytest.fixture
def ada(client: Client) -> User:
    user: User = UserFactory(username="ada")
    client.force_login(user)
    return user


def test_every_dangerous_route_asks_and_no_other():
    """ACC-9, TEAM-8: whoever adds one names it here."""
    assert {name for name, _pattern, view in url_patterns() if getattr(view, MARK, False)} == DANGEROUS


def test_dangerous_acts_of_the_admin_ask():
    """TEAM-21."""
    from django.contrib import admin

    from config.admin.registration import register_models

    register_models()
    acts = {
        f"{model._meta.model_name}.{act.slug}"
        for model, model_admin in admin.site._registry.items()
        for act in getattr(model_admin, "acts", ())
        if act.is_dangerous
    }
    assert acts == {
        "user.reset-factors", "user.impersonate", "user.merge", "user.make-operator", "user.unmake-operator",
        "organization.privacy", "organizationmember.change", "team.privacy", "team.delete", "membership.role",
        "project.visibility", "project.invite", "project.delete", "billingadmin.assign", "billingadmin.withdraw",
        "subscription.plan", "subscription.trial", "invoice.paid", "invoice.void",
    }  # fmt: skip


def test_whoever_has_just_signed_in_is_not_asked(client: Client, ada: User):
    """ACC-40."""
    assert (
        client.post("/settings/api-keys", {"label": "lab", "lifetime": "0", "reach": "full"}).status_code
        == 200
    )
    assert ApiKey.objects.filter(user=ada).count() == 1


def test_what_was_typed_is_done_after_the_password(client: Client, ada: User):
    """ACC-40: the new secret is shown, as if nothing had come between."""
    leave_open(client)
    asked = client.post("/settings/api-keys?q=x", {"label": "lab", "lifetime": "0", "reach": "full"})
    assert asked.status_code == 302
    assert asked.headers["Location"].startswith("/accounts/reauthenticate/")
    assert not ApiKey.objects.exists()
    page = client.post(asked.headers["Location"], {"password": PASSWORD}).content.decode()
    assert 'data-address="/settings/api-keys"' in page  # people defect 10: to be reloaded and copied
    assert ApiKey.objects.get().label == "lab"
    assert f"ry-{ApiKey.objects.get().prefix}" in page
    client.post("/settings/api-keys", {"label": "again", "lifetime": "0", "reach": "full"})
    assert ApiKey.objects.count() == 2  # now it is known for some minutes


def test_the_address_of_what_was_resumed_is_that_of_its_form(client: Client, ada: User):
    """People defect 10: the form's own address may take nothing but what is posted."""
    leave_open(client)
    form = {"label": "lab", "lifetime": "0", "reach": "full"}
    headers = {"Referer": "http://testserver/settings/profile?tab=2"}
    asked = client.post("/settings/api-keys", form, headers=headers)
    page = client.post(asked.headers["Location"], {"password": PASSWORD}).content.decode()
    assert 'data-address="/settings/profile?tab=2"' in page
    assert "data-address" not in client.post("/settings/api-keys", form, headers=headers).content.decode()
    assert "data-address" not in client.get("/accounts/reauthenticate/").content.decode()


def test_a_wrong_password_does_nothing(client: Client, ada: User):
    """ACC-40."""
    leave_open(client)
    asked = client.post("/settings/api-keys", {"label": "lab", "lifetime": "0", "reach": "full"})
    assert client.post(asked.headers["Location"], {"password": "wrong"}).status_code == 200
    assert not ApiKey.objects.exists()


def test_a_fragment_is_sent_to_the_page_and_told_to_be_done_again(client: Client, ada: User):
    """ACC-33."""
    leave_open(client)
    headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/settings/emails?a=b"}
    asked = client.post("/settings/emails", {"action_add": "", "email": "n@example.com"}, headers=headers)
    assert asked.status_code == 204
    assert asked.headers["HX-Redirect"] == "/accounts/reauthenticate/?next=%2Fsettings%2Femails%3Fa%3Db"
    back = client.post(asked.headers["HX-Redirect"], {"password": PASSWORD})
    assert back.headers["Location"] == "/settings/emails?a=b"
    assert "Please try again" in client.get("/settings/emails").content.decode()
    assert not EmailAddress.objects.filter(email="n@example.com").exists()


def test_who_has_no_password_signs_in_again_elsewhere_or_sets_one(client: Client, ada: User):
    """ACC-9: "or a fresh SSO login"."""
    ada.set_unusable_password()
    ada.save()
    client.force_login(ada)
    leave_open(client)
    asked = client.get("/settings/delete")
    assert asked.headers["Location"] == "/settings/security/confirm?next=%2Fsettings%2Fdelete"
    assert "link to set a password" in client.get(asked.headers["Location"]).content.decode()


def test_showing_a_page_asks_nothing_where_only_its_form_is_dangerous(client: Client):
    """TEAM-8."""
    team = TeamFactory()
    client.force_login(team.organization.members.order_by("pk")[0].user)
    leave_open(client)
    assert client.get(f"/teams/{team.name}/delete").status_code == 200
    assert client.post(f"/teams/{team.name}/delete", {"name": team.name}).status_code == 302
    team.refresh_from_db()
    assert team.deleted_at is None


def test_an_admins_act_goes_on_after_the_password(client: Client):
    """TEAM-21: as an operator, which the page that asks for the password is not."""
    client.force_login(UserFactory(username="boss", is_operator=True))
    other = make_member(TeamFactory(), username="other")
    leave_open(client)
    asked = client.post(f"/admin/accounts/user/{other.pk}/do/make-operator/")
    assert asked.headers["Location"].startswith("/accounts/reauthenticate/")
    client.post(asked.headers["Location"], {"password": PASSWORD})
    other.refresh_from_db()
    assert other.is_operator


def test_operators_without_a_second_factor_are_sent_to_set_one_up(client: Client, settings):
    """ACC-20, where RUNYARD_OPERATORS_NEED_MFA asks for it."""
    from allauth.mfa.models import Authenticator

    boss = UserFactory(is_operator=True)
    client.force_login(boss)
    assert client.get("/admin/").status_code == 200
    settings.OPERATORS_NEED_MFA = True
    for page in ("/admin/", "/outbox"):
        assert client.get(page).headers["Location"] == "/settings/security"
    Authenticator.objects.create(user=boss, type="totp", data={"secret": "x"})
    assert client.get("/admin/").status_code == 200
