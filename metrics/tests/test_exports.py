"""History as Parquet: what comes back is what was logged, or there is no file (MET-3)."""

import math

import pyarrow.parquet as pq
import pytest
from django.core.cache import cache

from access.actor import SYSTEM
from metrics import exports, keysets
from metrics.group_commit import write_group
from metrics.services import rewind_run
from metrics.tests.test_ingest import post
from runs.models import Run
from storage import local
from storage.models import Blob
from tests.factories import RunFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh_caches():
    keysets.forget()
    cache.clear()
    yield
    keysets.forget()
    cache.clear()


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
    return [pq.read_table(local.path_of(blob.location)) for blob in exports.history_files(run)]


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
