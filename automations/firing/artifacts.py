"""Events of artifacts: written where an automation waits for them, in the transaction of the change (ALR-6)."""

import json
from collections.abc import Iterator
from typing import Any

from django.db.models import Q

from alerts.events import route_soon
from alerts.models import Event, EventKind
from alerts.payloads.templating import is_variable
from artifacts.manifests.ids import to_version_id
from artifacts.models import Membership, Version
from artifacts.pages.addresses import collection_page, path_of, version_page
from artifacts.participants import ArtifactChange, ArtifactEvent, Reach
from automations.models import Automation
from common.database.commits import after_commit
from common.formats.lenient_json import clean_tree
from common.formats.strict_json import strict

MAX_METADATA_BYTES = 16 * 1024
"""Of a version's metadata, what an event keeps: half a payload's worth is for the rest."""


def record_artifact_change(change: ArtifactChange) -> None:
    """Write what happened to artifacts if an automation waits for it: two statements, however much there is."""
    project = change.collection.project
    if not _is_awaited(change):
        return
    Event.objects.create(
        kind=EventKind.ARTIFACT, team_id=project.team_id, project=project, data=_data_of(change)
    )
    after_commit(route_soon)


def _is_awaited(change: ArtifactChange) -> bool:
    """Say whether an automation of the collection, its project or the whole team waits for the event."""
    project = change.collection.project
    scope = Q(collection=change.collection)
    if change.reach is not Reach.COLLECTION:
        scope |= Q(project=project, collection=None)
    if change.reach is Reach.TEAM:
        scope |= Q(project=None)
    waiting = Automation.objects.filter(scope, team=project.team_id, event=change.event, is_on=True)
    return waiting.exists()


def _data_of(change: ArtifactChange) -> dict[str, Any]:
    """Return what `automations.conditions.artifacts` and the words of messages need to know."""
    collection, version = change.collection, change.version
    data: dict[str, Any] = {
        "event": change.event.value,
        "collection": collection.pk,
        "author": change.actor.name if change.actor.user_id else "",
        "author_id": change.actor.user_id,
        "artifact_collection_name": collection.name,
        "path": collection_page(collection),
    }
    if change.reach is not Reach.TEAM:
        data["reach"] = change.reach.value
    if change.name:
        data["alias" if change.event == ArtifactEvent.ADD_ARTIFACT_ALIAS else "tag"] = change.name
    if version is None or change.index is None:
        return data
    place = Membership(collection=collection, version=version, index=change.index)
    named = {
        "version": version.pk,
        "artifact_version": f"wandb-artifact://_id/{to_version_id(version.pk)}",
        "artifact_version_string": path_of(place),
        "path": version_page(place),
    }
    return data | named | dict(_metadata_of(version))


def _metadata_of(version: Version) -> Iterator[tuple[str, Any]]:
    """Yield what payloads may name of the metadata: the fields at its top, as many as fit."""
    free = MAX_METADATA_BYTES
    fields = strict(clean_tree(json.loads(version.metadata_text)))
    for key, value in fields.items():
        name = f"artifact_metadata.{key}"
        size = len(json.dumps({name: value}))
        if is_variable(name) and size <= free:
            free -= size
            yield name, value
