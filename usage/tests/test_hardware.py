"""GPU time and energy from samples: exact for curves whose energy is known, and each sample once."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from django.db import connection
from django.db.models import Sum
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from access.actor import SYSTEM
from metrics.ingest.branching import rewind_run
from metrics.ingest.transaction import write_group
from metrics.models import Stream, StreamKind
from metrics.store import compaction, keysets, row_blocks, segment_cache
from metrics.tests.ingest.test_ingest import history, post
from runs.bulk_actions import deletion
from runs.lifecycle import purge
from runs.models import Run
from runs.projects import deletion as project_deletion
from tests.factories import RunFactory
from tests.fakes.bucket_fixtures import bucket
from tests.suite.examples import examples
from usage.metering import hardware, hardware_entries
from usage.metering.gpu_claims import GpuSamples
from usage.metering.gpu_use import GpuUse
from usage.metering.run_gpus import Cards
from usage.models import HardwareUse
from usage.tasks import measure_hardware

__all__ = ["bucket"]
pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC).timestamp()
MIDNIGHT = datetime(2026, 3, 15, tzinfo=UTC).timestamp()


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.SEGMENT_ROOT = tmp_path


def sample(at, *watts, label="", **more):
    """One row of samples: the power of GPU 0, 1, ... at a time."""
    end = f"/l:{label}" if label else ""
    return (
        {"_timestamp": at}
        | {f"system.gpu.{n}.powerWatts{end}": value for n, value in enumerate(watts)}
        | more
    )


def send(run, rows):
    at = (
        Stream.objects.filter(run=run, kind=StreamKind.SYSTEM).values_list("next_row", flat=True).first() or 0
    )
    write_group([post(run, system=(at, rows))])


def sampled(rows, run=None):
    run = run or RunFactory()
    send(run, rows)
    return run


def used(run):
    """Return (GPU seconds, joules) of a run."""
    sums = HardwareUse.objects.filter(run_id=run.pk).aggregate(s=Sum("gpu_s"), j=Sum("energy_j"))
    return sums["s"] or 0, sums["j"] or 0


def pieces(run):
    return list(
        HardwareUse.objects.filter(run_id=run.pk)
        .order_by("row_from")
        .values_list("row_from", "row_to")
        .distinct()
    )


# -- how much --------------------------------------------------------------------------------------------------------


def test_constant_power_is_power_times_time():
    """300 W for 10 minutes, sampled every 15 s."""
    run = sampled([sample(NOON + 15 * n, 300.0) for n in range(41)])
    assert measure_hardware() == 1
    assert used(run) == (600, 180_000)


def test_a_ramp_is_the_sum_of_its_left_steps():
    """P(t) = t W, sampled each second for 100 s: the left sum is 99·100/2 J, half a step below the integral."""
    run = sampled([sample(NOON + n, float(n)) for n in range(101)])
    measure_hardware()
    assert used(run) == (100, 4950)


def test_each_gpu_counts():
    run = sampled([sample(NOON + 10 * n, 100.0, 200.0, 400.0) for n in range(7)])
    measure_hardware()
    assert used(run) == (3 * 60, 700 * 60)


def test_nodes_are_kept_apart_by_their_labels():
    """Two writers in one stream, in turns and 4 s apart, each with a GPU 0."""
    rows = []
    for n in range(7):
        rows += [sample(NOON + 10 * n, 100.0, label="a"), sample(NOON + 10 * n + 4, 300.0, label="b")]
    run = sampled(rows)
    measure_hardware()
    assert used(run) == (2 * 60, 400 * 60)


@pytest.mark.parametrize(("gap_s", "held_s"), [(119, 119), (120, 120), (121, 120), (86_000, 120)])
def test_a_sample_speaks_for_two_minutes_at_most(gap_s, held_s):
    run = sampled([sample(NOON, 10.0), sample(NOON + gap_s, 10.0)])
    measure_hardware()
    assert used(run) == (held_s, 10 * held_s)


def test_gpus_without_a_power_sensor_have_time_alone():
    run = sampled(
        [{"_timestamp": NOON + 10 * n, "system.gpu.0.gpu": 50.0, "system.gpu.0.temp": 60} for n in range(4)]
    )
    measure_hardware()
    assert used(run) == (30, 0)


def test_power_that_is_sampled_less_often_holds_between():
    rows = [
        {"_timestamp": NOON + 10 * n, "gpu.0.gpu": 50.0} | ({} if n % 2 else {"gpu.0.powerWatts": 100})
        for n in range(7)
    ]
    run = sampled(rows)
    measure_hardware()
    assert used(run) == (60, 6000)


def test_parts_processes_limits_and_other_devices_are_no_gpus():
    other = {
        "system.gpu.process.0.powerWatts": 300.0, "system.gpu.0.mig.1.memoryAllocated": 5.0,
        "system.cpu.powerWatts": 9.0, "system.gpu.99.madeUp": 1.0, "system.system.powerWatts": 50.0, "system.cpu": 3.0,
    }  # fmt: skip
    run = sampled([sample(NOON + 10 * n, **other) for n in range(3)])
    measure_hardware()
    assert used(run) == (0, 0)


@pytest.mark.parametrize("broken", [float("nan"), float("inf"), -5.0, 1e12, "warm", None])
def test_what_is_no_power_is_passed_over(broken):
    run = sampled([sample(NOON, 100.0), sample(NOON + 10, broken), sample(NOON + 20, 100.0)])
    measure_hardware()
    assert used(run) == (20, 2000)


@pytest.mark.parametrize("broken", [float("nan"), float("inf"), -1e18, 1e18, "noon", None])
def test_samples_without_a_possible_time_are_passed_over(broken):
    run = sampled([sample(NOON, 100.0), sample(broken, 100.0), sample(NOON + 20, 100.0)])
    measure_hardware()
    assert used(run) == (20, 2000)


def test_a_clock_that_is_set_back_takes_nothing_away():
    run = sampled([sample(NOON + at, 100.0) for at in (0, 10, 20, 5, 15, 25)])
    measure_hardware()
    assert used(run) == (40, 4000)


def test_days_are_utc_and_a_sample_over_midnight_is_split():
    run = sampled([sample(MIDNIGHT - 40 + 30 * n, 100.0) for n in range(4)])
    measure_hardware()
    rows = HardwareUse.objects.filter(run_id=run.pk).order_by("day").values_list("day", "gpu_s", "energy_j")
    assert list(rows) == [(date(2026, 3, 14), 40, 4000), (date(2026, 3, 15), 50, 5000)]


def test_use_is_of_whose_run_it_is():
    run = sampled([sample(NOON + n, 1.0) for n in range(2)])
    measure_hardware()
    row = HardwareUse.objects.get()
    assert (row.team_id, row.project_id, row.user_id) == (run.project.team_id, run.project_id, run.user_id)
    assert not row.is_counted


# -- each sample once ------------------------------------------------------------------------------------------------


def test_measuring_again_changes_nothing():
    run = sampled([sample(NOON + 10 * n, 100.0) for n in range(4)])
    assert [measure_hardware() for _ in range(3)] == [1, 0, 0]
    assert (used(run), pieces(run)) == ((30, 3000), [(0, 4)])


def test_what_comes_later_begins_where_the_last_ended():
    run = sampled([sample(NOON + 10 * n, 100.0) for n in range(4)])
    measure_hardware()
    send(run, [sample(NOON + 10 * n, 200.0) for n in range(4, 7)])
    measure_hardware()
    assert used(run) == (60, 4 * 1000 + 2 * 2000)
    assert pieces(run) == [(0, 4), (4, 7)]


curves = st.lists(
    st.tuples(st.integers(1, 200), st.integers(0, 2), st.sampled_from(["", "a"]), st.integers(0, 500)),
    min_size=1,
    max_size=40,
)


@settings(
    max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(curve=curves, cuts=st.sets(st.integers(1, 39), max_size=5), packed=st.booleans())
def test_in_whatever_pieces_it_is_measured_it_comes_to_the_same(curve, cuts, packed, monkeypatch):
    """Against a plain sum over each GPU's samples."""
    monkeypatch.setattr(hardware, "_LOOK_BACK_ROWS", 2)
    monkeypatch.setattr(hardware, "_FURTHER_BACK_ROWS", 5)
    monkeypatch.setattr(hardware, "_ROWS_AT_ONCE", 7)
    monkeypatch.setattr(compaction, "PACK_AT_ROWS", 4)
    keysets.clear_cache()
    at, rows = NOON, []
    by_gpu: dict[tuple[int, str], list[tuple[float, int]]] = {}
    for step, gpu, label, watts in curve:
        at += step
        rows.append({"_timestamp": at, f"gpu.{gpu}.powerWatts{'/l:' + label if label else ''}": float(watts)})
        by_gpu.setdefault((gpu, label), []).append((at, watts))
    expected_s = expected_j = 0.0
    for samples in by_gpu.values():
        for (began, watts), (ended, _) in pairwise(samples):
            expected_s += min(ended - began, 120)
            expected_j += watts * min(ended - began, 120)
    run, edges = RunFactory(), [0, *sorted(cut for cut in cuts if cut < len(rows)), len(rows)]
    for start, stop in pairwise(edges):
        send(run, rows[start:stop])
        if packed:
            compaction.pack_stream(Stream.objects.get(run=run, kind=StreamKind.SYSTEM).pk)
        hardware.measure_run(run.pk)
    assert used(run) == (expected_s, expected_j)
    ends = pieces(run)
    assert [begin for begin, _ in ends] == [0, *[end for _, end in ends[:-1]]]
    assert ends[-1][1] == len(rows)


def test_a_crash_between_two_pieces_is_gone_on_from_the_first(monkeypatch, caplog):
    monkeypatch.setattr(hardware, "_ROWS_AT_ONCE", 2)
    run = RunFactory()
    for n in range(6):
        send(run, [sample(NOON + 10 * n, 100.0)])
    plain = hardware_entries._enter
    calls: list[object] = []

    def dies(pieces):
        if calls:
            raise RuntimeError("killed")
        calls.append(pieces)
        return plain(pieces)

    with monkeypatch.context() as patched:
        patched.setattr(hardware_entries, "_enter", dies)
        hardware.measure_run(run.pk)
    assert pieces(run) == [(0, 2)]
    hardware.measure_run(run.pk)
    assert (used(run), pieces(run)) == ((50, 5000), [(0, 2), (2, 4), (4, 6)])


def test_two_who_measure_at_once_count_once(monkeypatch):
    run = sampled([sample(NOON + 10 * n, 100.0) for n in range(4)])
    plain = hardware_entries._enter

    def late(pieces):
        with monkeypatch.context() as patched:
            patched.setattr(hardware_entries, "_enter", plain)
            hardware.measure_run(run.pk)
        return plain(pieces)

    monkeypatch.setattr(hardware_entries, "_enter", late)
    hardware.measure_run(run.pk)
    assert (used(run), pieces(run)) == ((30, 3000), [(0, 4)])


def test_rows_that_another_entered_in_other_pieces_count_once():
    """BIL-4: the other's first piece used nothing, so no constraint of the database is in the way."""
    run = RunFactory()
    send(run, [{"_timestamp": NOON + 10 * n, "system.cpu": 1.0} for n in range(2)])
    send(run, [sample(NOON + 10 * n, 100.0) for n in range(2, 4)])
    parts = list(row_blocks.blocks(run.pk, StreamKind.SYSTEM))
    cards = Cards(run, [])
    [slow], [first] = (list(hardware._Reader(run.pk, some, 0, cards).pieces()) for some in (parts, parts[:1]))
    assert [(piece.row_from, piece.row_to) for piece in (slow, first)] == [(0, 4), (0, 2)]
    hardware_entries.enter([first])
    send(run, [sample(NOON + 10 * n, 100.0) for n in range(4, 6)])
    hardware.measure_run(run.pk)
    assert hardware_entries._enter([slow]) == {run.pk}
    assert (used(run), pieces(run)) == ((30, 3000), [(0, 2), (2, 6)])


def test_a_run_without_gpus_has_one_row():
    run = RunFactory()
    for n in range(5):
        send(run, [{"_timestamp": NOON + n, "system.cpu": 1.0}])
        measure_hardware()
    row = HardwareUse.objects.get(run_id=run.pk)
    assert (row.row_from, row.row_to, row.gpu_s, row.is_counted) == (0, 5, 0, True)


# -- the life of runs ------------------------------------------------------------------------------------------------


def test_what_a_rewind_cut_off_is_not_counted_again_and_what_follows_is():
    run = sampled([sample(NOON + 10 * n, 100.0) for n in range(4)])
    write_group([post(run, history=(0, history(0, 5)))])
    measure_hardware()
    rewind_run(actor=SYSTEM, run=run, step=2)
    assert measure_hardware() == 0
    write_group([post(run, system=(0, [sample(NOON + 100 + 10 * n, 100.0) for n in range(3)]))])
    measure_hardware()
    assert HardwareUse.objects.aggregate(s=Sum("gpu_s"), j=Sum("energy_j")) == {"s": 50, "j": 5000}
    assert used(Run.objects.get(uid=f"{run.uid}.rewound-1")) == (30, 3000)


def over(run):
    """Let the time be over in which it can be restored."""
    Run.objects.filter(pk=run.pk).update(deleted_at=timezone.now() - timedelta(days=8))


def at_once(run):
    deletion.purge_now(actor=SYSTEM, run_ids=[run.pk])


def with_its_team(run):
    project_deletion.purge_of_team(run.project.team)


@pytest.mark.parametrize("give_up", [over, at_once, with_its_team])
def test_a_run_is_measured_before_its_samples_are_purged(give_up):
    """BIL-4: however it comes to be purged."""
    run = sampled([sample(NOON + 10 * n, 100.0) for n in range(4)])
    deletion.delete_run(actor=SYSTEM, run=run)
    Run.objects.filter(pk=run.pk).update(state="finished")
    give_up(run)
    assert purge.purge_runs(60) == 1
    assert used(run) == (30, 3000)
    assert measure_hardware() == 0


def test_a_purge_waits_for_a_bucket_that_has_samples_to_measure(bucket, settings, monkeypatch, caplog):
    """BIL-4: what is down today answers tomorrow."""
    settings.SEGMENT_STORE, settings.STORAGE_CACHE_BYTES = "bucket", 0
    monkeypatch.setattr(compaction, "PACK_ENDED_AT_ROWS", 3)
    monkeypatch.setattr(compaction, "PACK_AT_ROWS", 3)
    run = sampled([sample(NOON + 10 * n, 100.0) for n in range(4)])
    compaction.pack_stream(Stream.objects.get(run=run, kind=StreamKind.SYSTEM).pk)
    segment_cache.clear_cache()
    deletion.delete_run(actor=SYSTEM, run=run)
    Run.objects.filter(pk=run.pk).update(state="finished", deleted_at=timezone.now() - timedelta(days=8))
    bucket.is_down = True
    measure_hardware()
    assert "measured later" in caplog.text
    assert purge.purge_runs(60) == 0
    bucket.is_down = False
    assert purge.purge_runs(60) == 1
    assert used(run) == (30, 3000)


def test_samples_that_cannot_be_read_keep_no_run_from_going(monkeypatch, caplog):
    run = sampled([sample(NOON + 10 * n, 100.0) for n in range(4)])
    deletion.delete_run(actor=SYSTEM, run=run)
    Run.objects.filter(pk=run.pk).update(state="finished", deleted_at=timezone.now() - timedelta(days=8))
    monkeypatch.setattr(hardware, "_read", lambda parts: 1 / 0)
    assert purge.purge_runs(60) == 1
    assert "could not be measured" in caplog.text


def test_one_run_that_cannot_be_measured_does_not_keep_the_others(monkeypatch, caplog):
    broken, fine = (sampled([sample(NOON + 10 * n, 100.0) for n in range(4)]) for _ in range(2))
    plain = hardware_entries._Entries.enter
    monkeypatch.setattr(
        hardware_entries._Entries,
        "enter",
        lambda entries, piece: 1 / 0 if piece.run_id == broken.pk else plain(entries, piece),
    )
    measure_hardware()
    assert (used(broken), used(fine)) == ((0, 0), (30, 3000))


def test_runs_share_a_transaction_unless_they_claim_gpus(monkeypatch):
    """BIL-4: a claim takes long, and nobody else writes meanwhile; a run's pieces stay in order."""
    plain, claiming = GpuUse(), GpuUse(seen={"GPU-1": GpuSamples()})
    given = [
        hardware_entries.Piece(run, 0, 1, used)
        for run, used in enumerate([plain, plain, claiming, claiming, plain])
    ]
    entered: list[list[int]] = []

    def enter(pieces):
        entered.append([piece.run_id for piece in pieces])
        return set()

    monkeypatch.setattr(hardware_entries, "_enter", enter)
    hardware_entries.enter(given)
    assert entered == [[0, 1], [2], [3], [4]]


@pytest.mark.parametrize(
    "rows", [[sample(NOON, 100.0), sample(NOON + 10, 100.0)], [{"_timestamp": NOON, "system.cpu": 1.0}]]
)
def test_a_round_makes_no_more_queries_for_more_runs(rows):
    counts: list[int] = []
    for _ in range(2):
        for run in [RunFactory() for _ in range(4 * (1 + len(counts)))]:
            sampled(rows, run)
        with CaptureQueriesContext(connection) as seen:
            measure_hardware()
        counts.append(len(seen))
    assert counts[0] == counts[1]
