"""History as Parquet: what comes back is what was logged, or there is no file (MET-3)."""

import json
import math

import pyarrow.parquet as pq
import pytest

from access.actor import SYSTEM
from metrics.downloads import sdk_parquet
from metrics.ingest.branching import rewind_run
from metrics.ingest.transaction import write_group
from metrics.tests.ingest.test_ingest import post
from runs.models import Run
from storage import filesystem
from storage.models import Blob
from tests.factories import RunFactory

pytestmark = pytest.mark.django_db


def lines(*rows, start=0):
    return [
        {"_step": step, "_timestamp": 10.0 + step, "_runtime": float(step), **row}
        for step, row in enumerate(rows, start)
    ]


def run_with(*rows, offset=0, run=None):
    run = run or RunFactory()
    write_group([post(run, history=(offset, list(rows)), complete=0)])
    return Run.objects.get(pk=run.pk)


def files_of(run):
    return [pq.read_table(filesystem.path_of(blob.location)) for blob in sdk_parquet.history_files(run)]


def whole_of(run, *, revealed=True):
    [blob] = sdk_parquet.full_files(run, revealed=revealed)
    return pq.read_table(filesystem.path_of(blob.location))


def test_numbers_texts_and_booleans_come_back():
    sent = lines({"loss": 0.5, "n": 1, "t": "é", "y": True}, {"loss": 1, "n": 2, "t": "", "y": False})
    [table] = files_of(run_with(*sent))
    assert table.to_pylist() == sent
    assert [str(table.schema.field(name).type) for name in ("n", "loss")] == ["int64", "double"]


def test_not_a_number_and_infinities_are_kept():
    [table] = files_of(run_with(*lines({"loss": math.nan}, {"loss": -math.inf})))
    first, second = table["loss"].to_pylist()
    assert math.isnan(first)
    assert second == -math.inf


@pytest.mark.parametrize(
    "rows",
    [
        ({"odd": 1}, {}),
        ({"odd": 1}, {"odd": "one"}),
        ({"odd": None},),
        ({"odd": {"a": 1}},),
        ({"odd": {"_type": "histogram", "values": [1]}},),
        ({"odd": [1]},),
        ({"odd": 2**60},),
        ({"odd": 2**60}, {"odd": 1}),
        ({"odd": 2**63},),
        ({"odd\x1fkey": 1},),
        ({"odd": "\ud800"},),
    ],
)
def test_a_history_that_would_not_come_back_has_no_files(rows):
    run = run_with(*lines(*rows))
    assert files_of(run) == []
    assert files_of(run) == []  # the second time from the cache
    assert not Blob.objects.exists()


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2], "int64"),
        ([1, 2**60, -(2**63)], "int64"),
        ([1, 0.5, 2.0], "double"),
        ([0.5, math.inf, 2**53], "double"),
        ([True, False], "bool"),
        (["a", "é"], "string"),
    ],
)
def test_a_download_has_the_narrowest_type_that_holds_all_values(values, kind):
    table = whole_of(run_with(*lines(*({"odd": value} for value in values), {})))
    assert table["odd"].to_pylist() == [*values, None]
    assert str(table.schema.field("odd").type) == kind


@pytest.mark.parametrize(
    "values",
    [[0.5, 2**53 + 1], [1, "one"], [2**63, 1], [{"_type": "histogram", "values": [1]}], [[1, 2]], [True, 1]],
)
def test_a_download_has_json_of_what_no_plain_type_holds(values):
    """MET-3: neither an integer beyond 2^53 nor a fraction beside it loses a digit."""
    found = whole_of(run_with(*lines(*({"odd": value} for value in values))))["odd"].to_pylist()
    assert [value if value == "one" else json.loads(value) for value in found] == values


def test_a_download_has_every_name_and_text():
    deep = {"a": {"b": {"c": {"d": {"e": {"f": {"g": {"h": 1}}}}}}}}
    table = whole_of(run_with(*lines({"odd\x1fkey": 1, "\ud800": 2, "text": "\ud800", "none": None, **deep})))
    assert table["odd.key"].to_pylist() == [1]
    assert table["?"].to_pylist() == [2]
    assert table["text"].to_pylist() == ["?"]
    assert table["a.b.c.d.e.f.g.h"].to_pylist() == [1]


def test_a_download_of_a_rewound_run_has_what_is_left():
    run = run_with(*lines({"loss": 1.0}, {"loss": 2.0}))
    assert whole_of(run)["loss"].to_pylist() == [1.0, 2.0]
    rewind_run(actor=SYSTEM, run=run, step=0)
    run = run_with(*lines({"loss": 3.0}, start=1), offset=1, run=run)
    assert whole_of(run)["loss"].to_pylist() == [1.0, 3.0]


def test_a_download_masks_secrets_for_who_may_not_read_them():
    run = run_with(*lines({"odd": "hf_" + "a1B2c3D4e5" * 4}))
    assert "a1B2c3D4e5" in str(whole_of(run))
    assert "a1B2c3D4e5" not in str(whole_of(run, revealed=False))


def test_rows_are_in_the_order_of_their_steps():
    run = RunFactory()
    for offset, step in enumerate([0, 1, 5, 6, 2, 3, 6]):
        run = run_with(
            {"_step": step, "_timestamp": 1.0 + offset, "_runtime": 1.0, "at": offset}, run=run, offset=offset
        )
    [table] = files_of(run)
    assert table["_step"].to_pylist() == [0, 1, 2, 3, 5, 6, 6]
    assert table["at"].to_pylist() == [0, 1, 4, 5, 2, 3, 6]


def test_an_active_run_and_an_empty_one_have_no_files():
    run = RunFactory()
    write_group([post(run, history=(0, lines({"loss": 1.0})))])
    assert files_of(Run.objects.get(pk=run.pk)) == []
    assert files_of(run_with()) == []


def test_a_file_never_changes_and_a_resumed_run_adds_one():
    """The SDK keeps the file of a number for ever."""
    run = run_with(*lines({"loss": 1.0}, {"loss": 2.0}))
    [first] = files_of(run)
    run = run_with(*lines({"loss": 3.0}, start=2), offset=2, run=run)
    again, second = files_of(run)
    assert again == first
    assert second["_step"].to_pylist() == [2]
    Blob.objects.all().delete()  # the sweep has been
    assert files_of(run) == [first, second]


def test_a_rewound_run_is_read_live():
    run = run_with(*lines({"loss": 1.0}, {"loss": 2.0}))
    assert files_of(run) != []
    rewind_run(actor=SYSTEM, run=run, step=0)
    assert files_of(Run.objects.get(pk=run.pk)) == []
