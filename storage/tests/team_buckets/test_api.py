"""TEAM-9, TEAM-40: where a team's files lie, by REST, and teams that begin with a bucket."""

import json
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from runs.models import Run, RunFile
from storage.backends.base import StorageUnavailable
from storage.buckets import services as buckets
from storage.models import Bucket, BucketMove
from storage.tests.team_buckets.places import CREDENTIALS, FIELDS, SECRET, URL, end_of, provider, run
from teams.models import Organization, Team
from teams.tests.visiting import as_user, organization, team, text_of
from tests.factories import basic, leave_open, make_key
from tests.fakes.bucket_fixtures import bucket
from tests.fakes.folder_bucket import FakeProvider, FolderBackend

__all__ = ["as_user", "bucket", "organization", "provider", "run", "team"]
pytestmark = pytest.mark.django_db
PATH = "teams/vision/storage"
BUCKET = {"url": URL, "credentials": CREDENTIALS}


def _ask(who: str, method: str, path: str = PATH, body: Any = None) -> tuple[int, Any]:
    headers = {"Authorization": basic(make_key(User.objects.get(username=who)))}
    content = "" if body is None else json.dumps(body)
    response = Client().generic(
        method, f"/api/v1/{path}", content, content_type="application/json", headers=headers
    )
    buckets.forget()  # which no commit does in a test
    assert SECRET not in response.content.decode()
    return response.status_code, json.loads(response.content)


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> str:
    """Let buckets refuse to be read; returns what they say."""
    why = "The bucket own refuses: the permission s3:GetObject is missing."

    def read(*_args: Any, **_more: Any) -> Any:
        raise StorageUnavailable(why)

    monkeypatch.setattr(FolderBackend, "read", read)
    return why


def test_a_bucket_is_connected_and_files_come_back(run: Run):
    """TEAM-40: from the default storage to a bucket and back, each time with what the move does."""
    assert _ask("ada", "GET") == (
        200,
        {
            "is_own": False, "provider": "folder", "bucket": "", "account": "", "prefix": "", "region": "",
            "endpoint": "", "checked_at": None, "has_failed": False, "error": "", "move": None,
        },
    )  # fmt: skip
    status, told = _ask("chief", "PUT", body=BUCKET)
    assert status == 200, told
    assert (told["is_own"], told["provider"], told["bucket"], told["prefix"]) == (True, "s3", "own", "here")
    assert (told["move"]["files_done"], told["move"]["finished_at"]) == (2, None)
    end_of(BucketMove.objects.get())
    assert _ask("chief", "POST", f"{PATH}/check")[1]["has_failed"] is False
    status, told = _ask("chief", "DELETE")
    assert (status, told["is_own"], told["move"]["files_done"]) == (200, False, 2)
    assert set(RunFile.objects.values_list("blob__bucket", flat=True)) == {None}
    assert end_of(BucketMove.objects.get(finished_at=None)).finished_at is not None
    assert _ask("ada", "GET")[1]["move"]["finished_at"] is not None
    for method, path in (("POST", f"{PATH}/retry"), ("POST", f"{PATH}/check"), ("DELETE", PATH)):
        assert _ask("chief", method, path)[0] == 409


def test_a_refused_bucket_changes_nothing(run: Run, refusing: str):
    status, told = _ask("chief", "PUT", body=BUCKET)
    assert (status, told["error"]["message"]) == (409, refusing)
    assert not Bucket.objects.exists()
    assert _ask("chief", "PUT", body=BUCKET | {"url": "own"})[0] == 400


def test_credentials_are_replaced_after_a_check(run: Run, request: pytest.FixtureRequest):
    _ask("chief", "PUT", body=BUCKET)
    before, others = (
        Bucket.objects.get().sealed_credentials,
        {"credentials": {**CREDENTIALS, "access_key": "b"}},
    )
    assert _ask("chief", "PATCH", body=others)[0] == 200
    after = Bucket.objects.get().sealed_credentials
    assert after != before
    request.getfixturevalue("refusing")
    assert _ask("chief", "PATCH", body=others)[0] == 409
    assert Bucket.objects.get().sealed_credentials == after


def test_what_is_wrong_is_told_to_who_may_mend_it(run: Run, request: pytest.FixtureRequest):
    """TEAM-40: team admins learn that it is."""
    _ask("chief", "PUT", body=BUCKET)
    end_of(BucketMove.objects.get())
    why = request.getfixturevalue("refusing")
    assert _ask("chief", "POST", f"{PATH}/check")[1]["error"] == why
    _ask("chief", "DELETE")
    status, told = _ask("chief", "POST", f"{PATH}/retry")
    assert (status, told["move"]["is_stopped"], told["move"]["unreadable_count"]) == (200, True, 2)
    assert [file["name"] for file in told["move"]["unreadable"]] == [
        "cifar/first: a.txt",
        "cifar/first: b.txt",
    ]
    move = _ask("ada", "GET")[1]["move"]
    assert (move["is_stopped"], move["error"], move["unreadable"]) == (True, "", [])


def test_a_session_left_open_cannot_connect_a_bucket(run: Run, client: Client):
    """ACC-9."""
    client.force_login(User.objects.get(username="chief"))
    leave_open(client)
    response = client.put(f"/api/v1/{PATH}", json.dumps(BUCKET), content_type="application/json")
    assert response.status_code == 403
    assert not Bucket.objects.exists()


class TestNewTeams:
    NEW = {"name": "hearing", "organization": "acme", "storage": BUCKET}
    FORM = {"name": "hearing", "kind": "work", "organization": "acme"}
    FIELDS = {f"storage-{name}": value for name, value in FIELDS.items()}

    def test_begin_with_a_bucket(self, organization: Organization, provider: FakeProvider):
        """TEAM-40: set at team creation; there is nothing to move."""
        status, told = _ask("chief", "POST", "teams/", self.NEW)
        assert status == 201, told
        assert Bucket.objects.get().team == Team.objects.get(name="hearing")
        assert _ask("chief", "GET", "teams/hearing/storage")[1]["move"] is None

    def test_are_not_created_with_one_that_refuses(
        self, organization: Organization, provider: FakeProvider, refusing: str, as_user: Any
    ):
        """TEAM-40."""
        status, told = _ask("chief", "POST", "teams/", self.NEW)
        assert (status, told["error"]["message"]) == (409, refusing)
        response = as_user("chief", "/teams/new", self.FORM | self.FIELDS)
        assert response.status_code == 422
        page = text_of(response)
        assert refusing in page
        assert 'value="own"' in page
        assert SECRET not in page
        assert not Team.objects.filter(name="hearing").exists()

    def test_begin_with_a_bucket_by_the_form(
        self, organization: Organization, provider: FakeProvider, as_user: Any
    ):
        """TEAM-40."""
        missing = as_user("chief", "/teams/new", self.FORM | {"storage-provider": "s3"})
        assert missing.status_code == 422
        assert as_user("chief", "/teams/new", self.FORM | self.FIELDS).status_code == 302
        assert Bucket.objects.get().team == Team.objects.get(name="hearing")

    def test_need_none(self, organization: Organization, provider: FakeProvider, as_user: Any):
        """TEAM-40: the fields of a bucket that nobody chose are not asked for."""
        assert "Default storage of this server" in text_of(as_user("chief", "/teams/new"))
        assert as_user("chief", "/teams/new", self.FORM | {"storage-provider": ""}).status_code == 302
        assert not Bucket.objects.exists()
