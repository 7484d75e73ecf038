"""What runs hold is in the ledger whatever happens to them: files, history and logs (BIL-4)."""

from collections import Counter
from contextlib import suppress
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import connection
from django.db.models import Sum
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from access.actor import SYSTEM
from accounts.lifecycle.account_merge import merge_accounts
from common.errors import Invalid
from metrics.ingest.branching import fork_run, rewind_run
from metrics.ingest.transaction import write_group
from metrics.models import Segment, Stream, StreamKind
from metrics.store import compaction, keysets, segment_storage, sweeping
from metrics.tests.ingest.test_ingest import history, post
from runs.bulk_actions import deletion
from runs.bulk_actions.moving import move_runs
from runs.files.services import delete_run_file
from runs.lifecycle import purge, storage_ledger
from runs.lifecycle import services as lifecycle
from runs.logs import compaction as logs
from runs.models import Pulse, Run, RunFile
from runs.tasks import repair_storage_ledger
from storage.models import ByteEntry, Holding
from storage.services import record_bytes, stored_bytes
from teams.models import Team
from tests.factories import ProjectFactory, RunFactory, TeamFactory, UserFactory, add_run_file
from tests.suite.examples import examples

pytestmark = pytest.mark.django_db

MEASURED = ("file", "history", "log")
Held = dict[tuple[int, int, int, str], int]


@pytest.fixture(autouse=True)
def _small(monkeypatch, tmp_path, settings):
    settings.SEGMENT_ROOT = tmp_path / "segments"
    settings.BLOB_ROOT = tmp_path / "blobs"
    monkeypatch.setattr(compaction, "PACK_AT_ROWS", 6)
    monkeypatch.setattr(compaction, "PACK_ENDED_AT_ROWS", 3)
    monkeypatch.setattr(compaction, "MERGE_AT", 2)


def by_ledger():
    """Return what is held by (run, project, team, category), after a look that holdings are the sums of entries."""
    keys = ("run_id", "project_id", "team_id", "category")
    entered = ByteEntry.objects.values_list(*keys).order_by().annotate(held=Sum("delta_bytes"))
    sums = {tuple(row[:-1]): row[-1] for row in entered if row[-1]}
    assert {tuple(row[:-1]): row[-1] for row in Holding.objects.values_list(*keys, "size_bytes")} == sums
    return sums


def by_person():
    """Return what is held by (run, person)."""
    entered = ByteEntry.objects.values_list("run_id", "user_id").order_by().annotate(held=Sum("delta_bytes"))
    return {(run_id, user_id): held for run_id, user_id, held in entered if held}


def really():
    """Return what runs hold, read from what is stored, and where they are."""
    found: Held = {}
    for run in Run.objects.select_related("project"):
        files = RunFile.objects.filter(run=run).aggregate(size=Sum("size_bytes"))["size"] or 0
        blocks = sum(len(bytes(payload)) for payload in run.log_blocks.values_list("payload", flat=True))
        tails = Stream.objects.filter(run=run).aggregate(size=Sum("tail_bytes"))["size"] or 0
        packed = Segment.objects.filter(stream__run=run).aggregate(size=Sum("size_bytes"))["size"] or 0
        sizes = dict(zip(MEASURED, (files, tails + packed, blocks), strict=True))
        found |= {
            (run.pk, run.project_id, run.project.team_id, name): size for name, size in sizes.items() if size
        }
    return found


def assert_exact():
    """Compare the ledger with what is stored, and whose it is with whose runs they are."""
    expected = really()
    assert by_ledger() == expected
    people = dict(Run.objects.values_list("pk", "user_id"))
    sums: Counter[tuple[int, int | None]] = Counter()
    for (run_id, *_), size in expected.items():
        sums[run_id, people[run_id]] += size
    assert by_person() == dict(sums)


# -- any sequence ----------------------------------------------------------------------------------------------------


class World:
    """Two people's projects and a few runs, and what may happen to them."""

    def __init__(self):
        keysets.clear_cache()  # hypothesis undoes each example's rows
        self.ada, self.old = UserFactory(), UserFactory()
        self.teams = [Team.objects.get(name=user.username) for user in (self.ada, self.old)]
        self.projects = [ProjectFactory(team=team) for team in self.teams]
        self.runs = [
            RunFactory(project=self.projects[n % 2], user=(self.ada, self.old)[n % 2]) for n in range(3)
        ]
        self.sent: Counter[int] = Counter()

    def live(self, number):
        return Run.objects.get(pk=self.runs[number].pk)

    def log(self, number, *, ends=False):
        run, at = self.live(number), self.sent[number]
        self.sent[number] += 1
        system = (at, [{"_timestamp": 1000.0 + at, "system.cpu": 1.5}])
        more = {"complete": 0} if ends else {}
        write_group(
            [post(run, history=(at * 3, history(at * 3, 3)), system=system, log=(at, [f"line {at}"]), **more)]
        )

    def end(self, number):
        self.log(number, ends=True)

    def upload(self, number):
        run = self.live(number)
        if run.deleted_at is None:
            add_run_file(run, f"{self.sent[number] % 2}.txt", b"x" * (self.sent[number] + 1))

    def delete_file(self, number):
        file = RunFile.objects.filter(run=self.runs[number], run__deleted_at=None).first()
        if file is not None:
            delete_run_file(actor=SYSTEM, file=file)

    def pack(self, number):
        for pk in Stream.objects.filter(run=self.runs[number]).values_list("pk", flat=True):
            compaction.pack_stream(pk)

    def fold(self, number):
        logs.fold_log(self.runs[number].pk)

    def rewind(self, number):
        run = self.live(number)
        if run.deleted_at is None:
            rewind_run(actor=SYSTEM, run=run, step=1)
            self.sent[number] = 100 * (self.sent[number] + 1)

    def fork(self, number):
        parent = self.live(number)
        if parent.deleted_at is None:
            fork = RunFactory(project=parent.project, user=parent.user)
            with suppress(Invalid):  # the parent may have no such step
                fork_run(actor=SYSTEM, run=fork, parent_uid=parent.uid, step=2)

    def move(self, number):
        run = self.live(number)
        target = self.projects[run.project_id == self.projects[0].pk]
        if target.team_id != self.teams[1].pk or not self.old.deleted_at:
            move_runs(actor=SYSTEM, run_ids=[run.pk], project=target)

    def merge(self, number):
        self.old.refresh_from_db()
        if self.old.deleted_at is None:
            for other in range(len(self.runs)):
                self.end(other)
            Run.objects.filter(active_since__isnull=False).update(state="finished", active_since=None)
            merge_accounts(actor=SYSTEM, source=self.old, target=self.ada, typed=self.old.username)

    def delete(self, number):
        run = self.live(number)
        deletion.delete_run(actor=SYSTEM, run=run)
        Run.objects.filter(pk=run.pk).update(deleted_at=timezone.now() - timedelta(days=8), state="finished")

    def purge(self, number):
        purge.purge_runs(60)

    def purge_some(self, number):
        if due := purge.due(Run.objects.all()).first():
            before, purge.ROWS_AT_ONCE = purge.ROWS_AT_ONCE, 2
            purge._purge_batch(due.pk)
            purge.ROWS_AT_ONCE = before


ACTS = [name for name in vars(World) if not name.startswith("_") and name != "live"]


@settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(acts=st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 2)), max_size=25))
def test_whatever_happens_the_ledger_says_what_is_held(acts):
    """BIL-4: exactly after the night's settling, and never more or less than once in between."""
    for model in (ByteEntry, Holding):
        model.objects.all().delete()
    Run.objects.all().delete()
    world = World()
    for name, number in acts:
        getattr(world, name)(number)
        by_ledger()
    storage_ledger.reconcile(60)
    assert_exact()
    assert storage_ledger.reconcile(60) == 0


# -- each place where bytes are settled ------------------------------------------------------------------------------


def logged(posts=4, **more):
    run = RunFactory(**more)
    for number in range(posts):
        write_group(
            [post(run, history=(number * 3, history(number * 3, 3)), log=(number, [f"line {number}"]))]
        )
    return run


def test_posts_enter_nothing():
    """The group commit is hot: bytes wait for the next packing."""
    logged()
    assert not ByteEntry.objects.exists()


def test_a_run_is_settled_as_it_ends_with_its_last_lines():
    run = logged()
    write_group([post(run, history=(12, history(12, 1)), log=(4, ["the last"]), complete=0)])
    assert set(Holding.objects.filter(run_id=run.pk).values_list("category", flat=True)) == {"history", "log"}
    assert_exact()


def test_a_run_that_fell_silent_is_settled():
    run = logged()
    Pulse.objects.filter(run=run).update(heartbeat_at=timezone.now() - timedelta(days=1))
    lifecycle.find_crashed_runs()
    assert_exact()


def test_packing_settles_both_streams_and_merging_what_is_left():
    run = logged(posts=4)
    stream = Stream.objects.get(run=run, kind=StreamKind.HISTORY)
    compaction._pack(stream)
    assert (
        stored_bytes(run_id=run.pk, category="history")
        == really()[run.pk, run.project_id, run.project.team_id, "history"]
    )
    write_group([post(run, history=(12, history(12, 6)))])
    compaction.pack_stream(stream.pk)
    assert Segment.objects.filter(stream=stream).count() == 1
    assert (
        stored_bytes(run_id=run.pk, category="history")
        == really()[run.pk, run.project_id, run.project.team_id, "history"]
    )


def test_folding_settles_the_log():
    run = logged()
    logs.fold_log(run.pk)
    assert stored_bytes(run_id=run.pk, category="log") == sum(
        len(bytes(payload)) for payload in run.log_blocks.values_list("payload", flat=True)
    )


def test_a_recovered_segment_is_held_again():
    run = logged()
    compaction.pack_stream(Stream.objects.get(run=run, kind=StreamKind.HISTORY).pk)
    [name] = Segment.objects.values_list("name", flat=True)
    held = stored_bytes(run_id=run.pk)
    Segment.objects.all().delete()
    storage_ledger.reconcile(60)
    assert stored_bytes(run_id=run.pk, category="history") == 0
    assert sweeping.recover_segment(segment_storage.configured_storage(), name)
    assert stored_bytes(run_id=run.pk, category="history") == held


def test_a_rewind_leaves_each_run_its_own():
    run = logged()
    rewind_run(actor=SYSTEM, run=run, step=4)
    assert Holding.objects.values("run_id").distinct().count() == 2
    assert_exact()


def test_bytes_follow_a_run_that_is_moved_at_once():
    """BIL-4: not only by the night's settling."""
    run, target = logged(), ProjectFactory()
    add_run_file(run, "a.txt", b"12345")
    write_group([post(run, log=(4, ["end"]), complete=0)])
    move_runs(actor=SYSTEM, run_ids=[run.pk], project=target)
    assert_exact()
    assert {held[1:3] for held in by_ledger()} == {(target.pk, target.team_id)}


def test_a_purge_that_is_cut_off_holds_what_is_left(monkeypatch):
    """BIL-4."""
    monkeypatch.setattr(purge, "ROWS_AT_ONCE", 2)
    run = RunFactory()
    for name in ("a.txt", "b.txt", "c.txt"):
        add_run_file(run, name, b"12345")
    deletion.delete_run(actor=SYSTEM, run=run)
    deletion.purge_now(actor=SYSTEM, run_ids=[run.pk])
    Run.objects.filter(pk=run.pk).update(state="finished")
    assert purge._purge_batch(run.pk)
    assert stored_bytes(run_id=run.pk) == 5
    assert_exact()


def test_bytes_of_people_follow_their_runs():
    """An account that is merged leaves no bytes behind, in teams neither."""
    ada, old = UserFactory(), UserFactory()
    run = logged(project=ProjectFactory(team=TeamFactory()), user=old)
    add_run_file(run, "a.txt", b"12345")
    write_group([post(run, log=(4, ["end"]), complete=0)])
    merge_accounts(actor=SYSTEM, source=old, target=ada, typed=old.username)
    assert {user_id for _, user_id in by_person()} == {ada.pk}
    assert_exact()


# -- every night -----------------------------------------------------------------------------------------------------


def test_what_came_after_the_end_is_settled_at_night():
    run = logged()
    write_group([post(run, log=(4, ["end"]), complete=0)])
    write_group([post(run, history=(12, history(12, 2)))])
    assert repair_storage_ledger() == 1
    assert_exact()
    assert repair_storage_ledger() == 0


def test_runs_from_before_the_holdings_are_entered_once():
    """Their files are in the ledger, but no holding says so; history and logs were never entered."""
    run = logged()
    add_run_file(run, "a.txt", b"12345")
    Holding.objects.all().delete()
    assert repair_storage_ledger() == 1
    assert_exact()
    assert stored_bytes(run_id=run.pk, category="file") == 5


def test_bytes_entered_at_another_place_are_brought_where_the_run_is():
    run = RunFactory()
    add_run_file(run, "a.txt", b"12345")
    other = ProjectFactory()
    Run.objects.filter(pk=run.pk).update(project=other)
    assert repair_storage_ledger() == 1
    assert_exact()


def test_a_pass_that_ran_out_of_time_is_gone_on_with(monkeypatch):
    monkeypatch.setattr(storage_ledger, "_RUNS_AT_ONCE", 1)
    runs = [RunFactory() for _ in range(3)]
    for run in runs:
        add_run_file(run, "a.txt", b"12345")
        record_bytes(team_id=run.project.team_id, project_id=run.project_id, run_id=run.pk, user_id=run.user_id,
                    category="file", delta_bytes=1)  # fmt: skip
    ticks = iter([0.0, 1.0, 9.0])
    with monkeypatch.context() as patched:
        patched.setattr(storage_ledger, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
        assert storage_ledger.reconcile(5.0) == 1
    assert storage_ledger.reconcile(60) == 2
    assert_exact()


def test_runs_that_are_as_the_ledger_says_cost_few_queries():
    counts = []
    for _ in range(2):
        for _ in range(5):
            add_run_file(RunFactory(), "a.txt", b"12345")
        with CaptureQueriesContext(connection) as seen:
            assert storage_ledger.reconcile(60) == 0
        counts.append(len(seen))
    assert counts[0] == counts[1] == 6


def test_the_end_of_a_run_costs_few_queries():
    run = logged()
    with CaptureQueriesContext(connection) as seen:
        storage_ledger.settle_run(run.pk)
    assert len(seen) <= 7
