"""TEAM-40: what a team has is moved to its bucket and back, and nothing is lost whatever goes wrong."""

import threading
import time
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from access.models import AuditEntry
from artifacts.models import Content
from artifacts.tests.factories import make_version
from common.errors import Conflict, Forbidden, Invalid
from runs.models import Run, RunFile
from storage import filesystem
from storage.backends.base import StorageUnavailable
from storage.buckets import services as buckets
from storage.contents import writing
from storage.contents.reading import content_of
from storage.models import Blob, Bucket, BucketMove
from storage.services import store_bytes, sweep
from storage.team_buckets import connector, moving
from teams.models import Team
from tests.factories import RunFactory, actor, add_run_file, make_member
from tests.fakes.bucket_fixtures import bucket
from tests.fakes.folder_bucket import FakeProvider, FolderBackend
from tests.waiting import until

__all__ = ["bucket"]
pytestmark = pytest.mark.django_db

OWN = "s3://own/here?region=eu-west-1"
KEYS = {"access_key": "key-of-team", "secret_key": "secret-of-team"}


@pytest.fixture(autouse=True)
def _no_probes_by_http(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder signs addresses that nobody serves; real servers are tried in `test_connector`."""
    monkeypatch.setattr(FolderBackend, "can_sign_downloads", False)


@pytest.fixture
def run(bucket: FakeProvider, settings: Any) -> Run:
    """A run with three files and an artifact, of which three contents are held, all in the data folder."""
    settings.STORAGE_URL = ""
    run = RunFactory()
    for number in range(3):
        add_run_file(run, f"{number}.txt", b"content %d" % number)
    make_version(run.project, files={"model.bin": b"weights"})
    return run


def _connect(team: Team) -> BucketMove:
    move = connector.connect(actor=SYSTEM, team=team, url=OWN, credentials=KEYS)
    buckets.forget()  # which no commit does in a test
    return move


def _finish(move: BucketMove) -> BucketMove:
    """Go on with a move until it has ended or stopped."""
    for _ in range(2):
        BucketMove.objects.filter(pk=move.pk).update(wakes_at=timezone.now())
        with time_machine.travel(timezone.now() + timedelta(hours=2), tick=False):
            moving.go_on(move.pk)
    move.refresh_from_db()
    return move


def _contents(team: Team) -> dict[str, bytes]:
    files = RunFile.objects.filter(run__project__team=team).select_related("blob")
    found = {file.name: content_of(file.blob).read_bytes() for file in files}
    contents = Content.objects.filter(project__team=team).select_related("blob")
    return found | {each.md5: content_of(each.blob).read_bytes() for each in contents}


def test_everything_is_moved_there_and_back(run: Run, bucket: FakeProvider):
    team, before = run.project.team, _contents(run.project.team)
    move = _connect(team)
    assert store_bytes(b"new", team.pk).bucket == move.target, "new content goes there from the start"
    move = _finish(move)
    assert (move.files_done, move.files_left, move.error) == (6, 0, "")
    assert move.finished_at is not None
    assert move.bytes_done == sum(map(len, before.values()))
    assert _contents(team) == before
    assert not moving.misplaced(team.pk, move.target_id).exists()
    with time_machine.travel(timezone.now() + timedelta(hours=30)):
        sweep()
    assert set(Blob.objects.values_list("bucket", flat=True)) == {move.target_id}, "the data folder is free"
    buckets.forget()
    back = _finish(connector.disconnect(actor=SYSTEM, team=team))
    assert (back.files_done, back.target, _contents(team)) == (6, None, before)


def test_what_another_team_has_too_stays_for_it(run: Run):
    other = RunFactory()
    add_run_file(other, "same.txt", b"content 0")
    _finish(_connect(run.project.team))
    file = RunFile.objects.select_related("blob").get(run=other)
    assert file.blob.bucket is None
    assert content_of(file.blob).read_bytes() == b"content 0"


def test_a_move_that_was_killed_goes_on_where_it_was(run: Run, monkeypatch: pytest.MonkeyPatch):
    before, move, put = _contents(run.project.team), _connect(run.project.team), FolderBackend.put
    puts: list[str] = []

    def dying(self: FolderBackend, key: str, *args: Any, **more: Any) -> None:
        puts.append(key)
        put(self, key, *args, **more)
        if len(puts) == 3:
            raise SystemExit

    monkeypatch.setattr(FolderBackend, "put", dying)
    with pytest.raises(SystemExit):
        moving.go_on(move.pk)
    assert _contents(run.project.team) == before
    assert moving.go_on(move.pk) == 0, "until its lease is over it is the dead worker's"
    move = _finish(move)
    assert (move.files_done, move.files_left, len(puts)) == (6, 0, 7)
    assert _contents(run.project.team) == before


def test_a_bucket_that_does_not_answer_stops_it_and_it_goes_on_when_it_is_back(
    run: Run, bucket: FakeProvider
):
    before, move = _contents(run.project.team), _connect(run.project.team)
    bucket.is_down = True
    move = _finish(move)
    assert (move.error, move.files_done, move.files_left) == ("The bucket does not answer.", 0, 6)
    assert _contents(run.project.team) == before
    bucket.is_down = False
    assert _finish(move).finished_at is not None


def test_files_that_cannot_be_read_are_listed_and_hold_up_the_end_alone(run: Run):
    lost = RunFile.objects.select_related("blob").get(run=run, name="0.txt")
    changed = RunFile.objects.select_related("blob").get(run=run, name="1.txt")
    path = filesystem.path_of(lost.blob.location)
    content, other = path.read_bytes(), filesystem.path_of(changed.blob.location)
    path.unlink()
    other.write_bytes(b"rubbish")
    move = _finish(_connect(run.project.team))
    assert move.finished_at is None
    assert move.unreadable == {
        str(lost.blob_id): "It is not there.",
        str(changed.blob_id): "It has other bytes than were stored.",
    }
    assert (move.files_done, move.files_left, move.error[:28]) == (4, 2, "2 files cannot be read; they")
    path.write_bytes(content)
    other.write_bytes(b"content 1")
    move = _finish(move)
    assert (move.finished_at is not None, move.unreadable, move.error) == (True, {}, "")


def test_a_move_lets_others_take_their_turn(run: Run):
    move = _connect(run.project.team)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(moving, "_SLICE_S", -1.0)
        assert moving.go_on(move.pk) == 0
    move.refresh_from_db()
    assert (move.error, move.finished_at, move.files_left > 0) == ("", None, True)
    assert move.wakes_at <= timezone.now()
    assert _finish(move).finished_at is not None


def test_a_worker_moves_for_one_team_at_a_time(run: Run):
    """Its other threads are for all other tasks, however slow a team's bucket is."""
    _connect(run.project.team)
    assert moving._busy.acquire(blocking=False)
    try:
        assert moving.go_on_with_all() == 0
    finally:
        moving._busy.release()
    assert moving.go_on_with_all() > 0


def test_two_moves_of_a_team_are_refused(run: Run):
    _connect(run.project.team)
    with pytest.raises(Conflict, match="being moved"):
        _connect(run.project.team)
    with pytest.raises(Conflict, match="being moved"):
        connector.disconnect(actor=SYSTEM, team=run.project.team)


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_are_one(run: Run):
    target = Bucket.objects.create(url=OWN, folder="teams", team=run.project.team)
    move = BucketMove.objects.create(team=run.project.team, target=target)
    moved: list[int] = []

    def work() -> None:
        moved.append(moving.go_on(move.pk))
        connection.close()

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(moved) == [0, 6]


@pytest.mark.django_db(transaction=True)
def test_a_lease_is_renewed_while_one_file_takes_long(run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(moving, "_RENEWED_EVERY_S", 0.01)
    target = Bucket.objects.create(url=OWN, folder="teams", team=run.project.team)
    move = BucketMove.objects.create(team=run.project.team, target=target)
    place_in, renewed = writing.place_in, threading.Event()

    def wait_for_renewal(*given: Any) -> writing.PlacedContent:
        lease = BucketMove.objects.get(pk=move.pk).wakes_at
        until(lambda: BucketMove.objects.get(pk=move.pk).wakes_at > lease, "a longer lease")
        renewed.set()
        return place_in(*given)

    monkeypatch.setattr(writing, "place_in", wait_for_renewal)
    assert moving.go_on(move.pk) == 6
    assert renewed.is_set()


@pytest.mark.django_db(transaction=True)
def test_a_worker_whose_lease_has_ended_leaves_the_move_to_the_next(
    run: Run, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(moving, "_RENEWED_EVERY_S", 0.01)
    target = Bucket.objects.create(url=OWN, folder="teams", team=run.project.team)
    move = BucketMove.objects.create(team=run.project.team, target=target)
    other, place_in = timezone.now() + timedelta(minutes=3), writing.place_in

    def lose_lease(*given: Any) -> writing.PlacedContent:
        BucketMove.objects.filter(pk=move.pk).update(wakes_at=other)
        time.sleep(0.5)  # it finds that out by itself
        return place_in(*given)

    monkeypatch.setattr(writing, "place_in", lose_lease)
    assert moving.go_on(move.pk) == 1, "what was copied already"
    move.refresh_from_db()
    assert (move.wakes_at, move.error, move.finished_at) == (other, "", None)


def test_only_admins_of_the_organization_connect_and_the_log_has_no_secret(run: Run):
    team = run.project.team
    with pytest.raises(Forbidden):
        connector.connect(actor=actor(make_member(team, Preset.ADMIN)), team=team, url=OWN, credentials=KEYS)
    _connect(team)
    entry = AuditEntry.objects.get(action="team.connect_bucket")
    assert entry.after == {"bucket": "s3://own/here"}
    assert "secret-of-team" not in str(Bucket.objects.values().get())


@pytest.mark.parametrize("url", ["", "own"])
def test_no_bucket_and_no_credentials_are_refused(run: Run, url: str):
    with pytest.raises(Invalid, match="begins with s3"):
        connector.connect(actor=SYSTEM, team=run.project.team, url=url, credentials=KEYS)
    with pytest.raises(Invalid, match="credentials"):
        connector.connect(actor=SYSTEM, team=run.project.team, url=OWN, credentials={"access_key": " "})


def test_a_bucket_that_cannot_be_used_is_not_saved(run: Run, bucket: FakeProvider):
    bucket.is_down = True
    with pytest.raises(StorageUnavailable):
        _connect(run.project.team)
    assert not Bucket.objects.exists()


def test_the_state_of_the_last_check_is_kept(run: Run, bucket: FakeProvider):
    _connect(run.project.team)
    bucket.is_down = True
    found = connector.check_again(actor=SYSTEM, team=run.project.team)
    assert found.check_error == "The bucket does not answer."
    bucket.is_down = False
    found = connector.replace_credentials(actor=SYSTEM, team=run.project.team, credentials=KEYS)
    assert found.check_error == ""
    entry = AuditEntry.objects.get(action="team.replace_bucket_credentials")
    assert entry.after == {"bucket": "s3://own/here"}, "without what opens it"


def test_the_command_moves_and_says_what_is_wrong(
    run: Run, bucket: FakeProvider, tmp_path: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(moving, "SETTLED_AFTER", timedelta())
    name, keys = run.project.team.name, tmp_path / "keys.json"
    keys.write_text('{"access_key": "a", "secret_key": "b"}')
    with pytest.raises(CommandError, match="no team"):
        call_command("move_storage", "nobody", "--to", "default")
    with pytest.raises(CommandError, match="no bucket of its own"):
        call_command("move_storage", name, "--to", "default")
    with pytest.raises(CommandError, match="No move"):
        call_command("move_storage", name, "--resume")
    call_command("move_storage", name, "--to", OWN, "--credentials", str(keys))
    assert "6 files" in capsys.readouterr().out
    bucket.is_down = True
    with pytest.raises(CommandError, match="6 were not: The bucket does not answer"):
        call_command("move_storage", name, "--to", "default")
    bucket.is_down = False
    call_command("move_storage", name, "--resume")
    buckets.forget()
    assert set(RunFile.objects.values_list("blob__bucket", flat=True)) == {None}
    assert buckets.bucket_for(run.project.team_id) is None


def test_all_others_follow_to_a_place_that_the_settings_name_anew(
    run: Run, bucket: FakeProvider, settings: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch
):
    """From the data folder into the installation's bucket; a team with a bucket of its own stays there."""
    monkeypatch.setattr(moving, "SETTLED_AFTER", timedelta())
    other = RunFactory()
    add_run_file(other, "own.txt", b"own")
    own = _finish(_connect(other.project.team)).target
    before = _contents(run.project.team)
    settings.STORAGE_URL = "s3://shared/all?region=eu-west-1"
    buckets.forget()
    bucket.is_down = True
    with pytest.raises(CommandError, match=f"{run.project.team}: .* The bucket does not answer"):
        call_command("move_storage", "--all")
    bucket.is_down = False
    call_command("move_storage", "--all")
    assert "6 files" in capsys.readouterr().out
    shared = buckets.default_bucket()
    assert set(RunFile.objects.exclude(run=other).values_list("blob__bucket", flat=True)) == {
        shared and shared.pk
    }
    assert set(RunFile.objects.filter(run=other).values_list("blob__bucket", flat=True)) == {own and own.pk}
    assert _contents(run.project.team) == before
    call_command("move_storage", "--all")
    assert capsys.readouterr().out.startswith("0 files")
    with pytest.raises(CommandError, match="Name a team"):
        call_command("move_storage", "--to", "default")


def test_what_comes_to_lie_elsewhere_later_is_moved_too(run: Run):
    """A run that was moved into the team, or a draft begun before, has its files where they were."""
    move = _finish(_connect(run.project.team))
    assert moving.begin_late_moves() == 0
    other = RunFactory()
    add_run_file(other, "late.txt", b"late")
    other.project = run.project
    other.save()
    assert (moving.begin_late_moves(), moving.begin_late_moves()) == (1, 0)
    late = moving.under_way(run.project.team_id)
    assert late is not None
    assert (_finish(late).files_done, late.target_id) == (1, move.target_id)


def test_a_bucket_that_was_left_is_forgotten_once_nothing_is_in_it(run: Run, bucket: FakeProvider):
    _finish(_connect(run.project.team))
    buckets.forget()
    _finish(connector.disconnect(actor=SYSTEM, team=run.project.team))
    assert moving.forget_empty_buckets() == 0, "copies are kept for a day"
    with time_machine.travel(timezone.now() + timedelta(hours=30)):
        sweep()
        assert moving.forget_empty_buckets() == 1
    assert not Bucket.objects.exists()
    assert bucket.objects() == {}
