"""What the server tells of runs as a whole."""

from collections.abc import Iterator

from django.db.models import Count
from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily

from runs.models import Run
from runs.states import RunState


def states() -> Iterator[Metric]:
    """Yield how many runs are in which state: one query."""
    found = dict(Run.objects.listed().order_by().values_list("state").annotate(Count("pk")))
    family = GaugeMetricFamily("runyard_runs", "Runs that are not deleted, by state.", labels=["state"])
    for state in RunState.values:
        family.add_metric([state], found.get(state, 0))
    yield family
