"""The collector: it frees contents that no version and no draft names.

A content is deleted under a lock, after a second look. On PostgreSQL whoever counts, renews or pins a content holds its
row, so the second look, a statement of its own, sees what they did, or they find the row gone; SQLite has one writer.
"""

import time
from dataclasses import dataclass
from functools import partial

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet, Sum

from artifacts.contents import CATEGORY, unused
from artifacts.models import Content, Entry, Manifest, Version
from storage.services import record_bytes
from storage.tasks import free_blobs

_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Collected:
    """What was freed, or would be."""

    count: int = 0
    size_bytes: int = 0


def collectable() -> QuerySet[Content]:
    """Return unused contents that no row refers to: a purge may be on its way through a version's entries."""
    this = OuterRef("pk")
    named = (
        Entry.objects.filter(content=this),
        Version.objects.filter(manifest=this),
        Manifest.objects.filter(content=this),
    )
    return unused().filter(*(~Exists(rows) for rows in named))


def preview_collection() -> Collected:
    """Return what the collector would free now."""
    found = collectable().aggregate(count=Count("pk"), size=Sum("size_bytes"))
    return Collected(found["count"], found["size"] or 0)


def collect_contents(budget_s: float) -> Collected:
    """Free what nothing names, for about so long; returns what the projects hold no more."""
    until = time.monotonic() + budget_s
    count = size_bytes = last = 0
    while time.monotonic() < until:
        pks = list(collectable().filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:_AT_ONCE])
        if not pks:
            break
        freed = _free(pks)
        count, size_bytes, last = count + freed.count, size_bytes + freed.size_bytes, pks[-1]
    return Collected(count, size_bytes)


@transaction.atomic
def _free(pks: list[int]) -> Collected:
    rows = Content.objects.filter(pk__in=pks).order_by("pk")
    locked = list(rows.select_for_update(skip_locked=True).values_list("pk", flat=True))
    free = list(collectable().filter(pk__in=locked).select_related("project").order_by("pk"))
    if not free:
        return Collected()
    Content.objects.filter(pk__in=[content.pk for content in free])._raw_delete(Content.objects.db)
    for content in free:
        record_bytes(
            team_id=content.project.team_id,
            project_id=content.project_id,
            category=CATEGORY,
            delta_bytes=-content.size_bytes,
        )
    transaction.on_commit(partial(free_blobs.delay, [content.blob_id for content in free]))
    return Collected(len(free), sum(content.size_bytes for content in free))
