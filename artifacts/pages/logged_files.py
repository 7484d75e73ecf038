"""Files of artifacts that values in the history of runs name: ``wandb-client-artifact://<client ID>/<path>``."""

from collections.abc import Collection as Some
from dataclasses import dataclass
from urllib.parse import quote

from django.db.models import Q

from access.actor import Actor
from artifacts.access import ArtifactAction
from artifacts.manifests.ids import version_key_of_reference
from artifacts.models import ClientId, Entry, Version
from artifacts.pages.addresses import version_page
from artifacts.selectors import places_seen, versions_seen, with_versions
from runs.models import Project

_CLIENT = "wandb-client-artifact"


@dataclass(frozen=True, slots=True)
class LoggedFile:
    """A file that a value names, which the actor may download."""

    version: Version
    entry: Entry
    page: str
    """Where it is previewed."""


def find_logged_files(actor: Actor, project: Project, references: Some[str]) -> dict[str, LoggedFile]:
    """Return by reference the files that are there and that the actor may download; in a fixed number of queries.

    Args:
        actor: Who wants to read them.
        project: Whose runs name them, and logged them.
        references: As the SDK writes them into history and summary.
    """
    named = _named(project, references)
    keys = {pk for pk, _path in named.values()}
    versions = versions_seen(actor, ArtifactAction.DOWNLOAD).filter(pk__in=keys)
    found = {version.pk: version for version in versions.select_related("collection__type")}
    if not found:
        return {}
    paths = {path for _pk, path in named.values()}
    rows = Entry.objects.filter(version__in=found, path__in=paths).select_related("content__blob")
    entries = {(row.version_id, row.path): row for row in rows}
    places = with_versions(places_seen(actor, Version.objects.filter(pk__in=found)))
    pages = {place.version_id: version_page(place, "files") for place in places}
    return {
        reference: LoggedFile(found[pk], entry, f"{pages[pk]}?preview={quote(path, safe='')}")
        for reference, (pk, path) in named.items()
        if (entry := entries.get((pk, path))) and pk in pages
    }


def _named(project: Project, references: Some[str]) -> dict[str, tuple[int, str]]:
    """Return (key of a version, path) of each reference that names a version."""
    found: dict[str, tuple[int, str]] = {}
    by_client: dict[str, tuple[str, str]] = {}
    for reference in references:
        scheme, _, rest = reference.partition("://")
        name, _, path = rest.partition("/")
        if scheme == _CLIENT:
            by_client[reference] = (name, path)
        elif (key := version_key_of_reference(reference)[0]) is not None:
            found[reference] = (key, path)
    # a run that was moved left its artifacts; whoever else uses its clients' ids elsewhere is not meant
    of_project = Q(project=project) | Q(version__outputs__run__project=project)
    names = {name for name, _path in by_client.values()}
    rows = ClientId.objects.filter(of_project, client_id__in=names).distinct()
    versions = {row.client_id: row.version_id for row in rows.order_by("pk")}
    for reference, (name, path) in by_client.items():
        if name in versions:
            found[reference] = (versions[name], path)
    return found
