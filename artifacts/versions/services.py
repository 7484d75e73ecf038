"""Changes of what is said about a version."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from artifacts.access import ArtifactAction
from artifacts.models import Version
from artifacts.versions.tags import add_version_tags, remove_version_tags
from artifacts.versions.texts import audited_changes, check_description, check_metadata
from artifacts.versions.time_to_live import check_ttl, expires_at
from common.formats.lenient_json import clean_text


@dataclass(frozen=True, slots=True)
class Changes:
    """What changes about a version; None and empty leave things as they are."""

    description: str | None = None
    metadata: str | None = None
    tags_to_add: Iterable[str] = ()
    tags_to_remove: Iterable[str] = ()
    has_ttl: bool = False
    """Whether ``ttl_s`` is set, be it to None."""
    ttl_s: int | None = None
    is_protected: bool | None = None


@transaction.atomic
def update_version(*, actor: Actor, version: Version, changes: Changes) -> Version:
    """Change what is said about a version, not its files.

    Raises:
        Invalid: the description, the metadata, a tag or the time to live cannot be stored.
    """
    require(actor, ArtifactAction.UPDATE, version)
    version = Version.objects.select_for_update(of=("self",)).select_related("collection__project__team").get(
        pk=version.pk
    )  # fmt: skip
    before = _described(version)
    _apply(version, changes)
    version.save()
    added = add_version_tags(actor, version, changes.tags_to_add)
    removed = remove_version_tags(actor, version, changes.tags_to_remove)
    was, now = audited_changes(before, _described(version), added=added, removed=removed)
    if was or now:
        team = version.collection.project.team
        record(
            actor, ArtifactAction.UPDATE, version, organization_id=team.organization_id, team_id=team.pk,
            before=was, after=now,
        )  # fmt: skip
    return version


def _apply(version: Version, changes: Changes) -> None:
    if changes.description is not None:
        version.description = check_description(changes.description)
    if changes.metadata is not None:
        check_metadata(changes.metadata)
        version.metadata_text = clean_text(changes.metadata)
    if changes.is_protected is not None:
        version.is_protected = changes.is_protected
    if changes.has_ttl:
        version.ttl_s = check_ttl(changes.ttl_s)
        version.expires_at, version.is_expiry_announced = expires_at(version), False


def _described(version: Version) -> dict[str, object]:
    return {
        "description": version.description[:300],
        "metadata": version.metadata_text[:300],
        "ttl": version.ttl_s,
        "protected": version.is_protected,
    }
