"""TEAM-9, TEAM-40: the section of a team's settings that says where its files lie, and changes it."""

from typing import Any

import pytest
from django.test import Client

from access.actor import SYSTEM
from accounts.models import User
from runs.models import Run, RunFile
from storage.backends.base import StorageUnavailable
from storage.backends.settings import build_backend
from storage.buckets import services as buckets
from storage.models import Bucket, BucketMove
from storage.team_buckets import connector
from storage.team_buckets.forms import BucketForm
from storage.tests.team_buckets.places import CREDENTIALS, FIELDS, SECRET, URL, end_of, provider, run
from teams.models import Team
from teams.tests.visiting import as_user, organization, said, team, text_of
from tests.factories import leave_open, make_member
from tests.fakes.bucket_fixtures import bucket
from tests.fakes.buckets import service_account
from tests.fakes.folder_bucket import FakeProvider, FolderBackend

__all__ = ["as_user", "bucket", "organization", "provider", "run", "team"]
pytestmark = pytest.mark.django_db
PAGE = "/teams/vision/bucket"


def _connect(team: Team) -> BucketMove:
    move = connector.connect(actor=SYSTEM, team=team, url=URL, credentials=CREDENTIALS)
    buckets.forget()  # which no commit does in a test
    return move


def _breaking(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def read(*_args: Any, **_more: Any) -> Any:
        raise StorageUnavailable("The bucket own refuses: the permission s3:GetObject is missing.")

    monkeypatch.setattr(FolderBackend, name, read)


class TestSection:
    def test_says_where_files_lie_to_who_sees_the_settings(self, run: Run, as_user: Any):
        """TEAM-9: without a way to change it for those who may not."""
        page = text_of(as_user("ada", PAGE))
        assert "Default storage of this server" in page
        assert "Server data folder" in page
        assert "Organization admins can connect the team’s own bucket" in page
        assert f"{PAGE}/connect" not in page
        assert f"{PAGE}/connect" in text_of(as_user("chief", PAGE))

    def test_names_the_bucket_and_no_secret(self, run: Run, team: Team, as_user: Any):
        """TEAM-9, TEAM-40."""
        end_of(_connect(team))
        for who, may_replace in (("ada", False), ("chief", True)):
            page = text_of(as_user(who, PAGE))
            for shown in ("Amazon S3", ">own<", ">here<", ">eu-west-1<", "Works", "Last move: 2 files"):
                assert shown in page
            assert SECRET not in page
            assert CREDENTIALS["access_key"] not in page
            assert ("Replace credentials" in page) is may_replace

    def test_is_not_for_members(self, team: Team, as_user: Any):
        """TEAM-11."""
        make_member(team, username="bob")
        assert as_user("bob", PAGE).status_code == 403

    def test_shows_how_far_a_move_is_and_asks_again(self, run: Run, team: Team, as_user: Any):
        move = _connect(team)
        page = text_of(as_user("ada", PAGE))
        assert "Moving files to the team’s bucket" in page
        assert 'hx-trigger="every 2s"' in page
        assert "Move files elsewhere" not in text_of(as_user("chief", PAGE)), "one move at a time"
        end_of(move)
        part = text_of(as_user("chief", PAGE, headers={"HX-Request": "true"}))
        assert part.count("team-storage") == 1
        assert "hx-trigger" not in part
        assert "Move files elsewhere" in part

    def test_names_what_cannot_be_read_to_who_may_mend_it(
        self, run: Run, team: Team, provider: FakeProvider, as_user: Any, monkeypatch: pytest.MonkeyPatch
    ):
        """TEAM-40: what a bucket says may tell of its owner's account, so that team admins see that it stopped."""
        end_of(_connect(team))
        connector.disconnect(actor=SYSTEM, team=team)
        buckets.forget()
        _breaking(monkeypatch, "read")
        response = as_user("chief", f"{PAGE}/act", {"act": "retry"})
        assert said(response) == ["Retrying now."]
        page = text_of(as_user("chief", PAGE))
        for shown in (
            "2 files cannot be read", "cifar/first: a.txt", "cifar/first: b.txt", "s3:GetObject", "Retry now",
            "Replace credentials",
        ):  # fmt: skip
            assert shown in page
        page = text_of(as_user("ada", PAGE))
        assert "The move has stopped. Organization admins can see why." in page
        assert "s3:GetObject" not in page
        assert "a.txt" not in page


class TestConnecting:
    def test_a_bucket_takes_all_files(self, run: Run, as_user: Any):
        """TEAM-40: by an organization admin; what was typed becomes an address."""
        response = as_user("chief", f"{PAGE}/connect", FIELDS)
        assert (response.status_code, response["Location"]) == (302, PAGE)
        row = Bucket.objects.get(team=run.project.team)
        assert row.url == URL
        assert SECRET not in row.sealed_credentials
        assert set(RunFile.objects.values_list("blob__bucket", flat=True)) == {row.pk}

    def test_a_refusal_stands_by_the_form_and_nothing_is_saved(
        self, run: Run, as_user: Any, monkeypatch: pytest.MonkeyPatch
    ):
        """TEAM-40: what was typed is kept, but no secret."""
        _breaking(monkeypatch, "read")
        response = as_user("chief", f"{PAGE}/connect", FIELDS)
        page = text_of(response)
        assert response.status_code == 422
        assert "the permission s3:GetObject is missing" in page
        assert 'value="own"' in page
        assert SECRET not in page
        assert not Bucket.objects.exists()

    def test_team_admins_may_not(self, run: Run, as_user: Any):
        for path in ("connect", "credentials"):
            assert as_user("ada", f"{PAGE}/{path}").status_code == 403
            assert as_user("ada", f"{PAGE}/{path}", FIELDS).status_code == 403
        assert as_user("ada", f"{PAGE}/act", {"act": "disconnect"}).status_code == 403
        assert not Bucket.objects.exists()

    def test_a_browser_left_open_is_asked_who_is_there(self, run: Run, as_user: Any, client: Client):
        """ACC-9: a bucket gets everything that the team has."""
        as_user("chief", PAGE)
        leave_open(client)
        response = client.get(f"{PAGE}/connect", headers={"Accept": "text/html"})
        assert response.status_code == 302
        assert "reauthenticate" in response["Location"]

    def test_no_secret_waits_in_a_session_for_who_is_there(self, run: Run, as_user: Any, client: Client):
        """ACC-9: the form is shown again, empty."""
        chief = User.objects.get(username="chief")
        chief.set_password("a long password")
        chief.save()
        as_user("chief", PAGE)
        leave_open(client)
        headers = {"Accept": "text/html", "Referer": f"http://testserver{PAGE}/connect"}
        asked = client.post(f"{PAGE}/connect", FIELDS, headers=headers)
        assert SECRET not in str(dict(client.session))
        back = client.post(asked["Location"], {"password": "a long password"})
        assert back["Location"] == f"{PAGE}/connect"
        assert not Bucket.objects.exists()

    @pytest.mark.parametrize(
        ("given", "url", "credentials"),
        [
            (
                {"provider": "s3-server", "bucket": "files", "endpoint": "https://s3.example.com", "access_key": "a",
                 "secret_key": "s"},
                "s3://files?endpoint=https%3A%2F%2Fs3.example.com", {"access_key": "a", "secret_key": "s"},
            ),
            (
                {"provider": "gs", "bucket": "files", "key_prefix": "a/b", "service_account": service_account()},
                "gs://files/a/b", {"service_account": service_account()},
            ),
            (
                {"provider": "az", "account": "lab", "container": "files", "signature": "sv=1&sig=a",
                 "access_key": "of another provider"},
                "az://lab/files", {"signature": "sv=1&sig=a"},
            ),
        ],
    )  # fmt: skip
    def test_each_provider_has_its_fields(self, given: Any, url: str, credentials: Any):
        form = BucketForm(given)
        assert form.is_valid(), form.errors
        assert (form.url, form.credentials) == (url, credentials)
        build_backend(form.url, form.credentials)

    @pytest.mark.parametrize(
        ("given", "wrong"),
        [
            ({"provider": "s3"}, {"bucket", "region", "access_key", "secret_key"}),
            ({"provider": "gs", "bucket": "b"}, {"service_account"}),
            ({"provider": "az", "account": "lab", "container": "files"}, {"account_key"}),
            ({"provider": "az", "account": "lab", "container": "files", "account_key": "a", "signature": "b"},
             {"account_key"}),
            ({"provider": "ftp"}, {"provider"}),
        ],
    )  # fmt: skip
    def test_what_is_missing_is_said_by_its_field(self, given: Any, wrong: set[str]):
        assert BucketForm(given).errors.keys() >= wrong


class TestConnected:
    @pytest.fixture(autouse=True)
    def _connected(self, run: Run, team: Team) -> None:
        end_of(_connect(team))
        buckets.forget()

    def test_a_check_keeps_what_is_wrong(self, as_user: Any, monkeypatch: pytest.MonkeyPatch):
        assert said(as_user("chief", f"{PAGE}/act", {"act": "check"})) == ["The check passed."]
        _breaking(monkeypatch, "read")
        assert said(as_user("chief", f"{PAGE}/act", {"act": "check"})) == ["The check found a problem."]
        assert "s3:GetObject" in text_of(as_user("chief", PAGE))
        page = text_of(as_user("ada", PAGE))
        assert "Failing" in page
        assert "s3:GetObject" not in page

    def test_credentials_are_replaced_after_a_check(self, as_user: Any, monkeypatch: pytest.MonkeyPatch):
        before = Bucket.objects.get().sealed_credentials
        path, other = f"{PAGE}/credentials", {"access_key": "new", "secret_key": "new"}
        with monkeypatch.context() as broken:
            _breaking(broken, "read")
            assert as_user("chief", path, other).status_code == 422
        assert Bucket.objects.get().sealed_credentials == before
        assert as_user("chief", path, {"access_key": "new"}).status_code == 422, "a part of them"
        assert as_user("chief", path, other).status_code == 302
        assert Bucket.objects.get().sealed_credentials != before

    def test_files_go_back(self, run: Run, as_user: Any):
        """TEAM-40."""
        response = as_user("chief", f"{PAGE}/act", {"act": "disconnect"})
        assert said(response) == ["Files are being moved back to the default storage."]
        assert set(RunFile.objects.values_list("blob__bucket", flat=True)) == {None}
        assert "Moving files back to the default storage" in text_of(as_user("chief", PAGE))
        assert said(as_user("chief", f"{PAGE}/act", {"act": "disconnect"})) == [
            "Files of this team are being moved. Wait for the move to finish."
        ]

    def test_what_is_no_act_does_nothing(self, as_user: Any):
        assert as_user("chief", f"{PAGE}/act", {"act": "burn"}).status_code == 302
        assert as_user("chief", f"{PAGE}/act", {"act": "retry"}).status_code == 302
        assert Bucket.objects.filter(team__name="vision").exists()


def test_checks_are_counted(run: Run, as_user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connector, "count", lambda *_args, **_more: 42)
    response = as_user("chief", f"{PAGE}/connect", FIELDS)
    assert "20 times per minute" in text_of(response)
    assert not Bucket.objects.exists()
