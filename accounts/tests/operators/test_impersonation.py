"""TEAM-21: an operator acts as a person, written down, for an hour, and never in what is the person's alone."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from access.models import AuditEntry
from accounts.models import ApiKey, User
from accounts.operators import impersonation
from runs.models import Run
from tests.factories import ProjectFactory, RunFactory, TeamFactory, UserFactory, make_member

pytestmark = pytest.mark.django_db
HTML = {"Accept": "text/html"}


@pytest.fixture
def boss(client: Client) -> User:
    user: User = UserFactory(username="boss", is_operator=True)
    client.force_login(user)
    return user


def begin(client: Client, user: User, reason: str = "Their charts are empty.") -> Any:
    return client.post(f"/admin/accounts/user/{user.pk}/do/impersonate/", {"reason": reason})


def test_the_operator_sees_what_the_person_sees_and_every_page_says_so(client: Client, boss: User):
    ada = UserFactory(username="ada")
    assert begin(client, ada).headers["Location"] == "/"
    assert client.get("/", headers=HTML).status_code == 200
    assert not ApiKey.objects.exists()  # the first visit of a newcomer makes one, an operator's does not
    page = client.get("/settings/profile").content.decode()
    assert "You are acting as ada until" in page
    assert client.get("/admin/", headers=HTML).status_code == 403


def test_it_begins_and_ends_in_the_audit_log_and_all_between_names_both(client: Client, boss: User):
    ada = make_member(TeamFactory(), username="ada")
    run = RunFactory(project=ProjectFactory(team=ada.memberships.get(team__kind="personal").team), user=ada)
    begin(client, ada)
    path = f"/{run.project.team.name}/{run.project.name}/act/delete"
    client.post("/settings/profile", {"display_name": "Ada L.", "links-TOTAL_FORMS": "0"})
    client.post(path, {"run": run.uid})
    client.post("/settings/acting/stop")
    told = AuditEntry.objects.filter(actor_name__contains="boss").order_by("pk")
    said = [(entry.actor_name, entry.action) for entry in told]
    assert said[0] == ("boss", "account.impersonate")
    assert said[-1] == ("boss", "account.impersonate_end")
    assert {name for name, _action in said[1:-1]} == {"boss as ada"}
    assert said[1:-1]
    assert told[0].after["reason"] == "Their charts are empty."
    assert Run.objects.filter(pk=run.pk).exists()
    assert client.get("/admin/").status_code == 200


@pytest.mark.parametrize("user", [{"is_operator": True}, {"is_active": False}, {"kind": "service"}])
def test_neither_operators_nor_programs_nor_who_is_switched_off(
    client: Client, boss: User, user: dict[str, Any]
):
    other = UserFactory()
    User.objects.filter(pk=other.pk).update(**user)
    assert "You cannot act as" in begin(client, other).content.decode()
    assert impersonation.SESSION_KEY not in client.session


def test_a_reason_is_asked_for(client: Client, boss: User):
    assert begin(client, UserFactory(), "").status_code == 422
    assert impersonation.SESSION_KEY not in client.session


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("post", "/settings/api-keys"), ("get", "/settings/api-keys"), ("post", "/authorize"),
        ("post", "/settings/emails"), ("get", "/settings/security"), ("get", "/settings/delete"),
        ("post", "/settings/delete"), ("get", "/accounts/password/change/"), ("post", "/accounts/password/change/"),
        ("get", "/accounts/2fa/totp/activate/"), ("get", "/accounts/2fa/recovery-codes/generate/"),
        ("get", "/accounts/reauthenticate/"), ("get", "/admin/accounts/user/"), ("get", "/outbox"),
    ],
)  # fmt: skip
def test_what_is_the_persons_alone_stays_closed(client: Client, boss: User, method: str, path: str):
    """ACC-40, ACC-31, ACC-20, ACC-9."""
    begin(client, UserFactory(username="ada"))
    answer = getattr(client, method)(path, {"label": "x", "username": "ada"}, headers=HTML)
    assert answer.status_code == 403
    assert not ApiKey.objects.exists()


def test_a_dangerous_page_is_seen_and_not_used(client: Client, boss: User):
    """TEAM-8: what asks for a password again is the person's alone."""
    team = TeamFactory()
    begin(client, team.organization.members.order_by("pk")[0].user)
    path = f"/teams/{team.name}/delete"
    assert client.get(path, headers=HTML).status_code == 200
    assert client.post(path, {"name": team.name}, headers=HTML).status_code == 403
    team.refresh_from_db()
    assert team.deleted_at is None


def test_rest_refuses_keys_to_an_acting_operator(client: Client, boss: User):
    """ACC-40: whatever route reaches it, the service's own check refuses."""
    from access.web.requests import actor_of_user
    from accounts.api_keys.services import create_api_key
    from common.errors import DomainError

    ada = UserFactory(username="ada")
    ada.impersonated_by = "boss"
    with pytest.raises(DomainError):
        create_api_key(actor=actor_of_user(ada), owner=ada, label="x")


def test_signing_out_gives_the_operator_back(client: Client, boss: User):
    begin(client, UserFactory())
    client.post("/accounts/logout/")
    assert client.get("/admin/").status_code == 200
    assert AuditEntry.objects.filter(action=impersonation.END).count() == 1


def test_it_ends_after_an_hour(client: Client, boss: User):
    with time_machine.travel(timezone.now(), tick=False) as clock:
        begin(client, UserFactory(username="ada"))
        clock.shift(timedelta(minutes=59))
        assert "You are acting as ada" in client.get("/settings/profile").content.decode()
        clock.shift(timedelta(minutes=2))
        page = client.get("/settings/profile", follow=True).content.decode()
    assert "You are acting as ada" not in page
    assert AuditEntry.objects.filter(action=impersonation.END).count() == 1


def test_it_ends_when_the_operator_is_none_any_more(client: Client, boss: User):
    begin(client, UserFactory(username="ada"))
    User.objects.filter(pk=boss.pk).update(is_operator=False)
    assert "You are acting as ada" not in client.get("/settings/profile", follow=True).content.decode()
    assert client.get("/admin/", headers=HTML).status_code == 403


def test_sockets_are_the_persons_and_end_with_the_hour(boss: User):
    """Live pages stop, too."""
    ada, sent = UserFactory(username="ada"), []
    until = timezone.now() + timedelta(seconds=0.2)
    session = {impersonation.SESSION_KEY: {"user": ada.pk, "until": until.isoformat()}}
    heard: list[Any] = []

    async def listen(scope: Any, receive: Any, send: Any) -> None:
        heard.append(scope["user"])
        await asyncio.sleep(30)

    async def send(message: Any) -> None:
        sent.append(message)

    acting = impersonation.acting_of(session, boss)
    assert acting is not None
    asyncio.run(impersonation.listen_as(acting, listen, {"user": boss}, None, send))
    assert heard == [ada]
    assert sent == [{"type": "websocket.close", "code": impersonation.TIME_OVER}]
