"""The secret key is changed, and nobody notices: old and new keys are side by side for as long as it takes."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.conf import settings as django_settings
from django.db.models import CharField, TextField

from access.actor import SYSTEM
from accounts.api_keys import secrets
from accounts.api_keys.services import create_api_key
from accounts.models import ApiKey, SignInProvider
from alerts.models import Secret
from common.crypto import key_fingerprint, seal, unseal
from common.errors import Conflict, Unauthenticated, Unavailable
from common.tasks import HEARTBEAT_KEY, KEY_IN_USE, write_heartbeat
from config import rotation
from storage.models import Bucket
from teams.invitations.mail import hash_of, hashes_of
from tests.factories import TeamFactory, UserFactory
from tests.installation import Installation
from tests.sdk.people import person, signed_in
from tests.sdk.wire import Wire
from tests.waiting import until

OLD, NEW = (
    "an old secret key that is longer than 32 characters",
    "a new secret key that is longer than 32 characters",
)
PASSWORD = "correct horse battery"


def forget_heartbeat() -> None:
    with redis.Redis.from_url(django_settings.REDIS_URL) as client:
        client.delete(HEARTBEAT_KEY, KEY_IN_USE)


@pytest.fixture
def keys(settings: Any) -> Iterator[Callable[..., None]]:
    """Set the current key and the former ones; no worker runs."""
    forget_heartbeat()

    def use(current: str, *former: str) -> None:
        settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = current, list(former)

    use(OLD)
    yield use
    forget_heartbeat()


def test_every_sealed_column_is_known() -> None:
    """Else what it holds could not be read once the former key is dropped."""
    found = {
        (model._meta.label, field.name)
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, CharField | TextField) and field.name.startswith("sealed")
    }
    assert {(column.model, column.field) for column in rotation.COLUMNS} == found


@pytest.mark.django_db
class TestRotation:
    def test_what_is_sealed_opens_with_the_new_key_alone(self, keys: Callable[..., None]) -> None:
        team = TeamFactory()
        provider = SignInProvider(
            kind="oidc", slug="idp", name="IdP", issuer="https://idp.example", client_id="c"
        )
        provider.secret = "client secret"
        provider.save()
        secret = Secret.objects.create(team=team, name="TOKEN", sealed=seal("webhook secret", "of a hook"))
        bucket = Bucket.objects.create(
            team=team, url="s3://b", sealed_credentials=seal("storage-bucket", "{}")
        )
        keys(NEW, OLD)
        result = rotation.rotate()
        assert (result["resealed"], result["unreadable"], result["former_keys"]) == (3, 0, 1)
        keys(NEW)
        for row in (provider, secret, bucket):
            row.refresh_from_db()
        assert provider.secret == "client secret"
        assert unseal("webhook secret", secret.sealed) == "of a hook"
        assert unseal("storage-bucket", bucket.sealed_credentials) == "{}"

    def test_second_factors_open_with_the_new_key_alone(self, keys: Callable[..., None]) -> None:
        user, encrypt, decrypt = UserFactory(), get_adapter().encrypt, get_adapter().decrypt
        kinds = {
            "totp": {"secret": encrypt("by time")},
            "recovery_codes": {"seed": encrypt("seed"), "used_mask": 3},
        }
        for kind, data in kinds.items():
            Authenticator.objects.create(user=user, type=kind, data=data)
        keys(NEW, OLD)
        assert rotation.rotate()["resealed"] == 2
        keys(NEW)
        by_kind = {row.type: row.data for row in Authenticator.objects.all()}
        assert decrypt(by_kind["totp"]["secret"]) == "by time"
        assert (decrypt(by_kind["recovery_codes"]["seed"]), by_kind["recovery_codes"]["used_mask"]) == (
            "seed",
            3,
        )

    def test_what_no_key_opens_is_counted_and_left_alone(self, keys: Callable[..., None]) -> None:
        keys("a key that was lost long ago, of which nobody knows")
        lost = Secret.objects.create(team=TeamFactory(), name="LOST", sealed=seal("webhook secret", "lost"))
        keys(NEW, OLD)
        assert (rotation.rotate()["unreadable"], Secret.objects.get(pk=lost.pk).sealed) == (1, lost.sealed)

    def test_an_api_key_goes_on_and_is_hashed_anew_when_it_is_used(self, keys: Callable[..., None]) -> None:
        user = UserFactory()
        used, secret = create_api_key(actor=SYSTEM, owner=user, label="used")
        _, idle = create_api_key(actor=SYSTEM, owner=user, label="idle")
        keys(NEW, OLD)
        assert rotation.rotate()["api_keys_to_be_used"] == 2
        assert secrets.actor_of_secret(secret, "127.0.0.1").user_id == user.pk
        assert rotation.rotate()["api_keys_to_be_used"] == 1
        assert ApiKey.objects.get(pk=used.pk).hashed_by == key_fingerprint()
        keys(NEW)
        assert secrets.actor_of_secret(secret, "127.0.0.1").user_id == user.pk
        with pytest.raises(Unauthenticated):
            secrets.actor_of_secret(idle, "127.0.0.1")

    def test_a_key_is_no_good_under_a_former_secret_key_that_was_dropped(
        self, keys: Callable[..., None]
    ) -> None:
        _, secret = create_api_key(actor=SYSTEM, owner=UserFactory(), label="old")
        keys(NEW)
        with pytest.raises(Unauthenticated):
            secrets.actor_of_secret(secret, "127.0.0.1")

    def test_nothing_is_sealed_that_a_running_worker_cannot_read(self, keys: Callable[..., None]) -> None:
        write_heartbeat()
        keys(NEW, OLD)
        with pytest.raises(Conflict, match="restart web and worker first"):
            rotation.rotate()
        write_heartbeat()
        assert rotation.rotate()["unreadable"] == 0

    def test_links_of_invitations_go_on(self, keys: Callable[..., None]) -> None:
        before = hash_of("token")
        keys(NEW, OLD)
        assert hashes_of("token") == [hash_of("token"), before]

    def test_sealed_texts_do_not_open_with_a_key_that_was_dropped(self, keys: Callable[..., None]) -> None:
        sealed = seal("anything", "text")
        keys(NEW)
        with pytest.raises(Unavailable):
            unseal("anything", sealed)


@pytest.mark.django_db
class TestFile:
    """Where the key lies in the data folder."""

    @pytest.fixture
    def file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        path = tmp_path / "secret-key"
        path.write_text(OLD.replace(" ", "-"))
        monkeypatch.setattr(rotation, "SECRET_KEY_FILE", path)
        monkeypatch.delenv("RUNYARD_SECRET_KEY", raising=False)
        return path

    def test_a_new_key_comes_first_and_the_former_is_kept(self, file: Path) -> None:
        former = file.read_text()
        assert rotation.begin()["former_keys"] == 1
        current, *rest = file.read_text().split()
        assert (rest, len(current) >= 64, file.stat().st_mode & 0o777) == ([former], True, 0o600)

    def test_former_keys_are_dropped_when_nothing_needs_them(
        self, file: Path, keys: Callable[..., None]
    ) -> None:
        rotation.begin()
        current, former = file.read_text().split()
        keys(former)
        _, secret = create_api_key(actor=SYSTEM, owner=UserFactory(), label="mine")
        keys(current, former)
        with pytest.raises(Conflict, match="1 API keys were not used"):
            rotation.forget()
        secrets.actor_of_secret(secret, "127.0.0.1")
        assert rotation.forget()["former_keys_dropped"] == 1
        assert file.read_text() == current

    def test_a_key_of_the_environment_is_its_operators(
        self, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("RUNYARD_SECRET_KEY", OLD)
        for act in (rotation.begin, rotation.forget):
            with pytest.raises(Conflict, match="RUNYARD_SECRET_KEY_FALLBACKS"):
                act()


def test_people_and_programs_go_on_over_a_change_of_the_key(new_server: Callable[..., Installation]) -> None:
    """By restarts, as an operator changes it."""
    server = new_server(RUNYARD_SECRET_KEY=OLD)
    with person(server, "rotating-ada", "--password", PASSWORD) as ada:
        idle = server.manage("create_api_key", "rotating-ada", "--label", "idle")["api_key"]
        with signed_in(server, ada.name, PASSWORD) as browser:
            for former in (OLD, ""):
                server.change(RUNYARD_SECRET_KEY=NEW, RUNYARD_SECRET_KEY_FALLBACKS=former)
                assert ada.wire.ask("{ viewer { username } }").status_code == 200
                assert browser.get("/", follow_redirects=False).status_code == 200
                until(lambda: server.management.run(["rotate_secrets"])[0] == 0, "the worker to have the key")
        wire = Wire(server.url, idle)
        with wire.http:
            assert wire.ask("{ viewer { username } }").status_code == 401
