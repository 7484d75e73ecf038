"""REST: what artifacts look like, in answers and in what is sent."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from artifacts.access import shown_metadata
from artifacts.lineage.graph import GraphNode, NodeKind
from artifacts.models import ArtifactType, Collection, CollectionKind, Entry, Membership
from artifacts.names import MAX_ALIASES, MAX_NAME, MAX_TAGS
from artifacts.versions.texts import MAX_DESCRIPTION
from artifacts.versions.time_to_live import MAX_TTL_S
from runs.config.flatten import json_tree

_TTL_HELP = "Seconds from the commit on; 0: forever; null: inherited."


class NamesField(serializers.ListField):
    """Aliases, or tags: rows with a name."""

    child = serializers.CharField()

    def to_representation(self, data: Any) -> list[str]:
        """Return the names."""
        return [row.name for row in data.all()]


class ArtifactTypeSerializer(serializers.ModelSerializer[ArtifactType]):
    """What artifacts are, as the code that logs them says."""

    entity = serializers.CharField(source="project.team.name")
    project = serializers.CharField(source="project.name")
    collection_count = serializers.IntegerField()

    class Meta:
        model = ArtifactType
        fields: ClassVar[list[str]] = [
            "id", "entity", "project", "name", "description", "collection_count",
        ]  # fmt: skip


class ArtifactCollectionSerializer(serializers.ModelSerializer[Collection]):
    """A named list of versions."""

    entity = serializers.CharField(source="project.team.name")
    project = serializers.CharField(source="project.name")
    type = serializers.CharField(source="type.name")
    kind = serializers.ChoiceField(
        CollectionKind.choices, help_text="`sequence`: versions are logged into it; `portfolio`: linked."
    )
    description = serializers.CharField(help_text="Markdown.")
    tags = NamesField()
    version_count = serializers.IntegerField()
    ttl_s = serializers.IntegerField(allow_null=True, help_text=_TTL_HELP)
    is_protected = serializers.BooleanField(help_text="It and its versions cannot be deleted.")
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)

    class Meta:
        model = Collection
        fields: ClassVar[list[str]] = [
            "id", "entity", "project", "type", "kind", "name", "description", "tags", "version_count", "ttl_s",
            "is_protected", "created_by", "created_at", "updated_at", "deleted_at",
        ]  # fmt: skip


def _tags() -> serializers.ListField:
    return serializers.ListField(
        child=serializers.CharField(max_length=MAX_NAME), max_length=MAX_TAGS, required=False,
        help_text="All of them: others are removed.",
    )  # fmt: skip


def _time_to_live() -> serializers.IntegerField:
    return serializers.IntegerField(
        min_value=0, max_value=MAX_TTL_S, allow_null=True, required=False, help_text=_TTL_HELP
    )


class ArtifactCollectionUpdateSerializer(serializers.Serializer[Any]):
    """What of a collection can be changed; what is not sent stays."""

    name = serializers.CharField(max_length=MAX_NAME, required=False)
    type = serializers.CharField(max_length=MAX_NAME, required=False)
    description = serializers.CharField(max_length=MAX_DESCRIPTION, allow_blank=True, required=False)
    tags = _tags()
    ttl_s = _time_to_live()
    is_protected = serializers.BooleanField(required=False)


class ArtifactPlaceSerializer(serializers.Serializer[Membership]):
    """A version by the collection that it is in."""

    entity = serializers.CharField(source="collection.project.team.name")
    project = serializers.CharField(source="collection.project.name")
    collection_id = serializers.IntegerField()
    collection = serializers.CharField(source="collection.name")
    version = serializers.CharField(source="label", help_text="As `v3`; each collection counts its own.")


class ArtifactVersionSerializer(ArtifactPlaceSerializer):
    """A version as a list shows it; the context comes from `artifacts.api.context`."""

    id = serializers.IntegerField(source="version_id", help_text="The same wherever the version is linked.")
    type = serializers.CharField(source="collection.type.name")
    aliases = NamesField(help_text="In this collection.")
    tags = NamesField(source="version.tags")
    digest = serializers.CharField(source="version.digest", help_text="Of the manifest.")
    description = serializers.CharField(source="version.description", help_text="Markdown.")
    size_bytes = serializers.IntegerField(source="version.size_bytes", help_text="References count none.")
    file_count = serializers.IntegerField(source="version.file_count")
    reference_count = serializers.IntegerField(source="version.reference_count")
    ttl_s = serializers.IntegerField(source="version.ttl_s", allow_null=True, help_text=_TTL_HELP)
    expires_at = serializers.SerializerMethodField(
        help_text="When its time to live ends it; null also while it is protected or linked, which keeps it."
    )
    is_protected = serializers.BooleanField(source="version.is_protected")
    committed_at = serializers.DateTimeField(source="version.committed_at")
    updated_at = serializers.DateTimeField(source="version.updated_at")
    deleted_at = serializers.DateTimeField(source="version.deleted_at", allow_null=True)
    created_by = serializers.SerializerMethodField(help_text="null where you cannot see its source.")
    run = serializers.SerializerMethodField(help_text="`id` of the run that logged it, if you can see it.")
    source = serializers.SerializerMethodField(  # type: ignore[assignment]  # the value, not the name of a field
        help_text="Of a linked version: where it was logged, if you can see that."
    )
    logged_by_count = serializers.SerializerMethodField(
        help_text="Runs, also deleted ones and those that you cannot see."
    )
    used_by_count = serializers.SerializerMethodField(
        help_text="Runs, also deleted ones and those that you cannot see."
    )

    @extend_schema_field(serializers.DateTimeField(allow_null=True))
    def get_expires_at(self, place: Membership) -> Any:
        """Return when it will end."""
        end = self.context["ends"].get(place.version_id)
        return end and serializers.DateTimeField().to_representation(end)

    def get_created_by(self, place: Membership) -> str | None:
        """Return who logged it."""
        by = place.version.created_by if place.version_id in self.context["known"] else None
        return by.username if by else None

    def get_run(self, place: Membership) -> int | None:
        """Return the run."""
        run_id = place.version.run_id
        return run_id if run_id in self.context["runs"] else None

    @extend_schema_field(ArtifactPlaceSerializer(allow_null=True))
    def get_source(self, place: Membership) -> Any:
        """Return the version's own place."""
        if (
            place.collection_id == place.version.collection_id
            or place.version_id not in self.context["known"]
        ):
            return None
        own = (
            one for one in place.version.memberships.all() if one.collection_id == place.version.collection_id
        )
        return ArtifactPlaceSerializer(next(own)).data

    def get_logged_by_count(self, place: Membership) -> int:
        """Return how many runs logged it."""
        return int(self.context["logged"].get(place.version_id, 0))

    def get_used_by_count(self, place: Membership) -> int:
        """Return how many runs used it."""
        return int(self.context["used"].get(place.version_id, 0))


class ArtifactVersionDetailSerializer(ArtifactVersionSerializer):
    """A version with its metadata, and where it is linked."""

    metadata = serializers.SerializerMethodField(
        help_text="NaN and infinities are text, since JSON has none. What looks like a secret is masked for those who"
        " cannot edit the artifact."
    )
    links = serializers.SerializerMethodField(help_text="Collections that it is linked into.")
    hidden_link_count = serializers.SerializerMethodField(help_text="Further links, which you cannot see.")

    def get_metadata(self, place: Membership) -> dict[str, Any]:
        """Return the metadata."""
        return json_tree(shown_metadata(self.context["actor"], place.version))

    @extend_schema_field(ArtifactPlaceSerializer(many=True))
    def get_links(self, place: Membership) -> Any:
        """Return the places that the reader sees."""
        return ArtifactPlaceSerializer(self.context["links"], many=True).data

    def get_hidden_link_count(self, place: Membership) -> int:
        """Return how many others there are."""
        own = place.version.collection_id
        linked = [one for one in place.version.memberships.all() if one.collection_id != own]
        return len(linked) - len(self.context["links"])


class ArtifactVersionUpdateSerializer(serializers.Serializer[Any]):
    """What of a version can be changed, its files never; what is not sent stays."""

    description = serializers.CharField(max_length=MAX_DESCRIPTION, allow_blank=True, required=False)
    metadata = serializers.DictField(required=False, help_text="All of it: what is not named is removed.")
    tags = _tags()
    ttl_s = _time_to_live()
    is_protected = serializers.BooleanField(required=False)


class ArtifactLinkCreateSerializer(serializers.Serializer[Any]):
    """Where a version is linked into: a collection that is created on first use."""

    entity = serializers.CharField(max_length=64)
    project = serializers.CharField(max_length=MAX_NAME)
    collection = serializers.CharField(max_length=MAX_NAME)
    aliases = serializers.ListField(
        child=serializers.CharField(max_length=MAX_NAME), max_length=MAX_ALIASES, default=list
    )


class ArtifactFileSerializer(serializers.ModelSerializer[Entry]):
    """A file of a version, or a reference to one elsewhere."""

    content_type = serializers.CharField(help_text="What its name suggests.")
    size_bytes = serializers.IntegerField(allow_null=True, help_text="null: a reference of unknown size.")
    reference = serializers.CharField(help_text="The address of what lies elsewhere; empty for a file.")

    class Meta:
        model = Entry
        fields: ClassVar[list[str]] = ["id", "path", "size_bytes", "content_type", "digest", "reference"]


class LineageRunSerializer(serializers.Serializer[Any]):
    """A run of a graph."""

    id = serializers.IntegerField()
    entity = serializers.CharField(source="project.team.name")
    project = serializers.CharField(source="project.name")
    uid = serializers.CharField()
    display_name = serializers.CharField()
    state = serializers.CharField()
    deleted_at = serializers.DateTimeField(allow_null=True)


class LineageVersionSerializer(ArtifactPlaceSerializer):
    """A version of a graph."""

    id = serializers.IntegerField(source="version_id")
    type = serializers.CharField(source="collection.type.name")
    deleted_at = serializers.DateTimeField(source="version.deleted_at", allow_null=True)


class LineageNodeSerializer(serializers.Serializer[GraphNode]):
    """A run, a version, or what you cannot see."""

    id = serializers.CharField(help_text="In this graph.")
    kind = serializers.ChoiceField([(kind.value, kind.value) for kind in NodeKind])
    run = LineageRunSerializer(allow_null=True)
    version = LineageVersionSerializer(source="place", allow_null=True)
    count = serializers.IntegerField(help_text="How many are hidden at a node of this kind; else 1.")
    is_focus = serializers.BooleanField(help_text="Whether the graph is that of this version.")


class LineageEdgeSerializer(serializers.Serializer[Any]):
    """A run logged a version, or used it."""

    source = serializers.CharField(help_text="`id` of a node.")  # type: ignore[assignment]  # the value, not the name of a field
    target = serializers.CharField(help_text="`id` of a node.")
    kind = serializers.ChoiceField([("output", "output"), ("input", "input")])


class LineageSerializer(serializers.Serializer[Any]):
    """The graph of a version."""

    nodes = LineageNodeSerializer(many=True)
    edges = LineageEdgeSerializer(many=True)
    hidden = serializers.IntegerField(help_text="How many runs and versions you cannot see.")
    left_out = serializers.IntegerField(help_text="Connections not followed, since the graph is full.")
