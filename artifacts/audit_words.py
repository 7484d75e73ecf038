"""What the audit log says of artifacts."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from access.audit.values import EMPTY, Field, register_fields, show_size
from access.audit.words import Kind, register_kind, register_words
from artifacts.access import COLLECTION, REGISTRY, VERSION, ArtifactAction, RegistryAction
from artifacts.collections import services as collections
from artifacts.models import Collection, RegistryRole, Version
from artifacts.pages.addresses import collection_page, names_of, registry_page, trash_page
from artifacts.registries import members
from artifacts.registries import services as registries
from artifacts.versions import deletion, links
from common.templatetags.runyard import duration

VERSIONS = {
    ArtifactAction.CREATE: _("Created an artifact version"),
    ArtifactAction.UPDATE: _("Changed an artifact version"),
    ArtifactAction.SET_ALIAS: _("Set aliases of an artifact version"),
    ArtifactAction.DELETE_ALIAS: _("Deleted aliases of an artifact version"),
    links.LINK: _("Linked an artifact version"),
    links.UNLINK: _("Unlinked an artifact version"),
    ArtifactAction.DELETE: _("Deleted an artifact version"),
    deletion.RESTORE: _("Restored an artifact version"),
}
COLLECTIONS = {
    collections.UPDATE: _("Changed an artifact collection"),
    collections.DELETE: _("Deleted an artifact collection"),
    collections.RESTORE: _("Restored an artifact collection"),
    ArtifactAction.SET_RETENTION: _("Changed artifact retention"),
}

REGISTRIES = {
    RegistryAction.CREATE: _("Created a registry"),
    RegistryAction.UPDATE: _("Changed a registry"),
    members.ADD: _("Added a registry member"),
    members.CHANGE: _("Changed the role of a registry member"),
    members.REMOVE: _("Removed a registry member"),
    RegistryAction.DELETE: _("Deleted a registry"),
    registries.RESTORE: _("Restored a registry"),
}


def _time_to_live(value: Any, _values: Mapping[str, Any]) -> str:
    if value is None:
        return gettext("Inherited")
    return duration(value) if value else gettext("Forever")


def _role_of_everyone(value: Any, _values: Mapping[str, Any]) -> str:
    return str(RegistryRole(value).label) if value else gettext("None: members only")


def _metadata(value: Any, _values: Mapping[str, Any]) -> str:
    """Show the beginning of a JSON object without its punctuation."""
    return str(value or "").translate(str.maketrans("", "", '{}"')).strip() or EMPTY


def _page_of_collection(row: Collection) -> str:
    return collection_page(row) if row.deleted_at is None else trash_page(row.project)


def _page_of_version(row: Version) -> str:
    """Return the page of a version by its digest, since its number would take a query for each row."""
    if row.deleted_at is not None or row.collection.deleted_at is not None:
        return trash_page(row.project)
    return reverse("artifacts:version", args=[*names_of(row.collection), row.digest])


TTL = Field(_("Retention"), show=_time_to_live)


def register() -> None:
    """Tell the audit log."""
    register_words("artifact", _("Artifacts"), VERSIONS | COLLECTIONS)
    register_kind(
        COLLECTION,
        _("Artifact collection"),
        Kind(ArtifactAction.VIEW, _page_of_collection, ("type", "project__team")),
    )
    register_kind(
        VERSION,
        _("Artifact version"),
        Kind(ArtifactAction.VIEW, _page_of_version, ("collection__type", "collection__project__team")),
    )
    register_words("registry", _("Registries"), REGISTRIES)
    register_kind(
        REGISTRY,
        _("Registry"),
        Kind(RegistryAction.VIEW, registry_page, ("project__team",)),
    )
    register_fields(
        {
            "everyone_role": Field(_("Role of everyone"), show=_role_of_everyone),
            "all_types": _("All artifact types"), "types": _("Artifact types"),
            "protected_aliases": _("Protected aliases"), "team": _("Team"),
            "role": Field(_("Role"), choices=dict(RegistryRole.choices)),
        },
        scope=REGISTRY,
    )  # fmt: skip
    register_fields({"ttl": TTL}, scope=ArtifactAction.SET_RETENTION)
    for scope in (COLLECTION, VERSION):
        register_fields(
            {
                "artifact": _("Artifact"), "version": _("Version"), "alias": _("Aliases"), "type": _("Type"),
                "bytes": Field(_("Size"), show=show_size), "links": _("Links"), "tags": _("Tags"),
                "metadata": Field(_("Metadata"), show=_metadata), "ttl": TTL,
                "protected": _("Protected from deletion"),
            },
            scope=scope,
        )  # fmt: skip
