"""REST's stream: a writer's lines are stored once and in order, whatever happens to its posts (AGT-5, RUN-8)."""

import asyncio
import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from access.actor import SYSTEM
from common.errors import Gone, Invalid
from ingest.api.stream import read_post
from ingest.selectors import stream_status
from metrics.diagnostics.log_writers import writers_of
from metrics.diagnostics.lost_lines import gap_marks, lost_lines
from metrics.ingest import committer as group_commit
from metrics.ingest.transaction import Ack, GapError, write_group
from metrics.models import Sequence, StreamKind
from metrics.store import reads
from runs.bulk_actions import deletion
from runs.lifecycle import services as lifecycle
from runs.logs.blocks import log_lines_between
from runs.models import BadLine, Pulse, Run
from tests.factories import RunFactory
from tests.suite.examples import examples

pytestmark = pytest.mark.django_db

WRITER, OTHER = "0123456789abcdef", "fedcba9876543210"


@pytest.fixture
def run():
    return RunFactory()


def row(step, **more):
    return {
        "_step": step,
        "_timestamp": 1000.0 + step,
        "_runtime": float(step),
        "loss": 1 / (step + 1),
        **more,
    }


def rows(start, count):
    return [row(step) for step in range(start, start + count)]


def part(offset, rows=None, **more):
    return {"offset": offset, **({} if rows is None else {"rows": rows}), **more}


def post(run, writer=WRITER, **body):
    return read_post(json.dumps({"writer": writer, **body}).encode(), run.pk)


def sent(*posts):
    answers = write_group(posts)
    assert all(isinstance(answer, Ack) for answer in answers), answers
    return answers


def expected_of(answer):
    """Return where a refused client is to go on."""
    assert isinstance(answer, GapError), answer
    assert answer.detail is not None
    return answer.detail["expected"]


def refused(a_post):
    [answer] = write_group([a_post])
    return expected_of(answer)


def history_of(run, kind=StreamKind.HISTORY):
    return [row for _, row in reads.scan(run.pk, kind)]


def log_of(run):
    return log_lines_between(run.pk, 0, Pulse.objects.get(run=run).log_lines)


def now(run):
    return Run.objects.select_related("pulse").get(pk=run.pk)


# -- what is stored ---------------------------------------------------------------------------------------------------


def test_all_that_flows_is_stored_and_told(run):
    """AGT-8."""
    [ack] = sent(
        post(
            run, history=part(0, rows(0, 3)), system=part(0, [{"_timestamp": 1.0, "system.cpu": 5.0}]),
            log=part(0, lines=["one", "two"]), config={"lr": 0.1, "net": {"depth": 2}}, summary={"loss": 0.5},
        )
    )  # fmt: skip
    assert ack.offsets == {"history": 3, "system": 1, "log": 2}
    assert (ack.state, ack.stopped) == ("running", False)
    assert ack.grown == {"history": 3, "system": 1, "log": 2}
    assert history_of(run) == rows(0, 3)
    assert history_of(run, StreamKind.SYSTEM) == [{"_timestamp": 1.0, "system.cpu": 5.0}]
    assert log_of(run) == ["one", "two"]
    assert json.loads(now(run).config_text) == {"lr": {"value": 0.1}, "net": {"value": {"depth": 2}}}
    assert now(run).config_flat == {"lr": 0.1, "net.depth": 2}
    assert now(run).pulse.summary_flat == {"loss": 0.5}
    assert stream_status(now(run), WRITER) == {
        "offsets": ack.offsets, "state": "running", "stop_requested": False,
    }  # fmt: skip
    assert stream_status(now(run), OTHER)["offsets"] == {"history": 0, "system": 0, "log": 0}


def test_configuration_keeps_the_sdks_own_part_and_the_latest_holds(run):
    own = {"_wandb": {"value": {"cli_version": "0.31.0"}}}
    Run.objects.filter(pk=run.pk).update(config_text=json.dumps({"old": {"value": 1}} | own))
    sent(post(run, config={"lr": 1, "_wandb": "mine"}), post(run, config={"lr": float("inf")}))
    assert json.loads(now(run).config_text) == {"lr": {"value": float("inf")}} | own
    assert now(run).config_flat == {"lr": ["Infinity"]}


def test_odd_numbers_come_through(run):
    """AGT-8: bare NaN and Infinity, as the SDK sends them; integers beyond 64 bits."""
    text = '{"writer": "%s", "history": {"offset": 0, "rows": [{"_step": 0, "a": NaN, "b": -Infinity, "c": %d}]}, '
    text += '"summary": {"a": NaN, "c": %d}}'
    sent(read_post((text % (WRITER, 10**30, 10**30)).encode(), run.pk))
    [stored] = history_of(run)
    assert (stored["a"] != stored["a"], stored["b"], float(stored["c"])) == (True, float("-inf"), 1e30)
    assert now(run).pulse.summary_flat["a"] == ["NaN"]


def test_bad_rows_are_set_aside_once_and_keep_their_place(run):
    """RUN-8."""
    deep: Any = {"_step": 1, "x": 1}
    for _ in range(300):
        deep = {"a": deep}
    bad = [row(0), [1, 2], deep, {"_step": 2**70}, row(4)]
    sent(post(run, history=part(0, bad)))
    [ack] = sent(post(run, history=part(0, bad)))
    assert ack.offsets["history"] == 5
    assert history_of(run) == [row(0), row(4)]
    reasons = list(BadLine.objects.filter(run=run).order_by("pk").values_list("kind", "reason"))
    assert reasons == [
        ("history", "not a JSON object but list"),
        ("history", "nested deeper than 200 levels"),
        ("history", "its _step is beyond 64 bits"),
    ]
    assert now(run).pulse.bad_lines == 3


def test_rows_without_steps_are_numbered(run):
    sent(post(run, history=part(0, [{"loss": 1}, {"loss": 2}])))
    sent(post(run, OTHER, history=part(0, [{"loss": 3}])))
    assert [line["_step"] for line in history_of(run)] == [0, 1, 2]


# -- numbers ----------------------------------------------------------------------------------------------------------


def test_repeated_and_overlapping_posts_are_stored_once(run):
    """AGT-5."""
    for start, count in [(0, 5), (0, 5), (3, 6), (1, 2)]:
        sent(post(run, history=part(start, rows(start, count)), log=part(start, lines=["x"] * count)))
    assert stream_status(now(run), WRITER)["offsets"] == {"history": 9, "system": 0, "log": 9}
    assert history_of(run) == rows(0, 9)
    assert log_of(run) == ["x"] * 9


def test_equal_rows_of_one_writer_are_all_kept(run):
    """Numbers alone decide: nothing is taken for a replay because it looks like one."""
    sent(post(run, system=part(0, [{"_timestamp": 1.0, "a": 1}])))
    sent(post(run, system=part(1, [{"_timestamp": 1.0, "a": 1}])))
    sent(post(run, OTHER, system=part(0, [{"_timestamp": 1.0, "a": 1}])))
    assert len(history_of(run, StreamKind.SYSTEM)) == 3


def test_a_gap_refuses_the_whole_post_and_not_the_others_of_its_group(run):
    """AGT-8: 409."""
    other = RunFactory()
    answers = write_group(
        [
            post(other, history=part(0, rows(0, 2))),
            post(
                run, history=part(0, rows(0, 1)), log=part(1, lines=["x"]), summary={"a": 1}, config={"a": 1},
                finish={"exit_code": 0},
            ),
            post(run, OTHER, history=part(0, rows(0, 1))),
            post(run, OTHER, history=part(2, rows(2, 1))),
        ]
    )  # fmt: skip
    assert [type(answer) for answer in answers] == [Ack, GapError, Ack, GapError]
    assert [expected_of(answer)["history"] for answer in answers[1::2]] == [0, 1]
    assert (history_of(run), len(history_of(other)), log_of(run)) == (rows(0, 1), 2, [])
    found = now(run)
    assert (found.state, found.config_text, found.pulse.summary_text) == ("running", "{}", "{}")


def test_posts_of_one_writer_in_one_group_follow_each_other(run):
    sent(*[post(run, history=part(n, rows(n, 1)), log=part(n, lines=[str(n)])) for n in range(5)])
    assert history_of(run) == rows(0, 5)
    assert log_of(run) == list("01234")


def test_what_the_client_lost_is_stored_and_shown_as_a_gap(run):
    """RUN-8, AGT-5."""
    sent(post(run, history=part(0, rows(0, 2)), log=part(0, lines=["a"])))
    assert refused(post(run, history=part(5, rows(5, 1)))) == {"history": 2, "system": 0, "log": 1}
    [ack] = sent(
        post(
            run, history=part(5, rows(5, 1), lost_before=True), log=part(3, lines=["d"], lost_before=True),
            system=part(4, [], lost_before=True),
        )
    )  # fmt: skip
    assert ack.offsets == {"history": 6, "system": 4, "log": 4}
    assert stream_status(now(run), WRITER)["offsets"] == ack.offsets
    assert [(lost.label, lost.count) for lost in lost_lines(run)] == [
        ("history", 3), ("system metrics", 4), ("console log", 2),
    ]  # fmt: skip
    assert len(gap_marks(run)) == 3
    assert (history_of(run), log_of(run)) == ([*rows(0, 2), row(5)], ["a", "d"])
    sent(post(run, history=part(2, rows(2, 4)), system=part(4, [{"_timestamp": 9.0}])))
    assert history_of(run) == [*rows(0, 2), row(5)]  # lost is lost
    assert len(history_of(run, StreamKind.SYSTEM)) == 1


def test_an_empty_part_ahead_of_what_is_stored_is_a_gap(run):
    assert refused(post(run, history=part(1, [])))["history"] == 0


def test_two_writers_keep_their_own_numbers_and_progress_bars(run):
    """AGT-8: a line that begins with a carriage return takes the place of its own writer's."""
    sent(post(run, log=part(0, lines=["a 0%", "\ra 10%"])))
    sent(post(run, OTHER, log=part(0, lines=["b 0%"])))
    [one, two] = sent(
        post(run, log=part(2, lines=["\ra 50%"])), post(run, OTHER, log=part(1, lines=["\rb 90%", "b done"]))
    )
    assert (one.offsets["log"], two.offsets["log"]) == (3, 3)
    assert log_of(run) == ["a 50%", "b 90%", "b done"]
    assert [(writer.id, writer.ranges) for writer in writers_of(now(run))] == [
        (WRITER, [(0, 1)]), (OTHER, [(1, 2)]),
    ]  # fmt: skip


def test_a_writer_takes_one_row_of_the_database_however_many_others_write(run):
    """Each post reads those of its run: a host may be attached for months."""
    for number in range(20):
        for writer in (WRITER, OTHER):
            sent(post(run, writer, system=part(number, [{"_timestamp": float(number)}])))
    assert Sequence.objects.filter(run=run).count() == 2
    assert stream_status(now(run), WRITER)["offsets"]["system"] == 20


@given(
    logged=st.integers(0, 30),
    deliveries=st.lists(st.tuples(st.integers(0, 30), st.integers(1, 12), st.booleans()), max_size=12),
)
@settings(
    max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_whatever_the_network_does_the_server_ends_with_what_was_logged(logged, deliveries):
    """AGT-5, RUN-8: posts cut anyhow, repeated, reordered, two in a group; the client goes on where 409 says."""
    run, lines, entries = RunFactory(), rows(0, logged), [f"line {n}" for n in range(logged)]

    def cut(start, stop):
        return post(run, history=part(start, lines[start:stop]), log=part(start, lines=entries[start:stop]))

    expected = 0
    for begin, count, is_twice in deliveries:
        start, stop = min(begin, logged), min(begin + count, logged)
        for answer in write_group([cut(start, stop) for _ in range(2 if is_twice else 1)]):
            if start > expected:
                assert expected_of(answer) == {"history": expected, "system": 0, "log": expected}
            else:
                expected = max(expected, stop)
                assert isinstance(answer, Ack)
                assert answer.offsets["history"] == expected
    sent(cut(expected, logged))
    assert (history_of(run), log_of(run)) == (lines, entries)


def test_a_large_group_costs_no_more_queries_than_rows_or_writers(run, django_assert_max_num_queries):
    runs = [RunFactory() for _ in range(8)]

    def group(start, count):
        return [
            post(
                one, writer, history=part(start, rows(start, count)), summary={"a": 1}, config={"a": start},
                log=part(start, lines=["x"] * count),
            )
            for one in runs for writer in (WRITER, OTHER)
        ]  # fmt: skip

    sent(*group(0, 1))
    with django_assert_max_num_queries(20):
        sent(*group(1, 200))


# -- the run's state --------------------------------------------------------------------------------------------------


def test_the_end_may_be_sent_twice_and_rows_come_after_it(run):
    """AGT-8: a late sync does not make a run run again."""
    sent(post(run, history=part(0, rows(0, 1)), finish={"exit_code": 3}))
    [ack] = sent(post(run, history=part(0, rows(0, 1)), finish={"exit_code": 3}))
    assert (ack.state, now(run).exit_code, run.state_changes.count()) == ("failed", 3, 2)
    [ack] = sent(post(run, history=part(1, rows(1, 1))))
    assert (ack.state, ack.offsets["history"], history_of(run)) == ("failed", 2, rows(0, 2))
    assert now(run).state == "failed"


def test_posts_make_a_run_run_again_that_was_assumed_crashed_and_a_late_end_counts(run):
    """RUN-2."""
    long_ago = timezone.now() - timedelta(days=1)
    Pulse.objects.filter(run=run).update(heartbeat_at=long_ago)
    lifecycle.find_crashed_runs()
    assert now(run).state == "crashed"
    [ack] = sent(post(run))
    assert (ack.state, now(run).state) == ("running", "running")
    Pulse.objects.filter(run=run).update(heartbeat_at=long_ago)
    lifecycle.find_crashed_runs()
    [ack] = sent(post(run, finish={"exit_code": 0}))
    assert ack.state == "finished"


def test_a_preempted_machine_is_told(run):
    """RUN-2: a run on it that does not end well is to be queued again."""
    [ack] = sent(post(run, preempting=True))
    assert (ack.state, now(run).state) == ("preempting", "preempting")
    [ack] = sent(post(run, finish={"exit_code": 143}))
    assert (ack.state, now(run).exit_code) == ("preempted", 143)


def test_a_live_run_ended_when_it_says_if_that_is_told_later(run):
    """RUN-3: neither before it began nor after it was heard of."""
    began, heard = run.started_at, timezone.now() + timedelta(days=2)
    for told, ended in [(3600, 3600), (-5, 0), (10**9, 2 * 86_400)]:
        with transaction.atomic():
            lifecycle.finish_run(
                run_id=run.pk, exit_code=0, at=heard, claimed_at=began + timedelta(seconds=told)
            )
            assert round(now(run).runtime_s) == ended
            transaction.set_rollback(True)


def test_a_stop_is_told_until_the_run_ends(run):
    """RUN-4."""
    lifecycle.stop_run(actor=SYSTEM, run=run)
    assert [ack.stopped for ack in sent(post(run), post(run, OTHER, attached=True))] == [True, True]
    assert stream_status(now(run), WRITER)["stop_requested"]
    [ack] = sent(post(run, finish={"exit_code": 255}))
    assert (ack.state, ack.stopped) == ("killed", False)


def test_who_is_attached_gives_no_sign_of_life(run):
    """AGT-2: samples of the machine do not keep a run alive that has crashed."""
    long_ago = timezone.now() - timedelta(days=1)
    Pulse.objects.filter(run=run).update(heartbeat_at=long_ago)
    sample = [{"_timestamp": 1.0, "system.cpu": 5.0}]
    [ack] = sent(post(run, attached=True, system=part(0, sample)))
    assert (ack.state, ack.offsets["system"]) == ("running", 1)
    assert now(run).pulse.heartbeat_at == long_ago
    lifecycle.find_crashed_runs()
    [ack] = sent(post(run, attached=True, system=part(1, sample)))
    assert (ack.state, now(run).state, len(history_of(run, StreamKind.SYSTEM))) == ("crashed", "crashed", 2)


def test_a_deleted_run_is_gone(run):
    """RUN-9."""
    deletion.delete_run(actor=SYSTEM, run=run)
    [answer] = write_group([post(run, history=part(0, rows(0, 1)))])
    assert isinstance(answer, Gone)


@pytest.mark.django_db(transaction=True)
def test_the_committer_refuses_a_gap_and_stores_its_neighbours():
    """AGT-8: 409 of one is no matter of the others in its group."""
    run, other = RunFactory(), RunFactory()

    async def go():
        committer = group_commit.Committer()
        posts = [post(run, history=part(1, rows(1, 1))), post(other, history=part(0, rows(0, 1)))]
        waiting = [asyncio.create_task(committer.store(one)) for one in posts]
        await asyncio.sleep(0)
        committer.start()
        answers = await asyncio.gather(*waiting, return_exceptions=True)
        await asyncio.to_thread(committer.drain)
        return answers

    refusal, ack = asyncio.run(go())
    assert (type(refusal), type(ack)) == (GapError, Ack)
    assert (history_of(run), history_of(other)) == ([], rows(0, 1))


# -- what is refused --------------------------------------------------------------------------------------------------

ROWS = {"offset": 0, "rows": []}


@pytest.mark.parametrize(
    "body",
    [
        "[]", "{", "null", '{"writer": 5}', "{}", '{"writer": ""}', '{"writer": "0123456789ABCDEF"}',
        '{"writer": "0123456789abcdef\\n"}', '{"writer": "0123456789abcdef0"}',
    ],
)  # fmt: skip
def test_a_body_without_a_writer_is_refused(body):
    with pytest.raises(Invalid):
        read_post(body.encode(), 1)


@pytest.mark.parametrize(
    "wrong",
    [
        {"history": []}, {"history": {}}, {"history": {"offset": 0}}, {"history": {"rows": []}},
        {"history": {"offset": -1, "rows": []}}, {"history": {"offset": 1.5, "rows": []}},
        {"history": {"offset": True, "rows": []}}, {"history": {"offset": 2**53, "rows": []}},
        {"history": ROWS | {"lost_before": "yes"}}, {"log": {"offset": 0, "lines": [5]}},
        {"log": {"offset": 0, "lines": "text"}}, {"config": []}, {"summary": "x"}, {"attached": 1},
        {"finish": {"exit_code": 0, "ended_at": "now"}}, {"finish": {"exit_code": 0, "ended_at": 1.8e9}},
        {"finish": {"exit_code": 0, "ended_at": "2026-11-22T10:00:00"}},
        {"preempting": "now"}, {"finish": 0}, {"finish": {}}, {"finish": {"exit_code": "0"}},
        *({"attached": True, name: value} for name, value in {
            "history": ROWS, "log": {"offset": 0, "lines": []}, "config": {}, "summary": {}, "preempting": True,
            "finish": {"exit_code": 0},
        }.items()),
    ],
    ids=json.dumps,
)  # fmt: skip
def test_a_part_of_another_shape_is_refused_with_its_name(wrong):
    """AGT-8: a mistake of the client is told, and nothing of the post is taken."""
    with pytest.raises(Invalid) as refusal:
        read_post(json.dumps({"writer": WRITER, **wrong}).encode(), 1)
    named = [name for name in wrong if name in refusal.value.message]
    assert named


def test_what_is_null_or_unknown_is_left_out(run):
    parts = ("history", "system", "log", "config", "summary", "finish", "attached", "preempting")
    [ack] = sent(post(run, **dict.fromkeys(parts), later={"a": 1}))
    assert ack.state == "running"


def test_exit_codes_of_other_systems_are_failures(run):
    """Windows has such beyond 32 bits."""
    sent(post(run, finish={"exit_code": 3221225477}))
    assert (now(run).state, now(run).exit_code) == ("failed", 1)
