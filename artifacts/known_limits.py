"""What is limited for artifacts."""

from django.utils.translation import gettext_lazy as _

from access.limits.registry import REFUSED, Limit, LimitGroup, LimitUnit, length_limit, register_limits
from artifacts import names
from artifacts.drafts import manifests, uploads
from artifacts.lineage import graph
from artifacts.manifests import document
from artifacts.registries import services as registries
from artifacts.versions import texts, time_to_live
from storage import parts


def register() -> None:
    """Tell the page of limits."""
    register_limits(*_counts(), *_lengths())


def _counts() -> list[Limit]:
    split = _("Returns 400; split the request.")
    return [
        Limit(
            "artifacts.files", LimitGroup.FILES, _("Files of an artifact version"), lambda: document.MAX_ENTRIES,
            REFUSED,
        ),
        Limit(
            "artifacts.manifest_bytes", LimitGroup.FILES, _("Manifest of an artifact version"),
            lambda: document.MAX_BYTES, _("Returns 413; the file is not stored."), LimitUnit.BYTES,
        ),
        Limit(
            "artifacts.manifests", LimitGroup.FILES, _("Writers of a distributed artifact"),
            lambda: manifests.MAX_MANIFESTS, REFUSED,
        ),
        Limit(
            "artifacts.addresses", LimitGroup.FILES, _("Artifact files per request for upload URLs"),
            lambda: uploads.MAX_FILES, split,
        ),
        Limit(
            "artifacts.parts", LimitGroup.FILES, _("Parts of an artifact file"), lambda: parts.MAX_PARTS, REFUSED,
        ),
        Limit(
            "artifacts.aliases", LimitGroup.FILES, _("Aliases added to an artifact version at once"),
            lambda: names.MAX_ALIASES, split,
        ),
        Limit(
            "artifacts.tags", LimitGroup.FILES, _("Tags added to an artifact version at once"),
            lambda: names.MAX_TAGS, split,
        ),
        Limit(
            "artifacts.ttl", LimitGroup.FILES, _("Retention of an artifact version"),
            lambda: time_to_live.MAX_TTL_S, REFUSED, LimitUnit.SECONDS,
        ),
        Limit(
            "artifacts.registry_types", LimitGroup.FILES, _("Artifact types added to a registry at once"),
            lambda: registries.MAX_TYPES, split,
        ),
        Limit(
            "artifacts.protected_aliases", LimitGroup.FILES, _("Protected aliases of a registry"),
            lambda: names.MAX_ALIASES, REFUSED,
        ),
        Limit(
            "artifacts.lineage", LimitGroup.FILES, _("Nodes of a lineage graph"), lambda: graph.MAX_NODES,
            _("The graph shows how many connections were left out."),
        ),
    ]  # fmt: skip


def _lengths() -> list[Limit]:
    return [
        length_limit("artifact", _("Name of an artifact, type, alias or tag"), lambda: names.MAX_NAME),
        length_limit("registry", _("Name of a registry"), lambda: registries.MAX_NAME),
        length_limit("artifact_description", _("Description of an artifact"), lambda: texts.MAX_DESCRIPTION),
        length_limit("artifact_metadata", _("Metadata of an artifact version"), lambda: texts.MAX_METADATA),
    ]
