"""The card of a run that ended badly: a hint at the cause, its last samples, what was never received (wish 7)."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from metrics.diagnostics.crash import diagnose, last_samples
from metrics.diagnostics.log_writers import writers_of
from metrics.diagnostics.lost_lines import gap_marks, lost_lines
from metrics.models import Sequence, StreamKind
from metrics.tests.ingest.test_ingest import post, send
from runs.lifecycle import services as lifecycle
from runs.lifecycle.timeline import timeline_of
from runs.models import Run
from runs.states import RunState
from tests.factories import ProjectFactory, RunFactory, TeamFactory, make_member

pytestmark = pytest.mark.django_db

AT = "2026-11-21T07:20:26.038634 "


def ended(*lines, exit_code=1, system=()):
    run = RunFactory(project=ProjectFactory(team=TeamFactory()))
    samples = [{"_timestamp": 10.0 + n, "_runtime": float(n), **row} for n, row in enumerate(system)]
    send(post(run, log=(0, [AT + line for line in lines]), system=(0, samples), complete=exit_code))
    return Run.objects.select_related("pulse", "project__team").get(pk=run.pk)


def card(run):
    found = diagnose(run, revealed=False)
    assert found is not None
    return found


def titles(run):
    return [hint.title for hint in card(run).hints]


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB", "Out of GPU memory"),
        ("jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory", "Out of GPU memory"),
        ("MemoryError", "Out of host memory"),
        ("OSError: [Errno 28] No space left on device", "The disk is full"),
        ("RuntimeError: DataLoader worker (pid 7) is killed by signal: Bus error.", "A data loader died"),
        ("[rank3] NCCL error: unhandled system error", "Communication between processes failed"),
        ("my.package.ShapeError: expected 3", "Ended by an exception"),
        ("\x1b[31mValueError: bad\x1b[0m", "Ended by an exception"),
    ],
)
def test_the_log_tells_the_cause(line, title):
    run = ended("Traceback (most recent call last):", '  File "a.py", line 1', line)
    found = card(run)
    assert found.hints[0].title == title
    assert found.hints[0].quote in line.replace("\x1b[31m", "").replace("\x1b[0m", "")
    assert len(found.lines) == 3


def test_a_finished_run_has_no_card(client):
    run = ended("fine", exit_code=0)
    assert diagnose(run, revealed=False) is None
    client.force_login(make_member(run.project.team))
    args = [run.project.team.name, run.project.name, run.uid]
    assert "crash-card" not in client.get(reverse("metrics:run_crash", args=args)).content.decode()


def test_exit_codes_are_named_as_signals():
    assert titles(ended("x", exit_code=137)) == ["Killed from outside"]
    assert titles(ended("x", exit_code=139)) == ["Native code failed (SIGSEGV)"]
    assert card(ended("x", exit_code=137)).signal == "SIGKILL"


def test_full_memory_in_the_last_samples_is_a_hint():
    system = [{"system.memory_percent": 60.0 + n, "system.gpu.0.memoryAllocated": 99.0} for n in range(38)]
    run = ended("x", system=system)
    assert titles(run) == ["The host’s memory was nearly full"]
    samples = {sample.label: sample for sample in last_samples(run.pk)}
    assert samples["Memory"].last == 97.0
    assert samples["GPU 0 memory"].is_full
    assert len(samples["Memory"].points.split()) == 38


def test_a_lost_signal_is_said_so():
    run = Run.objects.select_related("pulse").get(pk=RunFactory().pk)
    lifecycle.set_state(run, RunState.CRASHED, at=timezone.now())
    assert titles(run) == ["Connection lost"]


def test_secrets_in_the_last_lines_are_masked(client):
    key = "hf_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z"
    run = ended(f"ValueError: token {key} refused")
    client.force_login(make_member(run.project.team))
    args = [run.project.team.name, run.project.name, run.uid]
    page = client.get(reverse("metrics:run_crash", args=args)).content.decode()
    assert "crash-card" in page
    assert key not in page
    assert "refused" in page


def test_lines_that_the_client_skipped_are_counted():
    run = RunFactory()
    for kind, gap in [(StreamKind.HISTORY, 3), (StreamKind.HISTORY, 4), (StreamKind.LOG, 5)]:
        Sequence.objects.create(
            run=run, kind=kind, first_offset=0, base_row=0, row_count=1, gap_before=gap, written_at=1.0
        )
    assert [(lost.label, lost.count) for lost in lost_lines(run)] == [("history", 7), ("console log", 5)]


def test_a_gap_is_marked_on_the_timeline_where_the_last_line_before_it_is():
    """RUN-8: a gap is stored as a gap and shown, beside the banner with the count."""
    run = RunFactory()
    begin = run.started_at.timestamp()
    for first, at, gap in [(0, begin + 30, 0), (15, begin + 90, 5)]:
        Sequence.objects.create(
            run=run,
            kind=StreamKind.HISTORY,
            first_offset=first,
            base_row=first,
            row_count=10,
            gap_before=gap,
            written_at=at,
        )
    (found,) = gap_marks(run)
    assert (found.at.timestamp(), found.label) == (begin + 30, "5 lines of the history were never received.")
    timeline = timeline_of(run, now=run.started_at + timedelta(seconds=60))
    assert [mark.x for mark in timeline.marks] == [500]


def test_lines_are_told_apart_by_the_process_that_wrote_them():
    """RUN-41: labels of several nodes in one log."""
    run = RunFactory()
    send(post(run, writer="a", log=(0, [AT + "a0", AT + "a1"])))
    send(post(run, writer="b", log=(0, [AT + "[node2] b0"])))
    send(post(run, writer="a", log=(2, [AT + "a2"])))
    found = [(writer.id, writer.label, writer.ranges) for writer in writers_of(Run.objects.get(pk=run.pk))]
    assert found == [("a", "1", [(0, 2), (3, 1)]), ("b", "node2", [(2, 1)])]
