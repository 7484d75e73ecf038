"""ACC-40: how far a key reaches: ready-made reaches, chosen actions, and limiting a key that there is."""

import dataclasses

import pytest
from django.test import Client

from access.actions import all_actions
from access.engine import can
from access.models import AuditEntry
from accounts.api_keys import services
from accounts.api_keys.scopes import action_groups, reach_label, reaches, with_views
from accounts.api_keys.secrets import actor_of_secret
from accounts.models import ApiKey, User
from common.errors import Forbidden, Invalid, NotFound
from ingest.key_scopes import LOG_RUNS, READ_ONLY
from runs.access import RunAction
from tests.factories import ProjectFactory, RunFactory, UserFactory, actor, basic, make_key

pytestmark = pytest.mark.django_db
PAGE = "/settings/api-keys"
Posted = dict[str, object]


@pytest.fixture
def user(client: Client) -> User:
    user = UserFactory(username="ada")
    client.force_login(user)
    return user


def _post(client: Client, path: str, **data: object) -> int:
    return client.post(path, data).status_code


def test_the_ready_made_reaches_are_real_actions_each_wider_than_the_next():
    """ACC-40: "log runs" reads, too."""
    known = {action for action, _ in all_actions()}
    assert READ_ONLY < LOG_RUNS < known
    assert [reach.key for reach in reaches()] == ["full", "log", "read"]


@pytest.mark.parametrize(
    ("posted", "scopes"),
    [
        ({"reach": "full"}, None),
        ({"reach": "log"}, sorted(LOG_RUNS)),
        ({"reach": "read"}, sorted(READ_ONLY)),
        ({"reach": "read", "actions": ["run.delete"]}, sorted(READ_ONLY)),
        ({"reach": "chosen", "actions": ["run.stop"]}, ["run.stop", "run.view"]),
    ],
)
def test_a_key_reaches_as_far_as_was_chosen(
    client: Client, user: User, posted: Posted, scopes: list[str] | None
):
    """ACC-40."""
    assert _post(client, PAGE, label="lab", lifetime="0", **posted) == 200
    assert ApiKey.objects.get().scopes == scopes


@pytest.mark.parametrize(
    "posted", [{}, {"reach": "wide"}, {"reach": "chosen"}, {"reach": "chosen", "actions": ["run.veiw"]}]
)
def test_what_says_nothing_makes_no_key(client: Client, user: User, posted: Posted):
    """ACC-40: a form without a choice is no choice of everything."""
    assert _post(client, PAGE, label="lab", lifetime="0", **posted) == 422
    assert not ApiKey.objects.exists()


def test_lists_and_the_key_s_page_say_what_it_may(client: Client, user: User):
    """ACC-40."""
    make_key(user, scopes=LOG_RUNS)
    key = ApiKey.objects.get()
    assert "Log runs" in client.get(PAGE).content.decode()
    assert "run.log" in client.get(f"{PAGE}/{key.pk}").content.decode()
    assert reach_label(None) == "Full access"
    assert reach_label(["run.view", "run.stop"]) == "2 actions"


def test_what_an_action_is_done_to_is_seen():
    """Else every refusal would be a 404 that explains nothing."""
    assert with_views(["run.delete", "project.update"]) == {
        "run.delete", "run.view", "project.update", "project.view"
    }  # fmt: skip


def test_actions_that_nobody_is_given_are_not_offered():
    offered = {choice.action for _name, group in action_groups() for choice in group}
    assert "account.set_active" not in offered
    assert offered > LOG_RUNS


@pytest.mark.parametrize(
    ("held", "posted", "left"),
    [
        (None, {"reach": "log"}, sorted(LOG_RUNS)),
        (LOG_RUNS, {"reach": "read"}, sorted(READ_ONLY)),
        (LOG_RUNS, {"reach": "chosen", "actions": ["run.view"]}, ["run.view"]),
    ],
)
def test_a_key_is_limited_further(
    client: Client, user: User, held: frozenset[str] | None, posted: Posted, left: list[str]
):
    """ACC-40: at once, and audited."""
    secret = make_key(user, scopes=held)
    key = ApiKey.objects.get()
    assert _post(client, f"{PAGE}/{key.pk}/limit", **posted) == 302
    assert actor_of_secret(secret, "").scopes == frozenset(left)
    entry = AuditEntry.objects.get(action="api_key.limit")
    assert (entry.before["scopes"], entry.after["scopes"]) == (sorted(held) if held else None, left)


@pytest.mark.parametrize(
    "posted", [{"reach": "full"}, {"reach": "log"}, {"reach": "chosen", "actions": ["run.log"]}, {}]
)
def test_a_key_is_never_extended(client: Client, user: User, posted: Posted):
    """ACC-40: it may be known to others by now."""
    make_key(user, scopes=READ_ONLY)
    key = ApiKey.objects.get()
    assert _post(client, f"{PAGE}/{key.pk}/limit", **posted) == 422
    with pytest.raises(Invalid, match="never extended"):
        services.limit_api_key(actor=actor(user), key=key, scopes=LOG_RUNS)
    assert ApiKey.objects.get().scopes == sorted(READ_ONLY)


def test_limiting_is_for_the_owner_and_never_to_nothing(user: User):
    """ACC-40."""
    make_key(user)
    key = ApiKey.objects.get()
    with pytest.raises(NotFound):
        services.limit_api_key(actor=actor(UserFactory()), key=key, scopes=["run.view"])
    with pytest.raises(Invalid, match="at least one"):
        services.limit_api_key(actor=actor(user), key=key, scopes=[])
    seeing = dataclasses.replace(actor(user), scopes=frozenset({"api_key.view"}))
    with pytest.raises(Forbidden, match=r"api_key\.limit"):
        services.limit_api_key(actor=seeing, key=key, scopes=["run.view"])


def test_a_missing_scope_is_named(client: Client, user: User):
    """ACC-40: so that whoever reads the error knows which key to make."""
    run = RunFactory(project=ProjectFactory(team=user.claim.team), user=user)
    secret = make_key(user, scopes=READ_ONLY)
    client.logout()
    answer = client.post(f"/api/v1/runs/{run.pk}/stop/", headers={"Authorization": basic(secret)})
    assert answer.status_code == 403
    message = answer.json()["error"]["message"]
    assert "run.stop" in message
    assert "The scopes of the API key do not include run.stop." in message
    assert can(actor(user), RunAction.STOP, run)
