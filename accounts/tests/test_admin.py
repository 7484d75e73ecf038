"""The Django admin: every registered page opens for operators, with a fixed number of queries, and for nobody else."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib import admin
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from access.actions import Preset
from access.actor import SYSTEM
from access.models import AuditEntry
from accounts.models import ApiKey, User
from runs.models import Project
from runs.models import Run as RunModel
from storage.services import enter_bytes
from teams.invitations import invite
from teams.roles import built_in
from tests.factories import (
    ProjectFactory,
    RunFactory,
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    add_run_file,
    make_key,
    make_member,
)

pytestmark = pytest.mark.django_db
MODELS: list[type[Model]] = sorted(admin.site._registry, key=lambda model: model._meta.label)
by_label = pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(UserFactory(username="boss", is_operator=True))
    return client


def _fill() -> None:
    """Add a row, or more, to every table that Runyard's own services fill."""
    team = TeamFactory()
    make_member(team)
    make_key(make_member(team))
    ServiceAccountFactory(team=team)
    invite(actor=SYSTEM, team=team, role=built_in(Preset.MEMBER), email="new@example.com")
    run = RunFactory(project=ProjectFactory(team=team))
    add_run_file(run, "notes.txt", run.uid.encode())
    enter_bytes(team_id=team.pk, delta_bytes=1, category="log")


def _page(model: type[Model], page: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


@by_label
def test_lists_open_for_operators_and_cost_the_same_for_many_rows(operator: Client, model: type[Model]):
    _fill()
    operator.get(_page(model, "changelist"))
    with CaptureQueriesContext(
        connection,
    ) as few:
        assert operator.get(_page(model, "changelist")).status_code == 200
    for _ in range(4):
        _fill()
    with CaptureQueriesContext(connection) as many:
        assert operator.get(_page(model, "changelist")).status_code == 200
    assert len(many) <= len(few), [query["sql"] for query in many.captured_queries]


@by_label
def test_search_opens(operator: Client, model: type[Model]):
    _fill()
    assert operator.get(_page(model, "changelist"), {"q": "7"}).status_code == 200
    assert operator.get(_page(model, "changelist"), {"q": "team"}).status_code == 200


@by_label
def test_one_row_opens(operator: Client, model: type[Model]):
    _fill()
    row = model._default_manager.first()
    if row is not None:
        assert operator.get(_page(model, "change", row.pk)).status_code == 200


def test_most_tables_have_rows_to_open():
    _fill()
    empty = {model._meta.label for model in MODELS if not model._default_manager.exists()}
    assert empty <= {"metrics.Stream", "metrics.Sequence"}


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


class TestUsers:
    def _act(self, client: Client, action: str, user: User) -> None:
        data = {"action": action, "_selected_action": [user.pk]}
        assert client.post(_page(User, "changelist"), data).status_code == 302

    def test_deactivating_ends_sign_in_and_is_audited(self, operator: Client):
        """TEAM-21: each act of an operator is audited."""
        user = UserFactory()
        self._act(operator, "deactivate", user)
        user.refresh_from_db()
        assert not user.is_active
        assert AuditEntry.objects.filter(
            object_type="accounts.User", object_id=user.pk, actor_name="boss"
        ).exists()
        self._act(operator, "reactivate", user)
        user.refresh_from_db()
        assert user.is_active

    def test_nobody_locks_themselves_out(self, operator: Client):
        boss = User.objects.get(username="boss")
        self._act(operator, "deactivate", boss)
        boss.refresh_from_db()
        assert boss.is_active

    def test_neither_names_nor_addresses_are_changed_here(self, operator: Client):
        user = UserFactory(username="ada", email="ada@example.com")
        data = {"username": "eve", "email": "eve@example.com", "display_name": "Ada", "is_active": "on"}
        operator.post(_page(User, "change", user.pk), data)
        user.refresh_from_db()
        assert (user.username, user.email, user.display_name) == ("ada", "ada@example.com", "Ada")

    def test_users_are_neither_made_nor_deleted_here(self, operator: Client):
        assert operator.get(_page(User, "add")).status_code == 403
        assert operator.get(_page(User, "delete", UserFactory().pk)).status_code == 403


class TestKeys:
    def test_revoking_is_audited(self, operator: Client):
        make_key(UserFactory(), label="lab")
        key = ApiKey.objects.get()
        operator.post(_page(ApiKey, "delete", key.pk), {"post": "yes"})
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
    with django_assert_max_num_queries(6):
        assert b"Users" in operator.get("/admin/").content
