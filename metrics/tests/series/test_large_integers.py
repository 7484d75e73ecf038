"""Values that no double holds exactly in what charts read (MET-1)."""

from typing import Any

import pytest

from metrics.ingest.transaction import write_group
from metrics.models import Segment, Stream, StreamKind
from metrics.series.selectors import series
from metrics.store import compaction
from metrics.store import reads as store
from metrics.tests.ingest.test_ingest import post
from tests.factories import RunFactory

pytestmark = pytest.mark.django_db


def test_large_integers_are_numbers_of_charts_and_stay_exact(monkeypatch, tmp_path, settings):
    """Clocks in nanoseconds and seeds of 64 bits are drawn as doubles; who reads rows gets each as it was."""
    settings.SEGMENT_ROOT = tmp_path / "segments"
    monkeypatch.setattr("metrics.store.compaction.PACK_AT_ROWS", 2)
    run = RunFactory()
    rows: list[dict[str, Any]] = [
        {
            "_step": step,
            "ns": 2**60 + step,
            "edge": 2**53 - 2 + step,
            "deep": {"neg": -(2**62) - step},
            "small": step,
        }
        for step in range(6)
    ]
    write_group([post(run, history=(0, rows))])
    for packed in (False, True):
        if packed:
            compaction.pack_stream(Stream.objects.get(run=run, kind=StreamKind.HISTORY).pk)
            assert Segment.objects.filter(stream__run=run).exists()
        assert [row for _, row in store.scan(run.pk, StreamKind.HISTORY)] == rows
        drawn = series(run.pk, StreamKind.HISTORY, ["ns", "edge", "deep.neg", "small"])
        assert drawn["ns"]["last"] == [float(row["ns"]) for row in rows]
        assert drawn["edge"]["x"] == [0, 1, 2, 3, 4, 5]
        assert drawn["deep.neg"]["mean"] == [float(row["deep"]["neg"]) for row in rows]
        assert series(run.pk, StreamKind.HISTORY, ["small"], x="ns")["small"]["x"][0] == float(2**60)
        stats = store.key_stats([run.pk], StreamKind.HISTORY)[run.pk]
        assert (stats["ns"].type, stats["ns"].count, stats["ns"].last) == ("number", 6, 2**60 + 5)
        assert (stats["edge"].count, stats["edge"].max) == (6, 2.0**53 + 4)
