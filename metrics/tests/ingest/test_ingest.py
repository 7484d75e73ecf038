"""Posts to rows in the database: one commit for many, nothing lost, nothing twice (MET-5, RUN-8, RUN-9)."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from access.actor import SYSTEM
from common.errors import Unavailable
from metrics.ingest import committer as group_commit
from metrics.ingest.post import Post
from metrics.ingest.transaction import Ack, write_group
from metrics.models import Sequence, StreamKind, Tail
from metrics.store import reads
from metrics.store.codec import MAX_ROWS
from runs.bulk_actions import deletion
from runs.ingest.posts import RunPost
from runs.lifecycle import services as lifecycle
from runs.lifecycle.fields import RunFields
from runs.logs.blocks import log_lines_between
from runs.models import BadLine, Run
from runs.states import RunState
from tests.factories import RunFactory
from wandb_api.file_stream.endpoint import read_post

pytestmark = pytest.mark.django_db


def history(start, count, *, at=1000.0, **more):
    return [
        {"_step": step, "_timestamp": at + step, "_runtime": float(step), "loss": 1 / (step + 1), **more}
        for step in range(start, start + count)
    ]


def post(run, *, writer="", complete=None, log=None, summary=None, **files):
    """A post as the SDK sends it; ``files`` are (offset, rows) of history and system."""
    names = {"history": "wandb-history.jsonl", "system": "wandb-events.jsonl"}
    content = {
        names[kind]: {
            "offset": offset,
            "content": [line if isinstance(line, str) else json.dumps(line) for line in rows],
        }
        for kind, (offset, rows) in files.items()
    }
    if log is not None:
        content["output.log"] = {"offset": log[0], "content": log[1]}
    if summary is not None:
        content["wandb-summary.json"] = {"offset": 0, "content": [summary]}
    body = {"files": content, **({} if complete is None else {"complete": True, "exitcode": complete})}
    return read_post(json.dumps(body).encode(), run.pk, writer)


def rows_of(run, kind=StreamKind.HISTORY):
    return [row for _, row in reads.scan(run.pk, kind)]


def send(*posts) -> list[Ack]:
    answers = write_group(posts)
    assert all(isinstance(answer, Ack) for answer in answers), answers
    return [answer for answer in answers if isinstance(answer, Ack)]


def test_what_was_posted_is_read_back():
    run = RunFactory()
    rows = history(0, 15, name="a", nested={"b": 1, "c": [1, 2]}, flag=True, nothing=None)
    [ack] = send(post(run, history=(0, rows)))
    assert ack.grown["history"] == 15
    assert rows_of(run) == rows


def unnumbered(who, *numbers):
    """Rows of a writer in shared mode, as releases before 0.31 send them."""
    late = ord(who) / 1000
    return [{"who": who, "n": n, "_timestamp": 1000.0 + n + late, "_runtime": n + late} for n in numbers]


def test_rows_without_steps_are_numbered_as_they_arrive():
    """RUN-9: writers in shared mode leave the steps to the server; without any, no page of history has the row."""
    run = RunFactory()
    send(post(run, writer="a", history=(0, unnumbered("a", 0, 1))))
    send(
        post(run, writer="b", history=(0, unnumbered("b", 0))),
        post(run, writer="a", history=(2, unnumbered("a", 2))),
    )
    rows = rows_of(run)
    assert [row["_step"] for row in rows] == [0, 1, 2, 3]
    assert [(row["who"], row["n"]) for row in rows] == [("a", 0), ("a", 1), ("b", 0), ("a", 2)]
    assert reads.last_steps([run.pk]) == {run.pk: 3}


def test_rows_without_steps_sent_twice_are_stored_once():
    run = RunFactory()
    for _ in range(2):
        send(post(run, writer="a", history=(0, unnumbered("a", 0, 1))))
        send(post(run, writer="b", history=(0, unnumbered("b", 5, 6))))
    assert [(row["who"], row["_step"]) for row in rows_of(run)] == [("a", 0), ("a", 1), ("b", 2), ("b", 3)]


def test_a_writer_that_goes_on_does_not_look_through_what_others_stored():
    """Writers in shared mode are always a little behind each other; each post would read the whole run."""
    run = RunFactory()
    send(post(run, writer="a", history=(0, unnumbered("a", 0, 1))))
    send(post(run, writer="b", history=(0, unnumbered("b", 8, 9))))
    with CaptureQueriesContext(connection) as seen:
        send(post(run, writer="a", history=(2, unnumbered("a", 2, 3))))
    read = [
        query["sql"] for query in seen if '"payload"' in query["sql"] and query["sql"].startswith("SELECT")
    ]
    assert read == []
    assert [(row["who"], row["n"]) for row in rows_of(run)][4:] == [("a", 2), ("a", 3)]


def test_many_posts_share_one_commit(django_assert_max_num_queries):
    runs = [RunFactory() for _ in range(8)]
    send(*[post(run, history=(0, history(0, 3))) for run in runs])
    posts = [
        post(run, history=(3 * n, history(3 * n, 3)), summary="{}", log=(n - 1, [f"line {n}"]))
        for n in range(1, 5)
        for run in runs
    ]
    with django_assert_max_num_queries(16):  # for 32 posts
        send(*posts)
    assert all(len(rows_of(run)) == 15 for run in runs)


def test_a_post_sent_twice_changes_nothing():
    run = RunFactory()
    first = post(
        run, history=(0, history(0, 5)), system=(0, [{"_timestamp": 5.0, "system.cpu": 1.5}]), log=(0, ["a"])
    )
    send(first)
    send(
        post(
            run,
            history=(0, history(0, 5)),
            system=(0, [{"_timestamp": 5.0, "system.cpu": 1.5}]),
            log=(0, ["a"]),
        )
    )
    assert len(rows_of(run)) == 5
    assert len(rows_of(run, StreamKind.SYSTEM)) == 1
    assert log_lines_between(run.pk, 0, 5) == ["a", None, None, None, None]


def test_the_same_post_twice_in_one_group_is_stored_once():
    run = RunFactory()
    send(post(run, history=(0, history(0, 5))), post(run, history=(0, history(0, 5))))
    assert rows_of(run) == history(0, 5)


def test_an_overlapping_post_is_trimmed_to_its_new_lines():
    run = RunFactory()
    send(post(run, history=(0, history(0, 10))))
    [ack] = send(post(run, history=(5, history(5, 10))))
    assert ack.grown["history"] == 15
    assert rows_of(run) == history(0, 15)


def test_sync_after_a_kill_stores_every_line_once():
    run = RunFactory()
    send(post(run, history=(0, history(0, 50))))
    send(post(run, history=(50, history(0, 100))))  # SDK 0.31: told of 50 lines, sends all from there
    assert rows_of(run) == history(0, 100)
    send(post(run, history=(0, history(0, 100))))  # SDK 0.16: sends all from 0
    assert rows_of(run) == history(0, 100)


def test_a_second_process_with_the_same_id_is_appended():
    run = RunFactory()
    send(post(run, history=(0, history(0, 20)), log=(0, [f"first {n}" for n in range(3)])))
    second = history(0, 20, at=9000.0)
    send(post(run, history=(0, second[:10]), log=(0, ["second 0"])))
    send(post(run, history=(10, second[10:]), log=(1, ["second 1"])))
    assert rows_of(run) == history(0, 20) + second
    assert log_lines_between(run.pk, 0, 5) == [
        "first 0",
        "first 1",
        "first 2",
        "second 0",
        "second 1",
    ]  # RUN-9
    assert Sequence.objects.filter(run=run, kind=StreamKind.HISTORY).count() == 2


def test_shared_mode_keeps_each_writers_lines():
    run = RunFactory()
    for part in range(3):
        posts = [
            post(run, writer=writer, history=(part * 5, history(part * 5, 5, at=at, who=writer)))
            for writer, at in (("a", 1000.0), ("b", 1000.25), ("c", 1000.5))
        ]
        send(*posts)
    found = rows_of(run)
    assert len(found) == 45
    for writer, at in (("a", 1000.0), ("b", 1000.25), ("c", 1000.5)):
        assert [row for row in found if row["who"] == writer] == history(0, 15, at=at, who=writer)


def test_a_gap_is_stored_as_a_gap():
    run = RunFactory()
    send(post(run, history=(0, history(0, 5))))
    send(post(run, history=(9, history(9, 5))))  # RUN-8: no 4xx on file_stream
    assert rows_of(run) == history(0, 5) + history(9, 5)
    assert Sequence.objects.get(run=run, first_offset=9).gap_before == 4


def test_a_bad_line_is_set_aside_and_the_rest_is_stored():
    run = RunFactory()
    send(post(run, history=(0, [*history(0, 2), '{"loss": ', *history(3, 2)])))
    assert [row.get("_step") for row in rows_of(run)] == [0, 1, 3, 4]
    assert BadLine.objects.get(run=run).text == '{"loss": '  # RUN-8
    run.pulse.refresh_from_db()
    assert run.pulse.bad_lines == 1
    send(post(run, history=(5, history(5, 1))))
    assert rows_of(run)[-1]["_step"] == 5


def test_a_bad_summary_is_set_aside():
    run = RunFactory()
    send(post(run, summary='{"loss": '))
    run.pulse.refresh_from_db()
    assert (run.pulse.summary_text, run.pulse.bad_lines) == ("{}", 1)


def test_the_summary_is_kept_as_text_and_as_projection():
    run = RunFactory()
    text = '{"loss":NaN,"acc":{"best":0.5},"_wandb":{"runtime":3},"big":1e400}'
    send(post(run, summary=text))
    run.pulse.refresh_from_db()
    assert run.pulse.summary_text == text  # RUN-5
    assert run.pulse.summary_flat == {"loss": ["NaN"], "acc.best": 0.5, "big": ["Infinity"]}


def test_processes_that_share_a_run_each_keep_their_keys_of_the_summary():
    """RUN-5: in one commit, in several, and sent again; a run of one process is what it says last."""
    run = RunFactory()
    send(
        post(run, writer="a", summary='{"a": 1, "x": NaN}'),
        post(run, writer="b", summary='{"b": 9007199254740993}'),
    )
    for _ in range(2):
        send(post(run, writer="c", summary='{"c": {"min": 0.1}, "a": 2.0}'))
    found = Run.objects.select_related("pulse").get(pk=run.pk).pulse
    assert found.summary_text == '{"a": 2.0, "x": NaN, "b": 9007199254740993, "c": {"min": 0.1}}'
    assert found.summary_flat == {"a": 2.0, "x": ["NaN"], "b": 9007199254740993, "c.min": 0.1}
    send(post(run, summary='{"d": 1}'))
    assert Run.objects.get(pk=run.pk).pulse.summary_text == '{"d": 1}'


def test_a_long_post_is_cut_into_batches():
    run = RunFactory()
    send(post(run, history=(0, history(0, MAX_ROWS + 10))))
    assert [tail.row_count for tail in Tail.objects.filter(run=run).order_by("row0")] == [MAX_ROWS, 10]
    assert len(rows_of(run)) == MAX_ROWS + 10


def test_a_deleted_run_refuses_and_the_others_of_the_group_are_stored():
    gone, alive = RunFactory(), RunFactory()
    deletion.delete_run(actor=SYSTEM, run=gone)
    refused, stored = write_group(
        [post(gone, history=(0, history(0, 3))), post(alive, history=(0, history(0, 3)))]
    )
    assert getattr(refused, "status", None) == 410
    assert isinstance(stored, Ack)
    assert rows_of(gone) == []


def test_exit_code_0_finishes_and_another_fails():
    good, bad, interrupted = RunFactory(), RunFactory(), RunFactory()
    send(post(good, complete=0), post(bad, complete=1), post(interrupted, complete=255))
    states = [Run.objects.get(pk=run.pk).state for run in (good, bad, interrupted)]
    assert states == [RunState.FINISHED, RunState.FAILED, RunState.KILLED]  # RUN-2


def test_the_last_post_sent_twice_ends_the_run_once():
    run = RunFactory()
    send(post(run, complete=0))
    finished_at = Run.objects.get(pk=run.pk).finished_at
    send(post(run, complete=0))
    assert Run.objects.get(pk=run.pk).finished_at == finished_at
    assert run.state_changes.count() == 2


def test_data_makes_a_crashed_run_run_again_and_a_late_end_counts():
    run = RunFactory()
    run.pulse.heartbeat_at = timezone.now() - timedelta(hours=1)
    run.pulse.save()
    assert lifecycle.find_crashed_runs() == 1
    send(post(run, history=(0, history(0, 3))))
    assert Run.objects.get(pk=run.pk).state == RunState.RUNNING  # RUN-2
    run.pulse.heartbeat_at = timezone.now() - timedelta(hours=1)
    run.pulse.save()
    lifecycle.find_crashed_runs()
    send(post(run, complete=0))
    assert Run.objects.get(pk=run.pk).state == RunState.FINISHED


def test_data_does_not_revive_a_finished_run():
    run = RunFactory()
    send(post(run, complete=0))
    send(post(run, history=(0, history(0, 3))))
    assert Run.objects.get(pk=run.pk).state == RunState.FINISHED
    assert len(rows_of(run)) == 3


def test_a_stop_is_told_until_the_run_ends():
    run = RunFactory()
    [before] = send(post(run))
    lifecycle.stop_run(actor=SYSTEM, run=run)
    [asked] = send(post(run))
    [ended] = send(post(run, complete=255))
    [after] = send(post(run))
    assert [ack.stopped for ack in (before, asked, ended, after)] == [False, True, True, False]  # RUN-4
    assert Run.objects.get(pk=run.pk).state == RunState.KILLED


def store_together(posts):
    """Store posts as one group, since all wait before the thread starts; return what each was told."""

    async def store():
        committer = group_commit.Committer()
        waiting = [asyncio.ensure_future(committer.store(item)) for item in posts]
        await asyncio.sleep(0)
        committer.start()
        committer.drain()
        return await asyncio.gather(*waiting, return_exceptions=True)

    return asyncio.run(store())


@pytest.mark.django_db(transaction=True)
def test_the_committer_answers_after_the_commit_and_drains():
    run = RunFactory()
    acks = store_together([post(run, history=(n, history(n, 1))) for n in range(40)])
    assert all(ack.grown["history"] >= n for n, ack in enumerate(acks, 1))
    assert rows_of(run) == history(0, 40)


@pytest.mark.django_db(transaction=True)
def test_a_post_that_breaks_fails_alone():
    run = RunFactory()
    broken = Post(run_id=run.pk, run=RunPost(run_id=run.pk, bad_lines=[("history", "x", None)]))  # type: ignore[list-item]
    stored, failed = store_together([post(run, history=(0, history(0, 1))), broken])
    assert stored.grown["history"] == 1
    assert isinstance(failed, Unavailable)


@pytest.mark.django_db(transaction=True)
def test_a_post_whose_client_went_away_is_stored_and_harms_no_other():
    run = RunFactory()

    async def store():
        committer = group_commit.Committer()
        gone = asyncio.ensure_future(committer.store(post(run, history=(0, history(0, 1)))))
        other = asyncio.ensure_future(committer.store(post(run, history=(1, history(1, 1)))))
        await asyncio.sleep(0)
        gone.cancel()
        committer.start()
        committer.drain()
        return await other

    assert asyncio.run(store()).grown == {"history": 2}
    assert rows_of(run) == history(0, 2)


@pytest.mark.django_db(transaction=True)
def test_posts_and_upserts_of_one_run_never_wait_for_each_other_in_a_circle():
    """On PostgreSQL a group that locked the pulse before its run met an upsert that locked the run first."""
    run = RunFactory()
    fields = RunFields(notes="changed", summary_text='{"loss": 1}')

    def upsert() -> None:
        try:
            for _ in range(60):
                lifecycle.log_run(actor=SYSTEM, project=run.project, uid=run.uid, fields=fields)
        finally:
            connection.close()

    def write() -> None:
        try:
            for n in range(60):
                end = 0 if n % 3 == 2 else None
                write_group(
                    [post(run, history=(n, history(n, 1)), log=(n, ["line"]), summary="{}", complete=end)]
                )
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        for future in [pool.submit(upsert), pool.submit(upsert), pool.submit(write)]:
            future.result()
    assert rows_of(run) == history(0, 60)
