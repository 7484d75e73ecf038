"""Tables of artifacts: collections of versions, what a version holds, and the bytes that a project holds once."""

from artifacts.models.collections import (
    LATEST,
    Alias,
    AliasChange,
    ArtifactType,
    Collection,
    CollectionKind,
    CollectionTag,
    Membership,
    RetentionPolicy,
)
from artifacts.models.contents import Content, DirectUpload, PartsUpload, Pin
from artifacts.models.lineage import Output, Use
from artifacts.models.manifests import Entry, Manifest, ManifestKind
from artifacts.models.registries import (
    EVERYONE_ROLES,
    ProtectedAlias,
    Registry,
    RegistryMember,
    RegistryRole,
)
from artifacts.models.versions import ClientId, Version, VersionState, VersionTag

__all__ = [
    "EVERYONE_ROLES",
    "LATEST",
    "Alias",
    "AliasChange",
    "ArtifactType",
    "ClientId",
    "Collection",
    "CollectionKind",
    "CollectionTag",
    "Content",
    "DirectUpload",
    "Entry",
    "Manifest",
    "ManifestKind",
    "Membership",
    "Output",
    "PartsUpload",
    "Pin",
    "ProtectedAlias",
    "Registry",
    "RegistryMember",
    "RegistryRole",
    "RetentionPolicy",
    "Use",
    "Version",
    "VersionState",
    "VersionTag",
]
