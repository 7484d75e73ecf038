"""When somebody last logged into a project: found now and then, so that posts write no row that all runs share."""

from datetime import datetime, timedelta

from django.db.models import F, Max
from django.utils import timezone

from runs.models import Project, Pulse

_LATELY = timedelta(minutes=10)
"""Much longer than between two looks."""
_BEHIND = timedelta(seconds=30)
"""Projects that are less behind wait for the next look."""


def follow_heartbeats(now: datetime | None = None) -> int:
    """Let projects have been active when their runs were heard of last; returns how many changed."""
    now = now or timezone.now()
    lately = Pulse.objects.filter(heartbeat_at__gte=now - _LATELY)
    last_heard = lately.values("run__project_id").annotate(at=Max("heartbeat_at"))
    late = last_heard.filter(at__gt=F("run__project__last_active_at") + _BEHIND)
    return sum(
        Project.objects.filter(pk=pk, last_active_at__lt=at).update(last_active_at=at)
        for pk, at in late.values_list("run__project_id", "at")
    )
