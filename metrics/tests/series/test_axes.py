"""Axes that were never logged (MET-1)."""

import pytest

from metrics.ingest.transaction import write_group
from metrics.models import StreamKind
from metrics.series.charts import ChartRequest, series_of_runs
from metrics.series.selectors import series
from metrics.tests.ingest.test_ingest import post
from tests.factories import RunFactory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("x", ["_runtime", "_timestamp", "never"])
def test_an_axis_that_was_never_logged_has_no_points(x):
    """Rows of REST may have a step alone: row numbers are no times."""
    run = RunFactory()
    write_group([post(run, history=(0, [{"_step": step, "loss": step} for step in range(5)]))])
    assert series(run.pk, StreamKind.HISTORY, ["loss"], x=x)["loss"]["x"] == []
    (drawn,) = series_of_runs([run.pk], ChartRequest(StreamKind.HISTORY, ["loss"], x))
    assert drawn.by_key.get("loss") is None
