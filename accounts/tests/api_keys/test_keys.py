"""ACC-40, ACC-41, ACC-42: API keys, how they are made and how they are checked."""

import dataclasses
import logging
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from access.actions import UnknownActionError
from access.actor import SYSTEM
from access.models import AuditEntry
from access.signals import rights_changed
from accounts.api_keys import services
from accounts.api_keys.secrets import actor_of_secret, new_secret
from accounts.models import ApiKey, User
from common.errors import Forbidden, Invalid, NotFound, Unauthenticated
from runs.access import RunAction
from tests.factories import (
    RunFactory,
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    actor,
    basic,
    make_key,
)

pytestmark = pytest.mark.django_db
VIEWER = {"query": "{ viewer { username } }"}


@pytest.fixture
def user() -> User:
    return UserFactory(username="ada")


def _ask(client: Client, authorization: str, **more: Any) -> Any:
    headers = {"Authorization": authorization} if authorization else {}
    return client.post("/graphql", VIEWER, content_type="application/json", headers=headers, **more)


class TestForm:
    def test_a_secret_is_what_every_sdk_accepts(self):
        """``ry-`` and exactly 40 letters and digits (wandb-protocol)."""
        assert re.fullmatch(r"ry-[A-Za-z0-9]{40}", new_secret())

    def test_secrets_differ(self):
        assert len({new_secret() for _ in range(100)}) == 100

    def test_only_a_hash_is_stored(self, user: User):
        secret = make_key(user)
        stored = ApiKey.objects.values().get()
        assert stored["prefix"] == secret[3:11]
        assert not any(secret[11:] in str(value) for value in stored.values())
        assert not any(secret[11:] in str(entry) for entry in AuditEntry.objects.values())


class TestCheck:
    def test_basic_and_bearer_name_the_owner(self, client: Client, user: User):
        secret = make_key(user)
        for header in (basic(secret), f"Bearer {secret}", f"bearer {secret}"):
            assert _ask(client, header).json() == {"data": {"viewer": {"username": "ada"}}}

    def test_the_user_part_of_basic_does_not_matter(self, client: Client, user: User):
        """SDKs send `api`; netrc may hold `user`."""
        import base64

        header = "Basic " + base64.b64encode(f"user:{make_key(user)}".encode()).decode()
        assert _ask(client, header).status_code == 200

    @pytest.mark.parametrize(
        "header",
        ["", "Basic", "Basic !!!", "Basic /////w==", "Bearer", "Bearer ", "Digest x", "Bearer ry-" + "a" * 40,
         "Bearer short", "Basic YXBpOg==", "Basic YXBpOnJ5LQAAAAAAAAAAAAAA", "Bearer ry-\u00e9\u00e9\u00e9"],
    )  # fmt: skip
    @pytest.mark.parametrize("path", ["/graphql", "/api/v1/runs/"])
    def test_what_is_no_key_is_401_with_a_reason(self, client: Client, header: str, path: str):
        if path == "/graphql":
            response = _ask(client, header)
            reason = response.json()["errors"][0]["message"]
        elif not header:
            return  # REST shows anonymous people what is public
        else:
            response = client.get(path, headers={"Authorization": header})
            reason = response.json()["error"]["message"]
        assert response.status_code == 401
        assert response.headers["WWW-Authenticate"].startswith("Basic")
        assert "key" in reason.lower()

    def test_a_right_prefix_with_a_wrong_rest_is_unknown(self, user: User):
        secret = make_key(user)
        with pytest.raises(Unauthenticated, match="unknown or was revoked"):
            actor_of_secret(secret[:11] + "x" * 32, "")

    def test_an_expired_key_is_refused_and_says_when_it_ended(self, client: Client, user: User):
        secret = make_key(user, expires_at=datetime(2026, 3, 1, tzinfo=UTC))
        with time_machine.travel(datetime(2026, 2, 28, 23, 59, tzinfo=UTC), tick=False):
            assert _ask(client, basic(secret)).status_code == 200
        with time_machine.travel(datetime(2026, 3, 1, tzinfo=UTC), tick=False):
            refused = _ask(client, basic(secret))
        assert refused.status_code == 401
        assert "expired on 2026-03-01" in refused.json()["errors"][0]["message"]

    def test_a_revoked_key_is_refused_at_once(self, client: Client, user: User):
        secret = make_key(user)
        assert _ask(client, basic(secret)).status_code == 200
        services.delete_api_key(actor=actor(user), key=ApiKey.objects.get())
        assert _ask(client, basic(secret)).status_code == 401

    def test_two_keys_work_side_by_side_while_rotating(self, client: Client, user: User):
        old, new = make_key(user), make_key(user)
        assert _ask(client, basic(old)).status_code == _ask(client, basic(new)).status_code == 200
        services.delete_api_key(actor=actor(user), key=ApiKey.objects.get(prefix=old[3:11]))
        assert (_ask(client, basic(old)).status_code, _ask(client, basic(new)).status_code) == (401, 200)

    def test_the_key_of_an_account_that_is_switched_off_is_refused(self, client: Client, user: User):
        secret = make_key(user)
        User.objects.update(is_active=False)
        assert _ask(client, basic(secret)).status_code == 401

    def test_the_refusal_is_logged_without_the_key(self, client: Client, user: User, caplog):
        secret = make_key(user, expires_at=timezone.now() - timedelta(days=1))
        unknown = new_secret()
        with caplog.at_level(logging.INFO):
            _ask(client, basic(secret), REMOTE_ADDR="192.0.2.7")
            _ask(client, f"Bearer {unknown}", REMOTE_ADDR="192.0.2.7")
        told = [
            record.getMessage() for record in caplog.records if record.name == "accounts.api_keys.secrets"
        ]
        assert len(told) == 2
        assert all("192.0.2.7" in line for line in told)
        assert not any(key[11:] in caplog.text for key in (secret, unknown))

    def test_the_last_use_is_noted_to_the_minute(self, client: Client, user: User):
        secret = make_key(user)
        noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
        for seconds, address, noted in [(0, "192.0.2.1", 0), (59, "192.0.2.1", 0), (61, "192.0.2.1", 61),
                                        (62, "192.0.2.2", 62)]:  # fmt: skip
            with time_machine.travel(noon + timedelta(seconds=seconds), tick=False):
                _ask(client, basic(secret), REMOTE_ADDR=address)
            key = ApiKey.objects.get()
            assert key.last_used_at == noon + timedelta(seconds=noted)
            assert key.last_used_address == address

    def test_a_check_is_one_query_when_its_use_is_noted(
        self, user: User, django_assert_num_queries: Callable[..., Any]
    ):
        secret = make_key(user)
        actor_of_secret(secret, "")
        with django_assert_num_queries(1):
            actor_of_secret(secret, "")

    def test_a_key_carries_its_scopes_and_its_id(self, user: User):
        secret = make_key(user, scopes=[RunAction.VIEW])
        found = actor_of_secret(secret, "192.0.2.1")
        assert found.scopes == frozenset({"run.view"})
        assert (found.key_id, found.address) == (ApiKey.objects.get().pk, "192.0.2.1")

    def test_a_key_goes_before_a_session(self, client: Client, user: User):
        """A browser's session does not lend its rights to a request that names another key."""
        run = RunFactory(user=user)
        client.force_login(User.objects.get(pk=run.project.team.memberships.get().user_id))
        stranger = make_key(UserFactory())
        assert client.get(f"/api/v1/runs/{run.pk}/").status_code == 200
        assert (
            client.get(f"/api/v1/runs/{run.pk}/", headers={"Authorization": basic(stranger)}).status_code
            == 404
        )


def test_rest_with_a_session_wants_a_csrf_token(user: User):
    client = Client(enforce_csrf_checks=True)
    run = RunFactory(project__team=user.claim.team, user=user)
    client.force_login(user)
    assert client.post(f"/api/v1/runs/{run.pk}/stop/").status_code == 403
    headers = {"Authorization": basic(make_key(user))}
    assert client.post(f"/api/v1/runs/{run.pk}/stop/", headers=headers).status_code == 200


class TestMaking:
    def test_nobody_makes_a_key_for_somebody_else(self, user: User):
        with pytest.raises((NotFound, Forbidden)):
            services.create_api_key(actor=actor(UserFactory()), owner=user)

    def test_nobody_revokes_somebody_elses(self, user: User):
        make_key(user)
        with pytest.raises((NotFound, Forbidden)):
            services.delete_api_key(actor=actor(UserFactory()), key=ApiKey.objects.get())

    def test_unknown_scopes_are_refused(self, user: User):
        with pytest.raises(UnknownActionError):
            make_key(user, scopes=["run.veiw"])

    @pytest.mark.parametrize("scopes", [None, ["api_key.create", "run.view"]])
    def test_a_limited_key_makes_none_that_reaches_further(self, user: User, scopes: list[str] | None):
        limited = dataclasses.replace(actor(user), scopes=frozenset({"api_key.create"}))
        with pytest.raises(Forbidden, match="some of its own scopes"):
            services.create_api_key(actor=limited, owner=user, scopes=scopes)
        services.create_api_key(actor=limited, owner=user, scopes=["api_key.create"])

    def test_there_is_a_limit(self, user: User, monkeypatch):
        monkeypatch.setattr(services, "MAX_KEYS", 1)
        make_key(user)
        with pytest.raises(Invalid, match="at most 1 API keys"):
            make_key(user)

    def test_making_and_revoking_are_audited(self, user: User):
        make_key(user, label="lab")
        services.delete_api_key(actor=actor(user), key=ApiKey.objects.get())
        assert list(AuditEntry.objects.filter(action__startswith="api_key").values_list("action", flat=True)) == [
            "api_key.delete", "api_key.create",
        ]  # fmt: skip

    def test_revoking_tells_every_cache(self, user: User, django_capture_on_commit_callbacks):
        heard = []

        def hear(sender: Any, **_: Any) -> None:
            heard.append(sender)

        rights_changed.connect(hear)
        make_key(user)
        with django_capture_on_commit_callbacks(execute=True):
            services.delete_api_key(actor=SYSTEM, key=ApiKey.objects.get())
        assert heard == [ApiKey]


class TestPages:
    @pytest.mark.parametrize("path", ["/settings/api-keys", "/authorize"])
    def test_the_secret_is_shown_once(self, client: Client, user: User, path: str):
        client.force_login(user)
        page = client.post(path, {"label": "lab", "lifetime": "0", "reach": "full"}).content.decode()
        secret = re.search(r"ry-[A-Za-z0-9]{40}", page)
        assert secret is not None
        assert actor_of_secret(secret[0], "").name == "ada"
        assert secret[0][11:] not in client.get(path).content.decode()

    def test_pages_with_secrets_are_not_cached(self, client: Client, user: User):
        client.force_login(user)
        assert "no-store" in client.get("/authorize").headers["Cache-Control"]

    def test_a_lifetime_ends_the_key(self, client: Client, user: User):
        client.force_login(user)
        client.post("/settings/api-keys", {"label": "lab", "lifetime": "30", "reach": "full"})
        ends_at = ApiKey.objects.get().expires_at
        assert ends_at is not None
        assert timedelta(days=29) < ends_at - timezone.now() <= timedelta(days=30)

    def test_a_form_with_a_mistake_makes_no_key(self, client: Client, user: User):
        client.force_login(user)
        assert client.post("/settings/api-keys", {"label": "", "lifetime": "7"}).status_code == 422
        assert not ApiKey.objects.exists()

    def test_lists_ones_own_keys_by_prefix(self, client: Client, user: User):
        mine, others = make_key(user), make_key(UserFactory())
        client.force_login(user)
        page = client.get("/settings/api-keys").content.decode()
        assert mine[3:11] in page
        assert others[3:11] not in page

    def test_revoking_is_for_the_owner(self, client: Client, user: User):
        make_key(user)
        key = ApiKey.objects.get()
        client.force_login(UserFactory())
        client.post("/settings/api-keys/delete", {"key": key.pk})
        assert ApiKey.objects.exists()
        client.force_login(user)
        assert client.get("/settings/api-keys/delete").status_code == 405
        client.post("/settings/api-keys/delete", {"key": [key.pk, 10**9]})
        assert not ApiKey.objects.exists()

    def test_a_key_is_renamed_by_its_owner(self, client: Client, user: User):
        make_key(user)
        key = ApiKey.objects.get()
        client.force_login(UserFactory())
        assert client.post(f"/settings/api-keys/{key.pk}", {"label": "theirs"}).status_code == 404
        client.force_login(user)
        client.post(f"/settings/api-keys/{key.pk}", {"label": "cluster"})
        assert "cluster" in client.get(f"/settings/api-keys/{key.pk}").content.decode()

    def test_keys_are_found_by_name_and_by_their_first_characters(self, client: Client, user: User):
        make_key(user, label="lab workstation")
        secret = make_key(user, label="cluster")
        client.force_login(user)
        for text in ("clus", secret[:7], secret[3:7]):
            found = client.get("/settings/api-keys", {"q": text}, headers={"HX-Request": "true"})
            assert "cluster" in found.content.decode()
            assert "lab workstation" not in found.content.decode()

    def test_the_list_costs_the_same_for_many_keys(
        self, client: Client, user: User, django_assert_max_num_queries: Callable[..., Any]
    ):
        for _ in range(60):
            make_key(user)
        client.force_login(user)
        with django_assert_max_num_queries(10):
            client.get("/settings/api-keys")


def test_the_key_of_a_service_account_names_the_program():
    """TEAM-30."""
    bot = ServiceAccountFactory(team=TeamFactory()).user
    assert actor_of_secret(make_key(bot), "").kind.value == "service account"


class TestGuessing:
    """ACC-23."""

    @pytest.mark.parametrize("path", ["/api/v1/runs/", "/graphql"])
    def test_many_refused_keys_answer_429_and_say_how_long(self, client: Client, path: str):
        ask = (
            client.get
            if path.startswith("/api")
            else partial(client.post, data={}, content_type="application/json")
        )
        for _ in range(60):
            assert ask(path, headers={"Authorization": basic(f"ry-{'x' * 40}")}).status_code == 401
        answer = ask(path, headers={"Authorization": basic(f"ry-{'x' * 40}")})
        assert answer.status_code == 429
        assert 0 < int(answer.headers["Retry-After"]) <= 61

    def test_a_good_key_passes_whatever_its_neighbours_do(self, client: Client):
        for number in range(125):
            client.get("/api/v1/runs/", headers={"Authorization": basic(f"ry-{number:040d}")})
        secret = make_key(UserFactory())
        assert client.get("/api/v1/runs/", headers={"Authorization": basic(secret)}).status_code == 200
