"""The end of deleted registries: once nobody can restore them, their links and collections go, in small transactions.

The versions that were linked there stay where they were logged. Nothing is counted of registries, so no tombstone
stays of them, as it does of other projects.
"""

import logging
import time

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from artifacts.models import Alias, AliasChange, ArtifactType, Collection, CollectionTag, Membership
from runs.lifecycle.purge import ROWS_AT_ONCE, delete_rows, undo_ended_at
from runs.models import Project

logger = logging.getLogger(__name__)


def purge_registries(budget_s: float) -> int:
    """Remove the registries that nobody can restore, for about so long; returns how many are gone."""
    until, done = time.monotonic() + budget_s, 0
    for pk in list(_over().values_list("pk", flat=True)):
        if time.monotonic() > until:
            break
        try:
            done += _purge(pk, until)
        except Exception:
            logger.exception("registry %s could not be purged; the next round tries again", pk)
    return done


def _over() -> QuerySet[Project]:
    """Return the registries deleted too long ago, and those of an organization or a team that was."""
    before = undo_ended_at(timezone.now())
    over = Q(deleted_at__lte=before) | Q(team__deleted_at__lte=before)
    return Project.objects.filter(over, is_registry=True).order_by("pk")


def _purge(project_id: int, until: float) -> bool:
    """Remove what is in a registry, what refers to others first; returns whether all of it is gone."""
    collections = Collection.objects.filter(project=project_id)
    for rows in (
        Alias.objects.filter(collection__in=collections),
        AliasChange.objects.filter(collection__in=collections),
        Membership.objects.filter(collection__in=collections),
        CollectionTag.objects.filter(collection__in=collections),
    ):
        while delete_rows(rows, ROWS_AT_ONCE):
            if time.monotonic() > until:
                return False
    with transaction.atomic():
        # locked as whoever restores it locks it, who then finds it gone
        registry = _over().select_for_update(of=("self",)).filter(pk=project_id).first()
        if registry is None:
            return False
        collections.delete()  # with the automations of each
        ArtifactType.objects.filter(project=registry).delete()
        registry.delete()
    return True
