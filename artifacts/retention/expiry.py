"""The end of versions whose time to live is over, and the mail before it.

Nothing inherits an end that nobody was told of: what is announced late, since a policy came or the worker was away,
lives a day longer. Only a version that was given a day or less itself goes without that.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable
from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from access.actor import SYSTEM
from access.engine import who_may
from accounts.mail import sending
from accounts.models import User
from artifacts.access import ArtifactAction
from artifacts.models import Collection, Membership, Version
from artifacts.versions.aliases import name_latest
from artifacts.versions.collections import locked
from artifacts.versions.deletion import take_away
from artifacts.versions.time_to_live import ending

logger = logging.getLogger(__name__)

ANNOUNCED_BEFORE = timedelta(days=3)
LEAST_NOTICE = timedelta(days=1)
_VERSIONS_A_ROUND = 5000
_NAMED = 20
"""Collections that a mail names."""


def _expiring() -> QuerySet[Version]:
    return ending(Version.objects.live().filter(expires_at__isnull=False))


def _over() -> QuerySet[Version]:
    told = Q(is_expiry_announced=True) | Q(ttl_s__lte=int(LEAST_NOTICE.total_seconds()))
    return _expiring().filter(told, expires_at__lte=timezone.now())


def expire_versions() -> int:
    """Delete what has expired, as a person would: it can be restored for a while; returns how many versions."""
    expired = 0
    for pk, collection_id in list(_over().values_list("pk", "collection_id")[:_VERSIONS_A_ROUND]):
        try:
            expired += _expire(pk, collection_id)
        except Exception:
            logger.exception("artifact version %s could not be deleted; the next round tries again", pk)
    return expired


@transaction.atomic
def _expire(version_id: int, collection_id: int) -> bool:
    collection = locked(collection_id)
    # two steps: what holds under the lock is read after it
    Version.objects.select_for_update().filter(pk=version_id).first()
    version = _over().filter(pk=version_id).first()
    if version is None:
        return False
    version.collection = collection
    take_away(SYSTEM, version, timezone.now())
    name_latest(SYSTEM, collection)
    return True


@transaction.atomic
def announce_expiry() -> int:
    """Mail those whose versions end soon, one mail a person; returns how many versions were announced."""
    now = timezone.now()
    due = _expiring().filter(is_expiry_announced=False, expires_at__lte=now + ANNOUNCED_BEFORE)
    found = list(due.values_list("pk", flat=True)[:_VERSIONS_A_ROUND])
    untold = Version.objects.filter(pk__in=found, is_expiry_announced=False).select_for_update()
    pks = list(untold.order_by("pk").values_list("pk", flat=True))
    some = Version.objects.filter(pk__in=pks)
    own_day = Q(ttl_s__lte=int(LEAST_NOTICE.total_seconds()))
    some.filter(expires_at__lt=now + LEAST_NOTICE).exclude(own_day).update(expires_at=now + LEAST_NOTICE)
    _mail(some)
    some.update(is_expiry_announced=True)
    return len(pks)


def _mail(versions: QuerySet[Version]) -> None:
    """Tell whoever logged the versions; where they are gone or see them no longer, the admins of the team."""
    places = Membership.objects.filter(version__in=versions, collection_id=F("version__collection_id"))
    by_collection: dict[int, list[Membership]] = defaultdict(list)
    for place in places.select_related("version").order_by("index"):
        by_collection[place.collection_id].append(place)
    told: dict[User, list[dict[str, object]]] = defaultdict(list)
    rows = Collection.objects.filter(pk__in=list(by_collection)).select_related("project__team")
    for collection in rows.order_by("project_id", "name"):
        for user, some in _recipients(collection, by_collection[collection.pk]).items():
            told[user].append(_line(collection, some))
    for user, lines in told.items():
        context = {"lines": lines[:_NAMED], "more_count": max(0, len(lines) - _NAMED)}
        sending.send("artifacts/email/versions_expire", user, context)


def _recipients(collection: Collection, places: Iterable[Membership]) -> dict[User, list[Membership]]:
    creators = {place.version.created_by_id for place in places} - {None}
    seeing = who_may(ArtifactAction.VIEW, collection).filter(pk__in=creators, is_active=True)
    by_pk = {user.pk: user for user in User.objects.filter(pk__in=seeing.values("pk"))}
    found: dict[User, list[Membership]] = defaultdict(list)
    admins: list[User] | None = None
    for place in places:
        creator = by_pk.get(place.version.created_by_id or 0)
        if creator is None and admins is None:
            who = who_may(ArtifactAction.SET_RETENTION, collection.project.team)
            admins = list(User.objects.filter(pk__in=who.values("pk"), is_active=True))
        for user in [creator] if creator else admins or []:
            found[user].append(place)
    return found


def _line(collection: Collection, places: list[Membership]) -> dict[str, object]:
    project = collection.project
    ends = [place.version.expires_at for place in places if place.version.expires_at]
    return {
        "artifact": f"{project.team.name}/{project.name}/{collection.name}",
        "project": project,
        "collection": collection,
        "first": places[0].label,
        "last": places[-1].label,
        "count": len(places),
        "ends_on": f"{min(ends):%Y-%m-%d}",
    }
