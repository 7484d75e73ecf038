"""ALR-5: history is kept for its days; what waits is never forgotten."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from alerts.models import Delivery, Event, Message
from alerts.outbox.retention import purge_history
from alerts.outbox.routing import route_pending
from alerts.tests.peers import asks, ends, told
from tests.factories import RunFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    run = RunFactory()
    asks(run.user, "finished")
    run.project.team.memberships.create(user=run.user, role=run.project.team.memberships.get().role)
    return run


def later(days):
    return time_machine.travel(timezone.now() + timedelta(days=days))


@pytest.mark.parametrize(
    ("kept_days", "age_days", "is_kept"), [(30, 29, True), (30, 31, False), (7, 8, False)]
)
def test_history_is_kept_for_its_days(run, settings, kept_days, age_days, is_kept):
    """ALR-5."""
    settings.ALERT_HISTORY_DAYS = kept_days
    ends(run)
    told()
    with later(age_days):
        purge_history()
    for model in (Event, Message, Delivery):
        assert model._default_manager.exists() is is_kept


def test_what_waits_is_kept_with_its_events(run):
    """ALR-5."""
    ends(run)
    route_pending()
    with later(100):
        assert purge_history() == 0
    assert Delivery.objects.count() == Event.objects.count() == Message.objects.count() == 1
