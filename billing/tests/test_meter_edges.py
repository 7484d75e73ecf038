"""BIL-4: what the meter does at the edges: clocks that jump, months that it missed, entities that changed hands."""

from datetime import UTC, datetime

import pytest
from django.db.models import Q

from billing.metering import counting
from billing.models import TrackedInterval

pytestmark = pytest.mark.django_db

BEGIN = datetime(2026, 3, 10, 12, tzinfo=UTC)


@pytest.mark.parametrize("scope", [counting.EVERYTHING, Q(team_id__in=[1, 2])])
def test_the_meter_finds_what_is_uncounted_by_an_index_of_nothing_else(scope):
    """BIL-4: intervals are kept for ever, and are looked for every minute."""
    of = {"team_id": 1, "project_id": 1, "began_at": BEGIN, "not_before": BEGIN, "ended_at": BEGIN}
    TrackedInterval.objects.bulk_create(
        TrackedInterval(**of, run_id=number, counted_to=BEGIN) for number in range(5000)
    )
    TrackedInterval.objects.filter(run_id=4000).update(ended_at=None)
    plan = counting.uncounted_intervals(scope, 0)[: counting.INTERVALS_AT_ONCE].explain()
    assert "billing_interval_uncounted" in plan, plan
