"""Rows that are too wide, and runs with too many keys: set aside and marked, and everything else goes on (RUN-8)."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from common.errors import Invalid
from ingest.api import stream as rest
from metrics.downloads.formats import DownloadFormat, pieces_of
from metrics.ingest.transaction import Ack, write_group
from metrics.models import Segment, Stream, StreamKeys, StreamKind
from metrics.series import history_rows, selectors
from metrics.store import keysets, reads
from metrics.store.compaction import pack_stream
from metrics.workspace import logged_keys
from runs.lifecycle.fields import RunFields, apply_fields
from runs.lifecycle.services import set_summary
from runs.models import BadLine, Pulse
from tests.factories import RunFactory
from wandb_api.file_stream.endpoint import read_post

pytestmark = pytest.mark.django_db

SYSTEM, HISTORY = StreamKind.SYSTEM, StreamKind.HISTORY


def row(step, **more):
    return {"_step": step, "_timestamp": 1000.0 + step, "_runtime": float(step), **more}


def wide(step, first, count, value=0.5):
    return row(step, **{f"k{number:03}": value for number in range(first, first + count)})


def post(run, offset, rows, *, writer="", kind="history", summary=None):
    name = {"history": "wandb-history.jsonl", "system": "wandb-events.jsonl"}[kind]
    lines = [one if isinstance(one, str) else json.dumps(one) for one in rows]
    files = {name: {"offset": offset, "content": lines}} if lines else {}
    if summary is not None:
        files["wandb-summary.json"] = {"offset": 0, "content": [json.dumps(summary)]}
    return read_post(json.dumps({"files": files}).encode(), run.pk, writer)


def rest_post(run, **body):
    return rest.read_post(json.dumps({"writer": "0123456789abcdef", **body}).encode(), run.pk)


def send(*posts):
    answers = write_group(posts)
    assert all(isinstance(answer, Ack) for answer in answers), answers
    return answers


def steps_of(run, kind=HISTORY):
    return [one["_step"] for _, one in reads.scan(run.pk, kind)]


def keys_of(run, kind=HISTORY):
    return [one["key"] for one in selectors.keys_json(run.pk, kind)["keys"]]


def reasons_of(run):
    reasons = list(BadLine.objects.filter(run=run).order_by("pk").values_list("reason", flat=True))
    assert Pulse.objects.get(run=run).bad_lines == len(reasons)
    return reasons


# -- one row ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        {f"k{number}": number for number in range(18)},
        {
            "a": {f"k{number}": number for number in range(9)},
            "b": {f"k{number}": number for number in range(9)},
        },
        {"a": [[number] for number in range(18)]},
        {f"k{number}": [number] for number in range(18)},
        {"a": [{"x": number, "y": "one, two"} for number in range(9)]},
    ],
    ids=["flat", "objects", "lists", "lists of one", "both"],
)
def test_a_row_of_too_many_values_is_set_aside_with_the_limit_and_its_setting(settings, values):
    """However they are nested; one of as many as are taken is stored, commas in texts count for nothing."""
    settings.ROW_MAX_VALUES = 20
    by_sdk, by_rest = RunFactory(), RunFactory()
    rows = [
        row(0, a=1),
        row(1, **values),
        row(2, text="," * 30, **{f"k{n}": 1 for n in range(16)}),
        row(3, a=2),
    ]
    send(post(by_sdk, 0, rows), rest_post(by_rest, history={"offset": 0, "rows": rows}))
    for run in (by_sdk, by_rest):
        assert steps_of(run) == [0, 2, 3]
        assert reads.cursor(run.pk, HISTORY) == 4
        assert reasons_of(run) == ["more than 20 values (setting RUNYARD_ROW_MAX_VALUES)"]
    send(post(by_sdk, 4, [row(4, a=3)]), rest_post(by_rest, history={"offset": 4, "rows": [row(4, a=3)]}))
    assert steps_of(by_sdk) == steps_of(by_rest) == [0, 2, 3, 4]


def test_a_wide_row_is_set_aside_before_it_is_decoded(settings, monkeypatch):
    settings.ROW_MAX_VALUES = 20
    decoded: list[str] = []

    def read_lines(lines):
        decoded.extend(lines)
        return [{} for _ in lines], []

    monkeypatch.setattr("wandb_api.file_stream.line_decoding.read_lines", read_lines)
    post(RunFactory(), 0, [wide(0, 0, 100)])
    assert decoded == ["{}"]


def test_a_summary_and_a_config_have_the_same_limit(settings):
    settings.ROW_MAX_VALUES = 20
    run, many = RunFactory(), {f"k{number}": number for number in range(21)}
    send(post(run, 0, [], summary={"a": 1}))
    send(post(run, 0, [], summary=many))
    assert Pulse.objects.get(run=run).summary_flat == {"a": 1}
    assert reasons_of(run) == ["more than 20 values (setting RUNYARD_ROW_MAX_VALUES)"]
    for refused in (
        lambda: rest_post(run, summary=many),
        lambda: rest_post(run, config=many),
        lambda: set_summary(run, json.dumps(many)),
        lambda: apply_fields(run, RunFields(config_text=json.dumps(many))),
    ):
        with pytest.raises(Invalid, match="RUNYARD_ROW_MAX_VALUES"):
            refused()


def test_processes_that_share_a_run_have_one_summary_within_the_limit(settings):
    settings.ROW_MAX_VALUES = 20
    run = RunFactory()
    for number in range(4):
        summary = {f"w{number}k{key}": key for key in range(8)}
        send(post(run, 0, [], writer=f"w{number}", summary=summary))
    assert len(Pulse.objects.get(run=run).summary_flat) == 16
    assert reasons_of(run) == ["more than 20 values (setting RUNYARD_ROW_MAX_VALUES)"] * 2


# -- all rows of a run ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [HISTORY, SYSTEM])
@pytest.mark.parametrize("value", [0.5, "text", {"x": 1}], ids=["numbers", "texts", "nested"])
def test_rows_beyond_the_keys_of_a_run_are_set_aside_and_those_with_known_keys_go_on(settings, kind, value):
    """Ten keys and the three that the SDK adds."""
    settings.RUN_MAX_KEYS = 13
    run, other, label = RunFactory(), RunFactory(), str(kind.label)
    for offset, one in enumerate(
        [
            wide(0, 0, 6, value),
            wide(1, 6, 5, value),
            wide(2, 6, 4, value),
            wide(3, 0, 2, value),
            wide(4, 9, 2, value),
        ]
    ):
        send(post(run, offset, [one], kind=label), post(other, offset, [row(offset, a=1)], kind=label))
    assert steps_of(run, kind) == [0, 2, 3]
    assert steps_of(other, kind) == [0, 1, 2, 3, 4]
    assert len(keys_of(run, kind)) == 10
    assert reads.cursor(run.pk, kind) == 5
    assert reasons_of(run) == ["its run would have more than 13 keys (setting RUNYARD_RUN_MAX_KEYS)"] * 2
    [line] = BadLine.objects.filter(run=run)[:1]
    assert line.kind == label
    assert json.loads(line.text) == wide(1, 6, 5, value)


def test_rows_of_one_post_have_their_turn_one_by_one(settings):
    settings.RUN_MAX_KEYS = 13
    run, by_rest = RunFactory(), RunFactory()
    rows = [wide(0, 0, 9), wide(1, 9, 9), wide(2, 9, 1), wide(3, 10, 1), wide(4, 0, 10)]
    send(post(run, 0, rows), rest_post(by_rest, history={"offset": 0, "rows": rows}))
    for one in (run, by_rest):
        assert steps_of(one) == [0, 2, 4]
        assert len(reasons_of(one)) == 2


def test_the_count_survives_a_restart_and_a_run_over_a_lowered_limit_goes_on(settings):
    settings.RUN_MAX_KEYS = 13
    run = RunFactory()
    send(post(run, 0, [wide(0, 0, 10)]))
    keysets.clear_cache()
    settings.RUN_MAX_KEYS = 8
    send(post(run, 1, [wide(1, 0, 10), wide(2, 10, 1), wide(3, 3, 3)]))
    assert steps_of(run) == [0, 1, 3]


def test_a_post_sent_again_is_stored_once_though_rows_of_it_were_set_aside(settings):
    settings.RUN_MAX_KEYS, settings.ROW_MAX_VALUES = 13, 20
    run, by_rest = RunFactory(), RunFactory()
    rows = [wide(0, 10, 12), wide(1, 0, 9), wide(2, 9, 30), wide(3, 0, 9), "{"]
    objects = [one for one in rows if one != "{"]
    for _ in range(2):
        send(post(run, 0, rows[:1] + rows[2:]), rest_post(by_rest, history={"offset": 0, "rows": objects}))
    assert steps_of(run) == [3]
    assert reads.cursor(run.pk, HISTORY) == 4
    assert (steps_of(by_rest), len(reasons_of(by_rest))) == ([1, 3], 2)


def test_a_group_costs_one_query_more_for_all_runs_that_bring_new_keys(settings):
    """And none where all keys are known."""

    def queries(*posts):
        with CaptureQueriesContext(
            connection,
        ) as found:
            send(*posts)
        return [one["sql"] for one in found if "metrics_streamkeys" in one["sql"]]

    runs = [RunFactory() for _ in range(5)]
    assert len(queries(*(post(run, 0, [wide(0, 0, 3)]) for run in runs))) == 2
    assert not queries(*(post(run, 1, [wide(1, 0, 3)]) for run in runs))
    assert len(queries(*(post(run, 2, [wide(2, 3, 3)]) for run in runs))) == 2
    assert StreamKeys.objects.count() == 5


def test_a_post_of_more_values_than_keys_is_decoded_in_parts_and_comes_out_the_same(settings):
    settings.RUN_MAX_KEYS = 13
    run = RunFactory()
    rows = [row(step, k=step / 3, nan=float("nan"), nested={"x": [step, {"k": step}]}) for step in range(40)]
    rows[7:7] = ["no JSON"]
    send(post(run, 0, rows))
    found = [one for _, one in reads.scan(run.pk, HISTORY)]
    assert json.dumps(found, sort_keys=True) == json.dumps(
        [one for one in rows if one != "no JSON"], sort_keys=True
    )
    assert reads.cursor(run.pk, HISTORY) == 41


# -- rows that only keep a place --------------------------------------------------------------------------------------


def pack(run):
    run.state = "finished"
    run.save()
    stream = Stream.objects.get(run=run, kind=HISTORY)
    pack_stream(stream.pk)
    assert Segment.objects.filter(stream=stream).exists()


@pytest.mark.parametrize("is_packed", [False, True])
def test_a_line_that_was_set_aside_is_no_row_for_readers(monkeypatch, is_packed):
    monkeypatch.setattr("metrics.store.compaction.PACK_ENDED_AT_ROWS", 1)
    run = RunFactory()
    send(post(run, 0, ["{", row(0, a=1), "[]", row(1, b="text"), "{"]))
    if is_packed:
        pack(run)
    found = [row(0, a=1), row(1, b="text")]
    assert reads.cursor(run.pk, HISTORY) == 5
    assert [one for _, one in reads.scan(run.pk, HISTORY)] == found
    assert history_rows.sampled(run.pk, HISTORY, 500) == found
    assert history_rows.sampled(run.pk, HISTORY, 2) == found
    assert history_rows.between(run.pk, float("-inf"), float("inf")) == found
    assert json.loads(reads.last_lines([run.pk], HISTORY)[run.pk]) == found[-1]
    jsonl = b"".join(pieces_of(run.pk, HISTORY, DownloadFormat.JSONL, revealed=True))
    assert [json.loads(line) for line in jsonl.splitlines()] == found
    csv = b"".join(pieces_of(run.pk, HISTORY, DownloadFormat.CSV, revealed=True))
    assert len(csv.splitlines()) == 3


def test_a_run_of_nothing_but_bad_lines_has_no_last_row():
    run = RunFactory()
    send(post(run, 0, ["{", "["]))
    assert not reads.last_lines([run.pk], HISTORY)
    assert history_rows.sampled(run.pk, HISTORY, 500) == []


def test_posts_that_begin_with_a_bad_line_go_on_where_the_last_ended():
    """An empty row is no other line come again; a replay is found by the lines beside it."""
    run = RunFactory()
    send(post(run, 0, ["{", row(0, a=1)]))
    send(post(run, 2, ["{", row(1, a=2)]))
    send(post(run, 4, ["{"]))
    assert reads.cursor(run.pk, HISTORY) == 5
    send(post(run, 2, ["{", row(1, a=2)]))
    send(post(run, 5, ["{", row(0, a=1), "{", row(1, a=2)]))  # as `wandb sync` sends a killed run
    assert steps_of(run) == [0, 1]
    assert reads.cursor(run.pk, HISTORY) == 5


# -- lists of keys ----------------------------------------------------------------------------------------------------


def test_keys_are_listed_in_parts(monkeypatch):
    monkeypatch.setattr(selectors, "MAX_LISTED", 4)
    monkeypatch.setattr(logged_keys, "MAX_LISTED", 4)
    run = RunFactory()
    send(post(run, 0, [wide(0, 0, 10)]))
    first = selectors.keys_json(run.pk, HISTORY)
    parts = [first]
    while parts[-1]["next"] is not None:
        parts.append(selectors.keys_json(run.pk, HISTORY, after=parts[-1]["next"]))
    assert [len(part["keys"]) for part in parts] == [4, 4, 2]
    assert [one["key"] for part in parts for one in part["keys"]] == [f"k{number:03}" for number in range(10)]
    assert [one["key"] for one in logged_keys.keys_json([run.pk], HISTORY)["keys"]] == [
        "k000",
        "k001",
        "k002",
        "k003",
    ]
