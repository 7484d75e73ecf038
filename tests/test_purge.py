"""What is deleted is freed, once: rows of every table, segments, files, the ledger (RUN-7, RUN-9, MET-6, BIL-4)."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta

import pytest
import time_machine
from django.apps import apps
from django.db import connection
from django.db.models import Model, Sum
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from access.actor import SYSTEM
from access.models import AuditEntry
from alerts.models import Delivery, Event, Message
from artifacts.lineage.services import use_version
from artifacts.models import Output, Use, Version
from artifacts.tests.factories import make_version
from automations.models import Automation, AutomationRun, MetricCursor
from common.errors import DomainError, Gone
from ingest.authorization.checks import _check_run
from metrics.ingest.branching import fork_run, rewind_run
from metrics.ingest.transaction import write_group
from metrics.models import Export, Segment, Stream, StreamKind, Tail
from metrics.store import compaction, segment_storage, sweeping
from metrics.tests.ingest.test_ingest import history, post, rows_of
from runs.bulk_actions import deletion
from runs.files.announced_files import announce
from runs.files.refused_files import record_refused_file
from runs.files.services import delete_run_file, receive_run_file
from runs.ingest.refused_posts import RefusedPostCount, record_refused_posts
from runs.lifecycle import participants, purge, storage_ledger
from runs.lifecycle import services as lifecycle
from runs.lifecycle.alerts import send_alert
from runs.lifecycle.fields import RunFields
from runs.logs import compaction as logs
from runs.models import Pulse, Run, RunAlias, RunFile, RunWriter, StateChange
from runs.tasks import purge_runs
from storage import filesystem
from storage.models import Blob, ByteEntry, Holding
from storage.services import store_bytes, stored_bytes, sweep
from sweeps.lifecycle.deletion import delete_sweep
from sweeps.lifecycle.services import create_sweep
from sweeps.models import Sweep, SweepAgent, Trial
from sweeps.tasks import purge as purge_sweeps
from tests.factories import RunFactory, add_run_file, basic, make_member
from tests.fakes.bucket_fixtures import bucket

__all__ = ["bucket"]
pytestmark = pytest.mark.django_db

KEPT = {
    StateChange: "hours of past periods are counted from it (BIL-4)",
    RunAlias: "a former id is not used again, as the id itself",
    Version: "artifacts outlive the runs that logged them (ART-3)",
    Output: "lineage says that a run logged the version, though it is gone",
    Use: "lineage says that a run used the version, though it is gone",
    Trial: "a sweep hands out no arguments twice, and says which it tried",
    Run: "a fork or a rewound run says what it was made from; the tombstone stays",
}


SWEEP = "{method: grid, parameters: {lr: {values: [1, 2]}}}"


@pytest.fixture(autouse=True)
def _small(monkeypatch, tmp_path, settings):
    settings.SEGMENT_ROOT = tmp_path / "segments"
    settings.BLOB_ROOT = tmp_path / "blobs"
    monkeypatch.setattr(compaction, "PACK_AT_ROWS", 6)
    monkeypatch.setattr(compaction, "PACK_ENDED_AT_ROWS", 3)


@pytest.fixture(params=["files", "database", "bucket"])
def cold_store(request, settings):
    if request.param == "bucket":
        request.getfixturevalue("bucket")
    settings.SEGMENT_STORE = request.param
    return segment_storage.configured_storage()


def names_in(cold_store):
    return set(cold_store.names(timezone.now() + timedelta(hours=2)))


def full_run(posts=4, **fields):
    """Return an ended run with a row in every table, packed in part, and 24 bytes in two files."""
    own = '{"e": {"w1": {"host": "gpu-01", "os": "Linux"}}}'
    config = f'{{"lr": {{"value": 0.1}}, "_wandb": {{"value": {own}}}}}'
    run = RunFactory(config_text=config, notes="secret", tags=["a"], **fields)
    RunAlias.objects.create(project=run.project, uid=f"{run.uid}-command", run=run)
    for number in range(posts):
        system = (number, [{"_timestamp": 1000.0 + number, "system.cpu": 1.5}])
        lines = [*history(number * 3, 3), "{no json"] if number == posts - 1 else history(number * 3, 3)
        write_group([post(run, history=(number * 3, lines), system=system, log=(number, [f"line {number}"]))])
    compaction.pack_stream(Stream.objects.get(run=run, kind=StreamKind.HISTORY).pk)
    write_group(
        [post(run, history=(posts * 3 + 1, history(posts * 3 + 1, 1)), summary='{"loss": 1}', complete=0)]
    )
    MetricCursor.objects.create(run=run, kind=StreamKind.HISTORY, stream=0, row=1, at=timezone.now())
    Export.objects.create(stream=Stream.objects.get(run=run, kind=StreamKind.HISTORY), row_from=0, row_to=3)
    send_alert(actor=SYSTEM, run=run, title="t", text="", level="INFO", wait=timedelta())
    add_alert(run)
    announce(run, ["never-sent.bin"])
    RunWriter.objects.create(run=run, writer="w")
    record_refused_file({"r": run.pk, "n": "big.bin"}, "no room")
    record_refused_posts(
        [RefusedPostCount(run.pk, "RUNYARD_RUN_POST_RATE", 3, timezone.now(), timezone.now())]
    )
    add_run_file(run, "a.txt", b"shared by runs")
    add_run_file(run, "b.txt", f"own of {run.pk:4}".encode())
    run.refresh_from_db()
    return run


def add_artifact(run):
    """Let a run have logged a version, and used it."""
    use_version(actor=SYSTEM, run=run, version=make_version(run.project, f"of-{run.uid}", run=run))


def add_trial(run):
    """Let an agent of a sweep have been given the run."""
    sweep, _warnings = create_sweep(actor=SYSTEM, project=run.project, config_text=SWEEP)
    Trial.objects.create(sweep=sweep, number=1, args={"lr": 1}, run_uid=run.uid, run=run)


def add_alert(run):
    """Let an automation have acted for the run, and a message have told of it."""
    team, now = run.project.team, timezone.now()
    automation = Automation.objects.create(
        team=team, name=f"watch {run.pk}", event="RUN_STATE", action="NO_OP"
    )
    AutomationRun.objects.create(automation=automation, run=run, fired_at=now)
    message = Message.objects.create(recipient=f"automation:{automation.pk}", automation=automation, team=team,
                                     send_at=now, request="secret", response="secret")  # fmt: skip
    Delivery.objects.create(
        event=Event.objects.filter(run=run).latest("pk"), message=message, recipient=message.recipient
    )


def deleted(run, days=8):
    deletion.delete_run(actor=SYSTEM, run=run)
    Run.objects.filter(pk=run.pk).update(deleted_at=timezone.now() - timedelta(days=days))
    return run


def pointing_at_runs() -> list[tuple[type[Model], str]]:
    """Return (model, lookup) of every key to a run, at whatever distance."""
    found: list[tuple[type[Model], str]] = []
    waiting: list[tuple[type[Model], str]] = [(Run, "")]
    while waiting:
        target, path = waiting.pop()
        for model in apps.get_models(include_auto_created=True):
            for field in model._meta.get_fields():
                if field.is_relation and field.concrete and field.related_model is target:
                    lookup = f"{field.name}__{path}" if path else field.name
                    found.append((model, lookup))
                    if model not in {Run, Version}:  # what is kept keeps what belongs to it
                        waiting.append((model, lookup))
    return found


def held_by_category(run):
    """Return what a run holds, after a look that the ledger's entries say the same and that it really does."""
    held = dict(Holding.objects.filter(run_id=run.pk).values_list("category", "size_bytes"))
    entered = ByteEntry.objects.filter(run_id=run.pk).values("category").order_by()
    sums = dict(entered.annotate(held=Sum("delta_bytes")).values_list("category", "held"))
    really = {
        name: participants.stored_bytes(name, [run.pk]).get(run.pk, 0) for name in storage_ledger.CATEGORIES
    }
    assert held == {name: size for name, size in sums.items() if size}
    assert held == {name: size for name, size in really.items() if size}
    return held


def counts_of(run):
    return {
        (model, lookup): model._default_manager.filter(**{lookup: run}).count()
        for model, lookup in pointing_at_runs()
    }


# -- everything, and only that ---------------------------------------------------------------------------------------


def test_every_table_that_points_at_a_run_is_purged(cold_store, django_capture_on_commit_callbacks):
    """A table that is added later must have a row in `full_run`, and a part that removes it or a reason in KEPT."""
    run, other = full_run(), full_run()
    for each in (run, other):
        add_artifact(each)
        add_trial(each)
    fork = RunFactory(project=run.project)
    fork_run(actor=SYSTEM, run=fork, parent_uid=run.uid, step=2)
    archive = RunFactory(project=run.project)
    Run.objects.filter(pk=archive.pk).update(archive_of=run)
    before, others = counts_of(run), counts_of(other)
    kept_names = set(Segment.objects.filter(stream__run=other).values_list("name", flat=True))
    assert [key for key, count in before.items() if not count] == [], "full_run makes no row of these"
    deleted(run)
    with django_capture_on_commit_callbacks(execute=True):
        assert purge_runs() == 1
    after = counts_of(run)
    assert [key for key, count in after.items() if count and key[0] not in KEPT] == []
    assert {key: after[key] for key in after if key[0] in KEPT} == {
        key: before[key] for key in before if key[0] in KEPT
    }
    for own in ("forked_from", "archive_of"):
        others.pop((Run, own))
    assert {key: count for key, count in counts_of(other).items() if key in others} == others
    assert names_in(cold_store) == kept_names
    assert len(rows_of(fork)) == 3


def test_the_tombstone_says_nothing_of_what_was_logged():
    run = deleted(full_run())
    purge_runs()
    run.refresh_from_db()
    assert run.purged_at is not None
    assert (run.config_text, run.config_flat, run.tags, run.notes) == ("{}", {}, [], "")
    assert set(Message.objects.values_list("request", "response")) == {("", "")}
    assert not Pulse.objects.filter(run=run).exists()


def test_bytes_go_back_to_the_team_exactly_once():
    """BIL-4."""
    run, other = full_run(), full_run()
    team = run.project.team_id
    held = held_by_category(run)
    assert held["file"] == 14 + 11
    assert held["history"] > 0 < held["log"]
    deleted(run)
    assert held_by_category(run) == held, "deleted runs hold their bytes until nobody can restore them"
    assert stored_bytes(team_id=team) == stored_bytes(run_id=run.pk) == sum(held.values())
    purge_runs()
    purge_runs()
    assert (
        stored_bytes(team_id=team)
        == stored_bytes(project_id=run.project_id)
        == stored_bytes(run_id=run.pk)
        == 0
    )
    assert held_by_category(run) == {}
    assert held_by_category(other)["file"] == 25
    freed = ByteEntry.objects.filter(run_id=run.pk, delta_bytes__lt=0, user_id=run.user_id)
    assert dict(freed.exclude(category="history").values_list("category", "delta_bytes")) == {
        "file": -25,
        "log": -held["log"],
    }
    assert freed.filter(category="file").count() == freed.filter(category="log").count() == 1


def test_contents_that_no_other_run_uses_are_swept():
    deleted(full_run())
    other = full_run()
    purge_runs()
    with time_machine.travel(timezone.now() + timedelta(hours=25), tick=False):
        assert sweep() == 1
    assert set(Blob.objects.all()) == {file.blob for file in RunFile.objects.filter(run=other)}
    assert all(filesystem.path_of(blob.location).exists() for blob in Blob.objects.all())


def test_a_file_deleted_twice_at_once_gives_its_bytes_back_once():
    run = RunFactory()
    file = add_run_file(run, "notes.txt", b"12345")
    again = RunFile.objects.get(pk=file.pk)
    delete_run_file(actor=SYSTEM, file=file)
    delete_run_file(actor=SYSTEM, file=again)
    assert stored_bytes(run_id=run.pk) == 0
    assert AuditEntry.objects.filter(action="run.delete_files").count() == 1


# -- when ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kept_days", "age_days", "purged"), [(7, 6.9, 0), (7, 7.1, 1), (1, 2, 1), (30, 29, 0)]
)
def test_runs_are_purged_after_their_days_of_grace(settings, kept_days, age_days, purged):
    settings.DELETED_KEPT_DAYS = kept_days
    deleted(full_run(), days=age_days)
    assert purge_runs() == purged


def test_with_no_days_of_grace_a_run_is_purged_at_once(settings):
    settings.DELETED_KEPT_DAYS = 0
    deletion.delete_run(actor=SYSTEM, run=full_run())
    assert purge_runs() == 1


def test_runs_that_are_not_deleted_stay():
    run = full_run()
    before = counts_of(run)
    assert purge_runs() == 0
    assert counts_of(run) == before


def test_a_run_that_counts_as_active_is_ended_first():
    run = deleted(RunFactory())
    assert purge_runs() == 0
    Pulse.objects.filter(run=run).update(heartbeat_at=timezone.now() - timedelta(days=8))
    lifecycle.find_crashed_runs()
    assert purge_runs() == 1


def test_a_restored_run_is_whole_again():
    """RUN-7."""
    run = full_run()
    before, rows = counts_of(run), rows_of(run)
    deleted(run, days=6)
    purge_runs()
    deletion.restore_run(actor=SYSTEM, run=run)
    assert (counts_of(run), rows_of(run)) == (before, rows)


# -- in pieces, and with accidents -----------------------------------------------------------------------------------


def test_a_purge_in_small_pieces_ends_as_a_whole_one(monkeypatch):
    run = deleted(full_run())
    monkeypatch.setattr(purge, "ROWS_AT_ONCE", 2)
    assert purge_runs() == 1
    assert {count for (model, _), count in counts_of(run).items() if model not in KEPT} == {0}
    assert stored_bytes(run_id=run.pk) == 0


def test_a_run_that_is_half_purged_cannot_be_restored_and_is_finished_later(monkeypatch, settings):
    run = deleted(full_run())
    monkeypatch.setattr(purge, "ROWS_AT_ONCE", 2)
    purge._purge_batch(run.pk)
    settings.DELETED_KEPT_DAYS = 30
    with pytest.raises(Gone, match="can be restored for 30 days"):
        deletion.restore_run(actor=SYSTEM, run=run)
    assert purge_runs() == 1


def test_a_long_round_stops_and_goes_on_in_the_next(monkeypatch):
    first, second = deleted(full_run(), days=9), deleted(full_run())
    monkeypatch.setattr("runs.tasks.BUDGET_S", -1.0)
    assert purge_runs() == 1
    assert [Run.objects.get(pk=run.pk).purged_at is None for run in (first, second)] == [False, True]
    assert purge_runs() == 1


def test_one_run_that_cannot_be_purged_does_not_keep_the_others(monkeypatch, caplog):
    broken, fine = deleted(full_run(), days=9), deleted(full_run())
    plain = purge.delete_related_rows
    monkeypatch.setattr(
        purge, "delete_related_rows", lambda run, limit: 1 / 0 if run == broken else plain(run, limit)
    )
    assert purge_runs() == 1
    assert "could not be purged" in caplog.text
    assert RunFile.objects.filter(run=broken).count() == 2, "its transaction is undone whole"
    assert stored_bytes(run_id=broken.pk, category="file") == 25
    assert stored_bytes(run_id=fine.pk) == 0


def test_a_crash_before_the_contents_are_removed_leaves_them_to_the_sweep(
    cold_store, monkeypatch, django_capture_on_commit_callbacks
):
    deleted(full_run())
    with django_capture_on_commit_callbacks(execute=False):  # the process ends after the commit
        assert purge_runs() == 1
    assert len(names_in(cold_store)) == 1
    monkeypatch.setattr(sweeping, "ORPHAN_AFTER", -timedelta(hours=1))
    assert sweeping.sweep() == 1
    assert names_in(cold_store) == set()


def test_a_purge_makes_no_more_queries_for_more_rows():
    counts = []
    for posts in (3, 30):
        run = deleted(full_run(posts))
        with CaptureQueriesContext(connection) as seen:
            assert purge._purge_batch(run.pk) is False
        counts.append(len(seen))
    assert counts[0] == counts[1]


# -- who comes too late ----------------------------------------------------------------------------------------------


def test_posts_uploads_and_upserts_of_a_purged_run_hear_that_it_was_deleted():
    run = deleted(full_run())
    blob = store_bytes(b"late")
    purge_runs()
    [refused] = write_group([post(run, history=(0, history(0, 3)), log=(0, ["late"]))])
    assert isinstance(refused, DomainError)
    assert refused.status == 410
    with pytest.raises(Gone):
        receive_run_file({"r": run.pk, "n": "late.txt"}, blob)
    with pytest.raises(Gone, match="cannot be reused"):  # RUN-9
        lifecycle.log_run(actor=SYSTEM, project=run.project, uid=run.uid, fields=RunFields(notes="late"))
    with pytest.raises(Gone, match="can be restored for 7 days"):
        deletion.restore_run(actor=SYSTEM, run=run)
    assert {count for (model, _), count in counts_of(run).items() if model not in KEPT} == {0}


@pytest.mark.django_db(transaction=True)
def test_streaming_to_a_purged_run_is_gone_and_not_unknown(api_key):
    run = deleted(full_run())
    purge_runs()
    header = basic(api_key(make_member(run.project.team)))
    with pytest.raises(Gone, match="no more data is stored"):
        _check_run(header, "127.0.0.1", (run.project.team.name, run.project.name, run.uid))


def test_an_upsert_of_a_deleted_run_keeps_what_it_holds():
    run = full_run()
    before = counts_of(run)
    deletion.delete_run(actor=SYSTEM, run=run)
    with pytest.raises(Gone):
        lifecycle.log_run(actor=SYSTEM, project=run.project, uid=run.uid, fields=RunFields(notes="new"))
    deletion.restore_run(actor=SYSTEM, run=run)
    run.refresh_from_db()
    assert (run.notes, counts_of(run)) == ("secret", before)


def test_the_past_of_a_rewound_run_outlives_it():
    run = full_run()
    rewind_run(actor=SYSTEM, run=run, step=2)
    archive = Run.objects.get(uid=f"{run.uid}.rewound-1")
    rows = rows_of(archive)
    deleted(run)
    purge_runs()
    assert rows_of(archive) == rows != []


def test_a_rewound_run_still_knows_that_it_was_when_its_past_is_purged():
    """Otherwise the SDK would be given files of what was cut off (metrics.downloads.sdk_parquet)."""
    run = full_run()
    rewind_run(actor=SYSTEM, run=run, step=2)
    deleted(Run.objects.get(uid=f"{run.uid}.rewound-1"))
    purge_runs()
    assert Run.objects.select_related("forked_from").get(pk=run.pk).is_rewound


@pytest.mark.parametrize("pieces", [500, 2])
@pytest.mark.parametrize("kind", ["pack", "merge"])
def test_a_worker_that_packs_a_run_when_it_is_purged_leaves_nothing(
    cold_store, monkeypatch, kind, pieces, django_capture_on_commit_callbacks
):
    monkeypatch.setattr(purge, "ROWS_AT_ONCE", pieces)
    run = full_run()
    write_group([post(run, history=(20, history(20, 4)))])
    if kind == "merge":
        compaction._pack(Stream.objects.get(run=run, kind=StreamKind.HISTORY))
    plain, made = compaction._store_segment, []

    def slowly(*given):
        made.append(plain(*given))
        purge._purge_batch(deleted(run).pk)
        return made[0]

    monkeypatch.setattr(compaction, "_store_segment", slowly)
    with django_capture_on_commit_callbacks(execute=True):
        compaction.pack_stream(Stream.objects.get(run=run, kind=StreamKind.HISTORY).pk)
        purge_runs()
    assert made[0].row_count == (18 if kind == "merge" else 5)
    assert not Tail.objects.filter(run=run).exists()
    assert not Segment.objects.exists()
    assert names_in(cold_store) == set()


def test_a_purged_runs_streams_are_never_packed_again_nor_recovered(cold_store, monkeypatch):
    run = full_run()
    [name] = Segment.objects.values_list("name", flat=True)
    deleted(run)
    monkeypatch.setattr(purge, "ROWS_AT_ONCE", 4)
    while not Segment.objects.exists() or not Run.objects.filter(purge_began_at__isnull=False):
        purge._purge_batch(run.pk)
    Segment.objects.all().delete()  # as the purge's next step does
    assert sweeping.recover_segment(cold_store, name) is False
    assert not compaction.due_streams().filter(run=run).exists()


def write_late(run):
    write_group([post(run, history=(50, history(50, 3)), log=(9, ["late"]))])


def pack_all(run):
    for pk in Stream.objects.filter(run=run).values_list("pk", flat=True):
        compaction.pack_stream(pk)


def upload(run):
    with suppress(Gone):
        add_run_file(run, "late.txt", b"late")


def end(run):
    deleted(run)
    purge.purge_runs(60)


@pytest.mark.django_db(transaction=True)
def test_posts_packers_folds_and_purges_at_once_leave_nothing_and_wait_in_no_circle(monkeypatch):
    runs = [full_run() for _ in range(4)]

    def repeat(act):
        try:
            for run in runs * 4:
                act(run)
        finally:
            connection.close()

    acts = (write_late, pack_all, upload, lambda run: logs.fold_log(run.pk), end, end)
    with ThreadPoolExecutor(len(acts)) as pool:
        for future in [pool.submit(repeat, act) for act in acts]:
            future.result()
    monkeypatch.setattr(sweeping, "ORPHAN_AFTER", -timedelta(hours=1))
    sweeping.sweep()
    left = [key for run in runs for key, count in counts_of(run).items() if count and key[0] not in KEPT]
    assert left == []
    assert [stored_bytes(run_id=run.pk) for run in runs] == [0] * len(runs)
    assert names_in(segment_storage.configured_storage()) == set()


# -- sweeps ----------------------------------------------------------------------------------------------------------


def test_a_deleted_sweep_goes_after_its_days_of_grace_and_its_runs_stay():
    """RUN-50: agents and trials go with it; its runs are in no sweep then."""
    run = RunFactory()
    add_trial(run)
    sweep = Sweep.objects.get()
    SweepAgent.objects.create(sweep=sweep, uid="a")
    Run.objects.filter(pk=run.pk).update(sweep=sweep.uid)
    delete_sweep(actor=SYSTEM, sweep=sweep)
    assert purge_sweeps() == 0
    with time_machine.travel(timezone.now() + timedelta(days=8), tick=False):
        assert purge_sweeps() == 1
    assert [model.objects.count() for model in (Sweep, SweepAgent, Trial)] == [0, 0, 0]
    run.refresh_from_db()
    assert (run.sweep, run.deleted_at) == ("", None)
