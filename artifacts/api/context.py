"""What answers about versions need besides their rows: what the reader may know of each."""

from collections.abc import Sequence
from typing import Any

from access.actor import Actor
from access.engine import visible
from artifacts.access import ArtifactAction
from artifacts.api.serializers import ArtifactVersionDetailSerializer, ArtifactVersionSerializer
from artifacts.models import Collection, Membership, Version
from artifacts.selectors import run_counts
from artifacts.versions.time_to_live import ends_of
from runs.access import RunAction
from runs.models import Run


def version_list(actor: Actor, places: Sequence[Membership]) -> Any:
    """Return versions as lists show them, with a fixed number of queries."""
    rows: Any = places
    return ArtifactVersionSerializer(rows, many=True, context=_known(actor, places)).data


def version_detail(actor: Actor, place: Membership) -> Any:
    """Return one version with all there is to say."""
    linked = [
        one for one in place.version.memberships.all() if one.collection_id != place.version.collection_id
    ]
    live = Collection.objects.live().filter(pk__in=[one.collection_id for one in linked])
    seen = set(visible(actor, ArtifactAction.VIEW, live).values_list("pk", flat=True))
    links = [one for one in linked if one.collection_id in seen]
    context = {**_known(actor, [place]), "links": links, "actor": actor}
    return ArtifactVersionDetailSerializer(place, context=context).data


def _known(actor: Actor, places: Sequence[Membership]) -> dict[str, Any]:
    """Return which versions' own projects the reader sees, which of their runs, and how many runs there are."""
    versions = [place.version_id for place in places]
    own = visible(actor, ArtifactAction.VIEW, Version.objects.filter(pk__in=versions))
    logged_by = Run.objects.live().filter(pk__in=[place.version.run_id for place in places])
    logged, used = run_counts(versions)
    return {
        "known": set(own.values_list("pk", flat=True)),
        "runs": set(visible(actor, RunAction.VIEW, logged_by).values_list("pk", flat=True)),
        "ends": ends_of(place.version for place in places),
        "logged": logged,
        "used": used,
    }
