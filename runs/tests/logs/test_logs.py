"""Console logs folded into few blocks: every read gives what a plain list gives, before and after."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from access.actor import SYSTEM
from runs.bulk_actions import deletion
from runs.ingest.posts import RunPost, apply_posts, lock_runs
from runs.lifecycle import services as lifecycle
from runs.logs import blocks, compaction
from runs.logs.blocks import LogLines, log_lines_between
from runs.models import LogBlock, Run
from runs.tasks import fold_logs
from tests.factories import RunFactory
from tests.suite.examples import examples

pytestmark = pytest.mark.django_db

PER_BLOCK = 8


@pytest.fixture
def _small(monkeypatch):
    """Make blocks so small that every rule is met within a few lines."""
    for module in (blocks, compaction):
        monkeypatch.setattr(module, "LINES_PER_BLOCK", PER_BLOCK)
    monkeypatch.setattr(compaction, "_BLOCKS_AT_ONCE", 2)


def write(run, first_line, lines):
    """Write lines over what is there, as a group of posts does."""
    post = RunPost(run_id=run.pk, log=[LogLines(first_line, list(lines))])
    apply_posts([post], lock_runs([run.pk]), timezone.now())


def finish(run):
    lifecycle.finish_run(run_id=run.pk, exit_code=0, at=timezone.now())


def blocks_of(run):
    return list(
        LogBlock.objects.filter(run=run).order_by("first_line").values_list("first_line", "line_count")
    )


def many_posts(count, *, lines=20):
    run = RunFactory()
    for number in range(count):
        write(run, number * lines, [f"{number}.{line}" for line in range(lines)])
    return run


# -- against a plain list --------------------------------------------------------------------------------------------

texts = st.lists(st.text(max_size=4), min_size=1, max_size=3 * PER_BLOCK)
actions = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.just(0), texts),
        st.tuples(st.just("overwrite"), st.integers(1, 2 * PER_BLOCK), texts),
        st.tuples(st.just("gap"), st.integers(1, 3 * PER_BLOCK), texts),
        st.tuples(st.just("fold"), st.just(0), st.just([])),
    ),
    min_size=1,
    max_size=14,
)


@pytest.mark.usefixtures("_small")
@settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(actions, st.data())
def test_every_read_is_as_of_a_plain_list(steps, data):
    run = RunFactory()
    plain: list[str | None] = []
    for name, by, lines in steps:
        if name == "fold":
            compaction.fold_log(run.pk)
            assert not LogBlock.objects.filter(run=run, is_folded=False).exists()
            starts = [
                (first // PER_BLOCK, (first + count - 1) // PER_BLOCK) for first, count in blocks_of(run)
            ]
            assert all(begin == end for begin, end in starts)
        else:
            first = max(0, len(plain) - by) if name == "overwrite" else len(plain) + by
            plain += [None] * (first + len(lines) - len(plain))
            plain[first : first + len(lines)] = lines
            write(run, first, lines)
        assert log_lines_between(run.pk, 0, len(plain)) == plain
        start = data.draw(st.integers(0, len(plain)))
        stop = data.draw(st.integers(start, len(plain)))
        assert log_lines_between(run.pk, start, stop) == plain[start:stop]


# -- rules -----------------------------------------------------------------------------------------------------------


def test_an_ended_runs_log_is_a_block_a_thousand_lines():
    run = many_posts(120)
    finish(run)
    assert fold_logs() == 1
    assert blocks_of(run) == [(0, 1000), (1000, 1000), (2000, 400)]
    assert log_lines_between(run.pk, 2380, 2400) == [f"119.{line}" for line in range(20)]
    assert compaction.due() == []


def test_an_active_runs_log_is_folded_when_it_has_many_blocks():
    few, many = many_posts(compaction.FOLD_AT_BLOCKS - 1), many_posts(compaction.FOLD_AT_BLOCKS)
    assert compaction.due() == [many.pk]
    assert fold_logs() == 1
    assert blocks_of(many) == [(0, 1000)]
    assert len(blocks_of(few)) == compaction.FOLD_AT_BLOCKS - 1


def test_a_progress_bar_that_is_written_over_for_hours_stays_one_block():
    """Otherwise every read of the log's end would read every post that there was."""
    run = RunFactory()
    for percent in range(2 * compaction.FOLD_AT_BLOCKS):
        write(run, 0, [f"{percent} %"])
    compaction.fold_logs(60)
    assert blocks_of(run) == [(0, 1)]
    assert log_lines_between(run.pk, 0, 1) == [f"{2 * compaction.FOLD_AT_BLOCKS - 1} %"]


def test_what_is_written_over_a_folded_line_holds():
    run = many_posts(compaction.FOLD_AT_BLOCKS)
    compaction.fold_logs(60)
    write(run, 990, ["new"])
    assert log_lines_between(run.pk, 989, 992) == ["49.9", "new", "49.11"]


@pytest.mark.parametrize("act", ["post", "fold", "rewind", "delete"])
def test_a_log_that_changes_under_the_worker_is_left_as_it_is(act, monkeypatch):
    run = many_posts(10)
    plain = compaction._folded

    def slowly(run_id, lines):
        monkeypatch.setattr(compaction, "_folded", plain)
        made = plain(run_id, lines)
        if act == "post":
            write(run, 199, ["new"])
        elif act == "fold":
            compaction.fold_log(run.pk)
        elif act == "rewind":
            LogBlock.objects.filter(run=run).update(run=RunFactory())
        else:
            LogBlock.objects.filter(run=run).delete()
        return made

    monkeypatch.setattr(compaction, "_folded", slowly)
    compaction.fold_log(run.pk)
    expected = {
        "post": [*["9.18"], "new"],
        "fold": ["9.18", "9.19"],
        "rewind": [None, None],
        "delete": [None, None],
    }
    assert log_lines_between(run.pk, 198, 200) == expected[act]
    assert len(blocks_of(run)) == {"post": 11, "fold": 1, "rewind": 0, "delete": 0}[act]


def test_a_deleted_runs_log_is_left_alone():
    run = many_posts(3)
    finish(run)
    deletion.delete_run(actor=SYSTEM, run=run)
    assert compaction.due() == []


def test_one_log_that_cannot_be_folded_does_not_keep_the_others(caplog):
    broken, fine = many_posts(3), many_posts(2)
    for run in (broken, fine):
        finish(run)
    LogBlock.objects.filter(run=broken, first_line=0).update(payload=b"no zstd")
    assert compaction.fold_logs(60) == 1
    assert "could not be folded" in caplog.text
    assert len(blocks_of(broken)) == 3
    assert blocks_of(fine) == [(0, 40)]


@pytest.mark.parametrize("folded", [False, True])
def test_reading_lines_is_one_query(folded, django_assert_num_queries):
    run = many_posts(60)
    if folded:
        compaction.fold_log(run.pk)
    with django_assert_num_queries(1):
        log_lines_between(run.pk, 300, 1100)


def test_folding_makes_no_more_queries_for_more_posts():
    counts = []
    for posts_made in (5, 49):
        run = many_posts(posts_made)
        with CaptureQueriesContext(connection) as seen:
            compaction.fold_log(run.pk)
        counts.append(len(seen))
    assert counts[0] == counts[1]


def test_a_log_of_many_rounds_is_folded_to_its_end():
    run = RunFactory()
    write(run, 0, [str(number) for number in range(45_500)])
    Run.objects.filter(pk=run.pk).update(state="finished")
    write(run, 45_490, [f"again {number}" for number in range(30)])
    compaction.fold_logs(60)
    assert len(blocks_of(run)) == 46
    assert log_lines_between(run.pk, 45_489, 45_491) == ["45489", "again 0"]
