"""The addresses of the pages of artifacts: those that SDKs print."""

from urllib.parse import quote

from artifacts.models import Collection, Membership


def collection_path(collection: Collection) -> str:
    """Return the path of a collection's page, percent-encoded; its type and team must be loaded."""
    project = collection.project
    names = (project.team.name, project.name, "artifacts", collection.type.name, collection.name)
    return "/" + "/".join(quote(name, safe="") for name in names)


def version_path(place: Membership) -> str:
    """Return the path of the page of a version in a collection, percent-encoded.

    The collection's type and team must be loaded. Source: wandb/sdk/artifacts/artifact.py, ``Artifact.url``.
    """
    return f"{collection_path(place.collection)}/{place.label}"
