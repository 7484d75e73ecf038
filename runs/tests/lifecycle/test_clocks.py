"""RUN-3: what a run's own clock says: for how long it ran, and of one that is synced from offline, when."""

import json
from datetime import UTC, datetime

import pytest

from runs.lifecycle.client_clock import (
    MAX_CLOCK_S,
    began_another,
    begins_in,
    clock_of,
    span_of,
    was_sent_later,
)

MONDAY = datetime(2026, 11, 23, 10, 0, tzinfo=UTC)
TOLD = "2026-11-23T10:00:00Z"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"_runtime": 12.9}', 12), ('{"_runtime": 3, "_wandb": {"runtime": 60}}', 60), ("{}", 0), ("[1]", 0),
        ("no JSON", 0), ('{"_runtime": NaN}', 0), ('{"_runtime": Infinity}', 0), ('{"_runtime": -5}', 0),
        ('{"_runtime": true, "_wandb": 1}', 0), ('{"_runtime": "60"}', 0), ('{"_runtime": {"max": 4}}', 0),
        ('{"_runtime": 1793000000.5}', MAX_CLOCK_S), ('{"_runtime": 1' + "0" * 400 + "}", 0),
    ],
)  # fmt: skip
def test_a_runs_clock_is_read_from_its_summary(text, found):
    assert clock_of(text) == found


@pytest.mark.parametrize(
    ("telemetry", "found"),
    [
        ({"3": [4, 14, 16]}, True), ({"3": [2, 14, 42]}, True), ({"3": [76]}, True), ({"3": [2, 14, 16]}, False),
        ({"3": []}, False), ({"3": "4"}, False), ({"3": [4.0, True, None]}, False), ({}, False),
        ([4], False), (None, False),
    ],
)  # fmt: skip
def test_telemetry_says_whether_a_run_was_sent_later(telemetry, found):
    assert was_sent_later({"t": telemetry}) is found


@pytest.mark.parametrize(
    "told",
    [
        TOLD, "2026-11-23T10:00:00.000000Z", "2026-11-23T10:00:00", "2026-11-23T11:00:00+01:00",
    ],
)  # fmt: skip
def test_every_spelling_of_a_begin_is_read(told):
    assert begins_in({"e": {"w": {"startedAt": told}}}) == {MONDAY}
    assert begins_in({"start_time": MONDAY.timestamp()}) == {MONDAY}


@pytest.mark.parametrize(
    "told",
    ["", "soon", None, True, [], {}, "2009-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z"],
)
def test_nonsense_is_no_begin(told):
    assert begins_in({"e": {"w": {"startedAt": told}}}) == set()


@pytest.mark.parametrize("told", [0, -1, 1e300, float("nan"), float("inf"), True, "1763892000", None])
def test_nonsense_is_no_begin_of_an_old_sdk(told):
    assert begins_in({"start_time": told}) == set()


def end_of(sdk, *, goes_on=False, **summary):
    begins, ended_at = span_of(sdk, json.dumps(summary), goes_on=goes_on)
    return [(at - MONDAY).total_seconds() for at in sorted(begins)], ended_at and (
        ended_at - MONDAY
    ).total_seconds()


def test_a_run_ends_when_its_clock_says_or_with_its_last_line():
    """A resumed run's clock goes on from the lifetime before. At the end, SDK 0.31 tells the end's ``_runtime``."""
    sdk, at = {"e": {"w": {"startedAt": TOLD}}}, MONDAY.timestamp()
    assert end_of(sdk, _timestamp=at + 50, _runtime=49.5, _wandb={"runtime": 60}) == ([0], 60)
    assert end_of(sdk, _timestamp=at + 50, _runtime=60, _wandb={"runtime": 60}) == ([0], 60)
    assert end_of(sdk, _timestamp=at + 50, _runtime=1060, _wandb={"runtime": 1060}, goes_on=True) == ([0], 50)
    assert end_of(sdk, _timestamp=at + 50, _runtime=49.5) == ([0], 50)
    assert end_of(sdk, _wandb={"runtime": 60}) == ([0], 60)
    assert end_of(sdk, _wandb={"runtime": 60}, goes_on=True) == ([0], None)
    assert end_of(sdk) == ([0], None)
    assert end_of({}, _timestamp=at + 50, _runtime=50) == ([0], 50)
    assert end_of({}) == ([], None)
    assert end_of(sdk, _timestamp="now", _runtime="long", _wandb=[1]) == ([0], None)


def test_another_process_is_told_by_its_begin():
    def config(**own):
        return json.dumps({"_wandb": {"value": own}})

    first, second = (
        config(e={"w": {"startedAt": TOLD}}),
        config(e={"v": {"startedAt": "2026-11-23T11:00:00Z"}}),
    )
    assert began_another(first, second)
    assert began_another(first, config(cli_version="0.31.0"))
    assert not began_another(first, first)
    assert not began_another("{}", first)
    assert began_another(config(start_time=1.8e9), config(start_time=1.8e9 + 60))
