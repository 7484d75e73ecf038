"""The time to live of a version: its own, its collection's, or its team's."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import DateTimeField, Exists, ExpressionWrapper, F, OuterRef, QuerySet

from artifacts.models import Collection, CollectionKind, Membership, RetentionPolicy, Version, VersionState
from common.errors import Invalid
from teams.models import Team

INHERITED, FOR_EVER = -1, -2
"""What SDKs send and read where a time to live is not a number of seconds."""
MAX_TTL_S = 100 * 366 * 86_400
"""A hundred years."""


def check_ttl(seconds: int | None) -> int | None:
    """Return the time to live if a version or collection may have it; None inherits, 0 is for ever.

    Raises:
        Invalid: negative, or longer than MAX_TTL_S.
    """
    if seconds is not None and not 0 <= seconds <= MAX_TTL_S:
        raise Invalid(f"A time to live must be between 0 (for ever) and {MAX_TTL_S} seconds.")
    return seconds


def team_ttls(team_ids: Iterable[int]) -> dict[int, int]:
    """Return the seconds of teams that have a policy."""
    return dict(RetentionPolicy.objects.filter(team_id__in=team_ids).values_list("team_id", "ttl_s"))


def inherited_ttl(collection: Collection, by_team: dict[int, int] | None = None) -> int:
    """Return the seconds that versions of a collection live unless they say; 0 for ever."""
    if collection.ttl_s is not None:
        return collection.ttl_s
    team_id = collection.project.team_id
    return (team_ttls([team_id]) if by_team is None else by_team).get(team_id, 0)


def expires_at(version: Version, by_team: dict[int, int] | None = None) -> datetime | None:
    """Return when the time to live of a committed version ends, UTC; None for never."""
    ttl = version.ttl_s if version.ttl_s is not None else inherited_ttl(version.collection, by_team)
    return version.committed_at + timedelta(seconds=ttl) if ttl and version.committed_at else None


def inheriting(*, team: Team | None = None, collection: Collection | None = None) -> QuerySet[Version]:
    """Return the versions that live as long as a team or a collection says."""
    rows = Version.objects.filter(state=VersionState.COMMITTED, deleted_at__isnull=True, ttl_s__isnull=True)
    if collection is not None:
        return rows.filter(collection=collection)
    return rows.filter(collection__ttl_s__isnull=True, collection__project__team=team)


def ending(versions: QuerySet[Version]) -> QuerySet[Version]:
    """Keep those that a time to live may end: nothing protected, and nothing that is linked, as long as it is."""
    portfolios = Collection.objects.live().filter(kind=CollectionKind.PORTFOLIO)
    links = Membership.objects.filter(version=OuterRef("pk"), collection__in=portfolios)
    return versions.filter(~Exists(links), is_protected=False, collection__is_protected=False)


def ends_of(versions: Iterable[Version]) -> dict[int, datetime]:
    """Return when versions will end, UTC, by key; without those that live on: for ever, protected, or linked."""
    ends = {version.pk: version.expires_at for version in versions if version.expires_at is not None}
    if not ends:
        return {}
    return {pk: ends[pk] for pk in ending(Version.objects.filter(pk__in=ends)).values_list("pk", flat=True)}


def reckon_expiry(versions: QuerySet[Version], ttl_s: int) -> None:
    """Compute anew when versions expire that inherit a time to live, in one statement; who is told is told again."""
    end = ExpressionWrapper(F("committed_at") + timedelta(seconds=ttl_s), DateTimeField())
    versions.update(expires_at=end if ttl_s else None, is_expiry_announced=False)
