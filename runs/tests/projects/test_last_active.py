"""When somebody last logged into a project."""

from datetime import timedelta

import pytest
from django.utils import timezone

from runs.models import Project, Pulse
from runs.projects.last_active import follow_heartbeats
from tests.factories import ProjectFactory, RunFactory

pytestmark = pytest.mark.django_db


def test_a_project_is_as_active_as_the_run_that_was_heard_of_last(django_assert_num_queries):
    """A post writes no row of its project: a look now and then does."""
    now = timezone.now()
    busy, quiet = ProjectFactory(), ProjectFactory()
    for project in (busy, busy, quiet):
        RunFactory(project=project)
    Project.objects.update(last_active_at=now - timedelta(hours=1))
    Pulse.objects.filter(run__project=busy).update(heartbeat_at=now - timedelta(seconds=5))
    Pulse.objects.filter(run__project=quiet).update(heartbeat_at=now - timedelta(hours=2))
    assert follow_heartbeats(now) == 1
    busy.refresh_from_db()
    quiet.refresh_from_db()
    assert busy.last_active_at == now - timedelta(seconds=5)
    assert quiet.last_active_at == now - timedelta(hours=1)
    with django_assert_num_queries(1):
        assert follow_heartbeats(now) == 0
