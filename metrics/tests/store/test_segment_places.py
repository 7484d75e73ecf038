"""Segments in files, the database and the bucket: where they lie, what fails, what is swept (TEAM-40)."""

import hashlib
import os
import time
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db.models import ProtectedError
from django.urls import reverse
from django.utils import timezone

from common.backups.elsewhere import data_elsewhere
from metrics.models import ReplacedSegment, Segment, SegmentStore, Stream, StreamKind, Tail
from metrics.series import charts
from metrics.store import (
    compaction,
    moving,
    naming,
    reads,
    row_blocks,
    segment_cache,
    segment_storage,
    sweeping,
)
from metrics.store.segment_bucket import BucketSegmentStorage
from metrics.tests.store.test_packing import _small, cold_store, filled, line, packed, send, stream_of
from storage.backends.base import StorageUnavailable
from storage.buckets import services as buckets
from storage.models import Blob, Bucket
from storage.services import store_bytes, sweep_strays
from tests.factories import RunFactory, basic, make_key, make_member
from tests.fakes.bucket_fixtures import bucket

__all__ = ["_small", "bucket", "cold_store"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def in_bucket(bucket, settings):
    """Let new segments go to a bucket, of which no copies are kept."""
    settings.SEGMENT_STORE = "bucket"
    settings.STORAGE_CACHE_BYTES = 0
    return bucket


def steps_of(run):
    return [row["_step"] for _, row in reads.scan(run.pk, StreamKind.HISTORY)]


def objects_of(provider):
    return {path for path in provider.objects() if "/segments/objects/" in path}


def age(provider):
    """Let everything in a bucket be of yesterday."""
    for path in provider.root.rglob("*"):
        os.utime(path, (time.time() - 86400,) * 2)


# -- which place -----------------------------------------------------------------------------------------------------


def test_a_segment_lies_where_its_row_says(cold_store, settings):
    """MET-7: whatever the setting is later, and whichever bucket it names."""
    run = filled(40)
    packed(run)
    segment = Segment.objects.get()
    assert (segment.store, segment.bucket_id) == (cold_store.store, cold_store.bucket_id)
    settings.STORAGE_URL = "s3://another/bucket?region=eu-west-1"
    buckets.forget()
    for store in ("files", "database", "bucket"):
        settings.SEGMENT_STORE = store
        segment_cache.clear_cache()
        assert steps_of(run) == list(range(40))


def test_segments_of_a_team_with_a_bucket_of_its_own_stay_with_the_installation(in_bucket):
    """TEAM-40."""
    run = filled(40)
    Bucket.objects.create(url="s3://theirs", team=run.project.team, folder="x", sealed_credentials="sealed")
    packed(run)
    assert Segment.objects.get().bucket == buckets.default_bucket()


def test_small_segments_elsewhere_are_merged_into_the_configured_place(settings, in_bucket):
    settings.SEGMENT_STORE = "files"
    run = RunFactory()
    for start, store in ((0, "files"), (6, "database"), (12, "bucket")):
        settings.SEGMENT_STORE = store
        send(run, [line(step, loss=1.0) for step in range(start, start + 6)], offset=start)
        packed(run)
    assert list(Segment.objects.values_list("row0", "row_count", "store")) == [(0, 18, SegmentStore.BUCKET)]
    assert steps_of(run) == list(range(18))


def test_a_backup_says_how_much_lies_in_the_bucket_which_is_not_forgotten(in_bucket):
    packed(filled(40))
    size = Segment.objects.get().size_bytes
    told = {"where": "s3://files/runyard (packed metrics)", "files": 1, "bytes": size}
    assert told in data_elsewhere()
    with pytest.raises(ProtectedError):
        Bucket.objects.get().delete()


def test_what_was_just_written_is_read_from_a_copy_on_the_disk(bucket, settings):
    settings.SEGMENT_STORE = "bucket"
    run = filled(40)
    packed(run)
    bucket.asked.clear()
    assert steps_of(run) == list(range(40))
    assert bucket.asked == []
    for path in Path(settings.STORAGE_CACHE_FOLDER).iterdir():
        path.unlink()
    assert steps_of(run) == list(range(40))
    assert {method for method, _key in bucket.asked} == {"read"}


# -- reading ---------------------------------------------------------------------------------------------------------


def test_a_chart_asks_for_the_parts_it_draws_at_once(in_bucket, monkeypatch):
    """One request for neighbouring parts of a segment, and none for what is remembered."""
    run = RunFactory()
    for start in range(0, 120, 40):
        rows = [
            line(step, **{f"key{number}": float(step) for number in range(50)})
            for step in range(start, start + 40)
        ]
        send(run, rows, offset=start)
    assert packed(run).packed == 3
    segment_cache.clear_cache()
    in_bucket.asked.clear()
    request = charts.ChartRequest(StreamKind.HISTORY, ["key7", "key8"])
    [drawn] = charts.series_of_runs([run.pk], request)
    assert drawn.by_key["key7"].x.size == 120
    assert [method for method, _key in in_bucket.asked] == ["read"] * 3
    list(charts.series_of_runs([run.pk], request))
    assert len(in_bucket.asked) == 3


def test_charts_of_many_runs_are_fetched_side_by_side(in_bucket, monkeypatch):
    """So that they wait for one round trip, not for one a run; every request here waits for another."""
    from threading import Barrier

    runs = [filled(40) for _ in range(4)]
    for run in runs:
        packed(run)
    segment_cache.clear_cache()
    barrier = Barrier(len(runs), timeout=60)
    plain = BucketSegmentStorage.read

    def together(self, *given):
        barrier.wait()
        return plain(self, *given)

    monkeypatch.setattr(BucketSegmentStorage, "read", together)
    request = charts.ChartRequest(StreamKind.HISTORY, ["loss"])
    drawn = list(charts.series_of_runs([run.pk for run in runs], request))
    assert [one.by_key["loss"].x.size for one in drawn] == [40] * 4


def test_distant_parts_are_asked_for_apart_and_long_rows_in_windows(in_bucket, monkeypatch):
    from metrics.store import fetching

    monkeypatch.setattr(fetching, "_GAP_BYTES", 0)
    monkeypatch.setattr(fetching, "_LARGEST_REQUEST", 100)
    monkeypatch.setattr(fetching, "_BYTES_AHEAD", 500)
    run = filled(200)
    packed(run)
    segment_cache.clear_cache()
    in_bucket.asked.clear()
    assert steps_of(run) == list(range(200))
    assert len(in_bucket.asked) > Segment.objects.count()


# -- a bucket that is down -------------------------------------------------------------------------------------------


def test_packing_stops_at_a_bucket_that_is_down_and_goes_on_later(in_bucket, caplog):
    runs = [filled(40) for _ in range(3)]
    in_bucket.is_down = True
    assert compaction.pack_due_streams(10) == compaction.PackingReport()
    assert [method for method, _key in in_bucket.asked].count("put") == 1
    assert "rows stay in the tail" in caplog.text
    assert not Segment.objects.exists()
    assert not Stream.objects.exclude(leased_until=None).exists()
    assert [steps_of(run) for run in runs] == [list(range(40))] * 3
    in_bucket.is_down = False
    assert compaction.pack_due_streams(10).packed == 3


def test_whoever_reads_from_a_bucket_that_is_down_hears_503(in_bucket, client):
    """Never an error of the server, and never an answer without the points."""
    run = filled(40)
    user = make_member(run.project.team)
    client.force_login(user)
    rest = {"Authorization": basic(make_key(user))}
    packed(run)
    segment_cache.clear_cache()
    in_bucket.is_down = True
    names = [run.project.team.name, run.project.name]
    run_names = [*names, run.uid]
    query = {"keys": ["loss"], "run": [run.uid]}
    page = [
        client.get(reverse("metrics:project_series", args=names), query),
        client.get(reverse("metrics:run_export", args=[*run_names, "history", "jsonl"])),
        client.get(reverse("metrics:run_export", args=[*run_names, "history", "csv"])),
        client.get(f"/api/v1/runs/{run.pk}/series/", {"keys": "loss"}, headers=rest),
        client.get(f"/api/v1/runs/{run.pk}/history/", headers=rest),
    ]
    asked = {
        "query": "query($e: String!, $p: String!, $r: String!) {"
        " project(name: $p, entityName: $e) { run(name: $r) { history(minStep: 0, maxStep: 50) } } }",
        "variables": {"e": names[0], "p": names[1], "r": run.uid},
    }
    page.append(client.post("/graphql", asked, content_type="application/json", headers=rest))
    found = [(answer.status_code, "does not answer" in answer.content.decode()) for answer in page]
    assert found == [(503, True)] * len(page)


def test_what_needs_no_bucket_is_shown_while_it_is_down(in_bucket, settings):
    tail = filled(5)
    settings.SEGMENT_STORE = "files"
    at_hand = filled(40)
    packed(at_hand)
    settings.SEGMENT_STORE = "bucket"
    away = filled(40)
    packed(away)
    send(away, [line(step, other=1.0) for step in range(40, 43)], offset=40)
    segment_cache.clear_cache()
    in_bucket.is_down = True
    assert [len(steps_of(run)) for run in (tail, at_hand)] == [5, 40]
    assert reads.key_stats([away.pk], StreamKind.HISTORY)[away.pk]["loss"].count == 40, (
        "the row has its index"
    )
    live = charts.ChartRequest(StreamKind.HISTORY, ["other"], since={away.pk: 40})
    [drawn] = charts.series_of_runs([away.pk], live)
    assert drawn.by_key["other"].x.tolist() == [40, 41, 42]
    with pytest.raises(StorageUnavailable):
        steps_of(away)


def test_a_post_that_is_compared_with_a_segment_waits_for_the_bucket(in_bucket):
    """It is answered 503 and sent again: neither stored twice nor set aside."""
    from metrics.ingest import committer
    from metrics.tests.ingest.test_ingest import post

    run = filled(40)
    packed(run)
    segment_cache.clear_cache()
    again = post(run, history=(35, [line(step, loss=step / 3) for step in range(35, 45)]))
    in_bucket.is_down = True
    for _ in range(2):
        assert isinstance(committer._store_alone(again), StorageUnavailable)
    in_bucket.is_down = False
    assert not isinstance(committer._store_alone(again), Exception)
    assert steps_of(run) == list(range(45))


def test_a_bucket_that_gives_less_is_found_out(in_bucket):
    run = filled(40)
    packed(run)
    in_bucket.damage = b"short"
    with pytest.raises(StorageUnavailable, match="gives less"):
        steps_of(run)


# -- what is swept ---------------------------------------------------------------------------------------------------


def test_what_was_replaced_stays_an_hour_however_old_it_is(cold_store, monkeypatch):
    """A chart that has just looked the old segments up still reads them."""
    run = RunFactory()
    for start in (0, 6):
        send(run, [line(step, loss=1.0) for step in range(start, start + 6)], offset=start)
        packed(run)
    old = list(row_blocks.blocks(run.pk, StreamKind.HISTORY))
    monkeypatch.setattr(sweeping, "ORPHAN_AFTER", -timedelta(minutes=1))  # everything is old ...
    send(run, [line(step, loss=1.0) for step in range(12, 18)], offset=12)
    packed(run)
    ReplacedSegment.objects.update(replaced_at=timezone.now() + timedelta(minutes=2))  # ... but for this
    assert sweeping.sweep() == 0
    assert sum(block.batch().row_count for block in old) == 12
    ReplacedSegment.objects.update(replaced_at=timezone.now())
    assert sweeping.sweep() == 3
    assert not ReplacedSegment.objects.exists()
    assert steps_of(run) == list(range(18))


def test_sweeps_of_files_and_of_segments_do_not_see_each_other(in_bucket, monkeypatch):
    blob = store_bytes(b"a file")
    run = filled(40)
    packed(run)
    assert blob.bucket is not None
    backends = [buckets.backend_of(blob.bucket.pk, part) for part in ("", "segments")]
    keys = [list(backend.keys(timezone.now() + timedelta(hours=1))) for backend in backends]
    assert keys == [[blob.location], [f"{Segment.objects.get().name[:2]}/{Segment.objects.get().name}"]]
    age(in_bucket)
    Blob.objects.update(seen_at=timezone.now())
    assert (sweep_strays(), sweeping.sweep()) == (0, 0)
    assert len(in_bucket.objects()) == 2
    Segment.objects.all().delete()
    assert (sweep_strays(), sweeping.sweep()) == (0, 1)
    assert list(in_bucket.objects().values()) == [b"a file"]


@pytest.mark.parametrize("url", ["s3://files?region=eu-west-1", "s3://files/a/b?region=eu-west-1"])
def test_folders_of_real_buckets_lie_beside_each_other(url, settings):
    """At a bucket's root, too, neither prefix begins with the other."""
    settings.STORAGE_KEY, settings.STORAGE_SECRET, settings.STORAGE_URL = "key", "secret", url
    bucket = Bucket(url=url, folder="abc")
    blobs, cold = (buckets.open_bucket(bucket, part).bucket.prefix for part in ("", "segments"))  # type: ignore[attr-defined] # S3's
    assert (blobs[-12:], cold[-21:]) == ("abc/objects/", "abc/segments/objects/")
    assert not blobs.startswith(cold)
    assert not cold.startswith(blobs)


def test_two_installations_at_one_address_leave_each_others_segments_alone(in_bucket):
    packed(filled(40))
    theirs = in_bucket.root / "files/runyard/of-another/segments/objects/ab/abcdef"
    theirs.parent.mkdir(parents=True)
    theirs.write_bytes(b"theirs")
    age(in_bucket)
    assert sweeping.sweep() == 0
    Segment.objects.all().delete()
    assert sweeping.sweep() == 1
    assert list(in_bucket.objects().values()) == [b"theirs"]


def test_a_bucket_that_is_down_is_swept_later_and_the_others_are_swept_all_the_same(
    in_bucket, settings, caplog
):
    for store in ("files", "bucket"):
        settings.SEGMENT_STORE = store
        packed(filled(40))
    Segment.objects.all().delete()
    in_bucket.is_down = True
    sweeping.ORPHAN_AFTER, before = -timedelta(hours=1), sweeping.ORPHAN_AFTER
    try:
        assert sweeping.sweep() == 1
        assert "not swept" in caplog.text
        in_bucket.is_down = False
        assert sweeping.sweep() == 1
    finally:
        sweeping.ORPHAN_AFTER = before


def test_a_crash_between_content_and_row_leaves_the_rows_in_the_tail(cold_store, monkeypatch):
    run = filled(40)

    def crash(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(compaction, "lock_stream", crash)
    with pytest.raises(KeyboardInterrupt):
        packed(run)
    assert (Segment.objects.count(), Tail.objects.filter(run=run).count()) == (0, 8)
    assert len(list(cold_store.names(timezone.now() + timedelta(hours=1)))) == 1
    assert steps_of(run) == list(range(40))
    monkeypatch.setattr(sweeping, "ORPHAN_AFTER", -timedelta(hours=1))
    assert sweeping.sweep() == 1
    monkeypatch.setattr(compaction, "lock_stream", naming.lock_stream)
    assert packed(run).packed == 1
    assert steps_of(run) == list(range(40))


def test_a_database_of_before_a_merge_and_a_move_finds_the_rows_again(in_bucket, settings, monkeypatch):
    """So a backup is of use whose segments were replaced in the bucket since."""
    run = RunFactory()
    for start in (0, 6):
        send(run, [line(step, loss=1.0) for step in range(start, start + 6)], offset=start)
        packed(run)
    moved = filled(40)
    packed(moved)
    backup = list(Segment.objects.order_by("pk"))
    monkeypatch.setattr(compaction, "MERGE_AT", 2)
    packed(run)
    settings.STORAGE_URL = "s3://another?region=eu-west-1"
    buckets.forget()
    assert move("bucket").moved == 2
    monkeypatch.setattr(sweeping, "ORPHAN_AFTER", -timedelta(hours=1))
    assert sweeping.sweep() == 4
    Segment.objects.all().delete()
    Segment.objects.bulk_create(backup)
    with pytest.raises(FileNotFoundError):
        steps_of(run)
    out = StringIO()
    call_command("recover_segments", stdout=out)
    assert '"recovered": 2' in out.getvalue()
    assert [len(steps_of(one)) for one in (run, moved)] == [12, 40]
    assert Segment.objects.count() == 2


def test_a_database_of_before_a_merge_with_later_rows_takes_back_its_own(in_bucket, monkeypatch):
    """Those of after the backup are in its tail, or it never had them; where some contents are still there, too."""
    run = RunFactory()
    for start in (0, 6):
        send(run, [line(step, loss=1.0) for step in range(start, start + 6)], offset=start)
        packed(run)
    send(run, [line(step, loss=1.0) for step in (12, 13)], offset=12)
    stream, segments, tails = stream_of(run), list(Segment.objects.order_by("pk")), list(Tail.objects.all())
    send(run, [line(step, loss=1.0) for step in range(14, 24)], offset=14)
    packed(run)
    monkeypatch.setattr(compaction, "MERGE_AT", 3)
    packed(run)
    storage = segment_storage.configured_storage()
    storage.delete([segments[1].name])
    stream.save()
    Segment.objects.all().delete()
    Segment.objects.bulk_create(segments)
    Tail.objects.all().delete()
    Tail.objects.bulk_create(tails)
    with pytest.raises(FileNotFoundError):
        steps_of(run)
    out = StringIO()
    call_command("recover_segments", stdout=out)
    assert '"recovered": 1' in out.getvalue()
    assert steps_of(run) == list(range(14))
    assert [segment.row_to for segment in Segment.objects.all()] == [12]


# -- moving ----------------------------------------------------------------------------------------------------------


def move(store):
    *_, progress = [moving.MoveProgress(), *moving.move_all(segment_storage.STORAGES[store]())]
    return progress


def digests():
    found = {}
    for segment in Segment.objects.all():
        storage = segment_storage.storage_of(segment)
        content = storage.read_stored(segment.name, 0, storage.size(segment.name))
        found[segment.stream_id, segment.row0] = hashlib.sha256(content).hexdigest()
    return found


@pytest.mark.parametrize("target", ["files", "database", "bucket", "clickhouse"])
@pytest.mark.usefixtures("clickhouse", "in_bucket")
def test_all_segments_are_moved_and_read_as_before(cold_store, target, settings, monkeypatch):
    """MET-7: byte by byte, and their rows but for the name and the place."""
    out = StringIO()
    settings.SEGMENT_STORE = cold_store.store.name.lower()
    runs = [filled(100), filled(40)]
    for run in runs:
        packed(run)
    before, names = digests(), set(Segment.objects.values_list("name", flat=True))
    call_command("move_segments", to=target, stdout=out)
    aim = segment_storage.STORAGES[target]()
    moved = 0 if target == settings.SEGMENT_STORE else 4
    assert f"{moved} segments" in out.getvalue()
    assert set(Segment.objects.values_list("store", "bucket")) == {(aim.store, aim.bucket_id)}
    assert digests() == before
    segment_cache.clear_cache()
    assert [len(steps_of(run)) for run in runs] == [100, 40]
    assert set(ReplacedSegment.objects.values_list("name", flat=True)) == (names if moved else set())
    monkeypatch.setattr(sweeping, "ORPHAN_AFTER", -timedelta(hours=1))
    assert sweeping.sweep() == moved
    segment_cache.clear_cache()
    assert [len(steps_of(run)) for run in runs] == [100, 40]
    assert move(target).moved == 0


def test_a_move_goes_on_where_a_bucket_failed(in_bucket, settings):
    settings.SEGMENT_STORE = "files"
    run = filled(100)
    packed(run)
    moves = moving.move_all(segment_storage.STORAGES["bucket"]())
    assert next(moves).moved == 1
    in_bucket.is_down = True
    with pytest.raises(StorageUnavailable):
        next(moves)
    with pytest.raises(CommandError, match=r"does not answer.*Run it again"):
        call_command("move_segments", to="bucket")
    in_bucket.is_down = False
    segment_cache.clear_cache()
    assert steps_of(run) == list(range(100))
    assert move("bucket").moved == 2
    assert steps_of(run) == list(range(100))


@pytest.mark.parametrize("act", ["merge", "delete"])
def test_a_segment_that_goes_while_it_is_moved_is_passed_over(in_bucket, settings, act, monkeypatch):
    settings.SEGMENT_STORE = "files"
    run = filled(40)
    packed(run)
    plain = moving._require_same

    def meanwhile(*given):
        plain(*given)
        if act == "delete":
            Segment.objects.all().delete()
            Stream.objects.all().delete()
        else:
            Segment.objects.update(name="of-another")

    monkeypatch.setattr(moving, "_require_same", meanwhile)
    progress = move("bucket")
    assert (progress.moved, progress.overtaken) == (0, 1)
    assert objects_of(in_bucket) == set()


def test_a_damaged_segment_stays_and_is_named(in_bucket, settings, caplog):
    settings.SEGMENT_STORE = "files"
    run = filled(80)
    packed(run)
    first, _second = Segment.objects.order_by("row0")
    path = Path(settings.SEGMENT_ROOT) / first.name[:2] / first.name
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(CommandError, match="1 segments cannot be read"):
        call_command("move_segments", to="bucket")
    assert first.name in caplog.text
    assert list(Segment.objects.order_by("row0").values_list("store", flat=True)) == [0, 2]


def test_what_a_bucket_gives_back_otherwise_is_not_named(in_bucket, settings):
    settings.SEGMENT_STORE = "files"
    run = filled(40)
    packed(run)
    in_bucket.damage = b"x" * Segment.objects.get().size_bytes
    with pytest.raises(StorageUnavailable, match="read back otherwise"):
        move("bucket")
    assert Segment.objects.get().store == SegmentStore.FILES
    assert steps_of(run) == list(range(40))


def test_rows_come_while_a_stream_is_moved(in_bucket, settings):
    settings.SEGMENT_STORE = "files"
    run = filled(40)
    packed(run)
    moves = moving.move_all(segment_storage.STORAGES["bucket"]())
    settings.SEGMENT_STORE = "bucket"
    send(run, [line(step, loss=step / 3) for step in range(40, 60)], offset=40)
    assert next(moves).moved == 1
    packed(run)
    assert list(moves) == []
    assert steps_of(run) == list(range(60))
    assert stream_of(run).packed_to == 60
