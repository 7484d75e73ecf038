"""Sizes of the metric store, read when Prometheus asks."""

from collections.abc import Iterator

from django.db.models import Count, F, Sum
from django.db.models.functions import Coalesce
from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily

from metrics.models import Segment, Stream
from metrics.store.compaction import due_streams


def read_store() -> Iterator[Metric]:
    """Yield what the metric store holds: three queries."""
    tail = Stream.objects.aggregate(
        rows=Coalesce(Sum(F("next_row") - F("packed_to")), 0), size=Coalesce(Sum("tail_bytes"), 0)
    )
    cold = Segment.objects.aggregate(count=Count("pk"), size=Coalesce(Sum("size_bytes"), 0))
    yield GaugeMetricFamily(
        "runyard_tail_rows", "Rows in the tail: not packed yet, or too few to be.", tail["rows"]
    )
    yield GaugeMetricFamily("runyard_tail_bytes", "Bytes of the tail's payloads.", tail["size"])
    yield GaugeMetricFamily(
        "runyard_packing_due_streams", "Streams that are due to be packed.", due_streams().count()
    )
    yield GaugeMetricFamily("runyard_segments", "Segments: files of packed metrics.", cold["count"])
    yield GaugeMetricFamily("runyard_segment_bytes", "Bytes of all segments.", cold["size"])
