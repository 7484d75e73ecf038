"""What operators do to accounts, keys and mail in the Django admin; `tests.admin.test_admin` walks all of its pages."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from access.models import AuditEntry
from accounts.models import ApiKey, OutboxMail, User
from config.admin.registration import register_models
from runs.models import Project
from runs.models import Run as RunModel
from tests.factories import TeamFactory, UserFactory, delivered, make_key

pytestmark = pytest.mark.django_db
register_models()
MODELS: list[type[Model]] = sorted(admin.site._registry, key=lambda model: model._meta.label)
by_label = pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(UserFactory(username="boss", is_operator=True))
    return client


def _page(model: type[Model], page: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


@by_label
def test_people_and_strangers_are_refused(client: Client, model: type[Model]):
    page = _page(model, "changelist")
    assert client.get(page).headers["Location"].startswith("/accounts/login/")
    client.force_login(UserFactory())
    assert client.get(page).status_code == 403


def test_an_operator_that_is_switched_off_is_refused(operator: Client):
    User.objects.filter(username="boss").update(is_active=False)
    assert operator.get("/admin/").status_code == 302


def test_signing_in_goes_through_the_one_page(client: Client):
    assert client.get("/admin/login/?next=/admin/").headers["Location"] == "/accounts/login/?next=/admin/"
    assert client.post("/admin/login/", {"username": "boss", "password": "x"}).status_code == 302


def act(client: Client, row: Model, slug: str, data: dict[str, Any] | None = None) -> Any:
    """Do an act on its page."""
    return client.post(_page(type(row), "act", row.pk, slug), data or {})


class TestUsers:
    """TEAM-21: each act of an operator goes through its service, and is audited."""

    def test_deactivating_ends_sign_in_and_is_audited(self, operator: Client):
        user = UserFactory()
        chosen = {"action": "deactivate", "_selected_action": [user.pk]}
        assert operator.post(_page(User, "changelist"), chosen).status_code == 302
        user.refresh_from_db()
        assert not user.is_active
        assert AuditEntry.objects.filter(
            object_type="accounts.User", object_id=user.pk, actor_name="boss"
        ).exists()
        act(operator, user, "reactivate")
        user.refresh_from_db()
        assert user.is_active

    def test_nobody_locks_themselves_out(self, operator: Client):
        boss = User.objects.get(username="boss")
        assert "your own account" in act(operator, boss, "deactivate").content.decode()
        assert "last operator" in act(operator, boss, "unmake-operator").content.decode()
        boss.refresh_from_db()
        assert boss.is_staff

    def test_neither_names_nor_addresses_are_changed_here(self, operator: Client):
        user = UserFactory(username="ada", email="ada@example.com")
        data = {"username": "eve", "email": "eve@example.com"}
        assert operator.post(_page(User, "change", user.pk), data).status_code == 403
        act(operator, user, "rename", {"display_name": "Ada"})
        user.refresh_from_db()
        assert (user.username, user.email, user.display_name) == ("ada", "ada@example.com", "Ada")

    def test_accounts_are_made_and_never_deleted_here(self, operator: Client):
        made = {"username": "ada", "email": "ada@example.com", "mail_link": "on"}
        assert operator.post(_page(User, "add"), made).status_code == 302
        ada = User.objects.get(username="ada")
        assert ada.email == "ada@example.com"
        assert ["/accounts/password/reset/key/" in str(mail.body) for mail in delivered()] == [True]
        assert (
            "taken" in operator.post(_page(User, "add"), {**made, "email": "b@example.com"}).content.decode()
        )
        assert operator.get(_page(User, "delete", ada.pk)).status_code == 403

    def test_history_is_the_audit_log(self, operator: Client):
        user = UserFactory()
        answer = operator.get(_page(User, "history", user.pk), follow=True)
        assert "user.create" in answer.content.decode()

    def test_acts_that_do_not_fit_are_not_offered(self, operator: Client):
        page = operator.get(_page(User, "change", UserFactory().pk)).content.decode()
        assert "/do/deactivate/" in page
        assert "/do/reactivate/" not in page


class TestKeys:
    def test_revoking_is_audited(self, operator: Client):
        make_key(UserFactory(), label="lab")
        key = ApiKey.objects.get()
        act(operator, key, "revoke")
        assert not ApiKey.objects.exists()
        entry = AuditEntry.objects.get(action="api_key.delete")
        assert (entry.actor_name, entry.object_id) == ("boss", str(key.pk))

    def test_neither_hash_nor_secret_is_shown(self, operator: Client):
        secret = make_key(UserFactory())
        key = ApiKey.objects.get()
        page = operator.get(_page(ApiKey, "change", key.pk)).content.decode()
        assert key.prefix in page
        assert key.hash not in page
        assert secret not in page


class TestMail:
    """TEAM-21: what waits for a mail server is tried again or thrown away; its words are for its reader alone."""

    def _waiting(self) -> OutboxMail:
        return OutboxMail.objects.create(
            to="a@example.com", subject="hello", text="s3cret", html="s3cret", attempt_count=3,
            try_at=timezone.now() + timedelta(hours=1),
        )  # fmt: skip

    def test_is_tried_again_at_once(self, operator: Client, django_capture_on_commit_callbacks):
        mail = self._waiting()
        with django_capture_on_commit_callbacks(execute=True):
            act(operator, mail, "retry")
        assert not OutboxMail.objects.exists()
        assert AuditEntry.objects.filter(action="outbox.retry", actor_name="boss").exists()

    def test_is_thrown_away(self, operator: Client):
        act(operator, self._waiting(), "delete")
        assert not OutboxMail.objects.exists()
        assert AuditEntry.objects.get(action="outbox.delete").before == {"to": "a@example.com"}

    def test_is_not_read_here(self, operator: Client):
        mail = self._waiting()
        assert "s3cret" not in operator.get(_page(OutboxMail, "change", mail.pk)).content.decode()


def test_the_audit_log_is_read_only(operator: Client):
    TeamFactory()
    entry = AuditEntry.objects.first()
    assert entry is not None
    assert operator.get(_page(AuditEntry, "add")).status_code == 403
    assert operator.post(_page(AuditEntry, "delete", entry.pk), {"post": "yes"}).status_code == 403
    assert operator.post(_page(AuditEntry, "change", entry.pk), {"action": "x"}).status_code == 403


@pytest.mark.parametrize("model", [Project, RunModel])
def test_projects_and_runs_are_not_made_here(operator: Client, model: type[Model]):
    """A run has a number, a pulse and a history of states; only services make all of it."""
    assert operator.get(_page(model, "add")).status_code == 403


def test_the_front_page_lists_what_there_is(
    operator: Client, django_assert_max_num_queries: Callable[..., Any]
):
    UserFactory()
    with django_assert_max_num_queries(18):
        assert b"Users" in operator.get("/admin/").content
