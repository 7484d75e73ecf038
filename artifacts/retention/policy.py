"""How long the artifacts of a team are kept where neither version nor collection says, shown before it acts."""

from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Count, Sum
from django.utils import timezone

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from artifacts.access import ArtifactAction
from artifacts.models import Collection, RetentionPolicy
from artifacts.versions.time_to_live import check_ttl, ending, inheriting, reckon_expiry, team_ttls
from common.errors import Invalid
from teams.models import Team

PREVIEWED = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Preview:
    """What would be deleted within PREVIEWED under a time to live."""

    version_count: int
    size_bytes: int
    """Of the versions added up; files that several have count for each."""


def team_ttl(team: Team) -> int:
    """Return the seconds that versions of a team live where nothing else is said; 0 for ever."""
    return team_ttls([team.pk]).get(team.pk, 0)


@transaction.atomic
def set_team_policy(*, actor: Actor, team: Team, ttl_s: int) -> RetentionPolicy:
    """Set how long the artifacts of a team are kept; 0 for ever.

    Raises:
        Invalid: negative, or longer than MAX_TTL_S.
    """
    require(actor, ArtifactAction.SET_RETENTION, team)
    check_ttl(ttl_s)
    policy, _is_new = RetentionPolicy.objects.select_for_update().get_or_create(team=team)
    before = policy.ttl_s
    if before == ttl_s:
        return policy
    policy.ttl_s = ttl_s
    policy.save(update_fields=["ttl_s", "updated_at"])
    reckon_expiry(inheriting(team=team), ttl_s)
    record(
        actor, ArtifactAction.SET_RETENTION, team, organization_id=team.organization_id, team_id=team.pk,
        before={"ttl": before}, after={"ttl": ttl_s},
    )  # fmt: skip
    return policy


def preview_policy(
    *, actor: Actor, ttl_s: int, team: Team | None = None, collection: Collection | None = None
) -> Preview:
    """Return what a team's or a collection's new time to live would delete soon.

    Raises:
        Invalid: neither is named, or the time to live cannot be.
    """
    if collection is not None:
        require(actor, ArtifactAction.UPDATE, collection)
    elif team is not None:
        require(actor, ArtifactAction.SET_RETENTION, team)
    else:
        raise Invalid("Name a team or a collection.")
    if not check_ttl(ttl_s):
        return Preview(0, 0)
    ended = timezone.now() + PREVIEWED - timedelta(seconds=ttl_s)
    rows = inheriting(team=team, collection=collection).filter(
        committed_at__lte=ended, collection__project__deleted_at__isnull=True
    )
    found = ending(rows).aggregate(count=Count("pk"), size=Sum("size_bytes"))
    return Preview(found["count"], found["size"] or 0)
