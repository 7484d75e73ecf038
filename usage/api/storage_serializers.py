"""What REST says about stored bytes."""

from typing import Any

from drf_spectacular.utils import extend_schema_field, inline_serializer
from rest_framework import serializers

from runs.models import Project, Run
from usage.storage.selectors import CATEGORIES, StoredBytes

_TEXTS = {
    "file": "Files of runs; equal contents count for each run that has them.",
    "history": "Metrics and system metrics, as stored.",
    "log": "Console logs, as stored.",
    "artifact": "Artifacts.",
}
_Sizes = inline_serializer(
    "StorageByCategory", {name: serializers.IntegerField(help_text=_TEXTS[name]) for name in CATEGORIES}
)


class _StoredBytesSerializer(serializers.Serializer[Any]):
    """What is stored of one thing."""

    total_bytes = serializers.SerializerMethodField(help_text="All of it, trash included.")
    by_category = serializers.SerializerMethodField()

    def stored(self, row: Any) -> StoredBytes:
        """Return what is stored of a row."""
        stored: StoredBytes = row if isinstance(row, StoredBytes) else row.stored_bytes
        return stored

    def get_total_bytes(self, row: Any) -> int:
        """Add categories up."""
        return self.stored(row).total_bytes

    @extend_schema_field(_Sizes)
    def get_by_category(self, row: Any) -> dict[str, int]:
        """Return bytes by category."""
        sizes = self.stored(row).sizes
        return {name: sizes.get(name, 0) for name in CATEGORIES}


class StorageSerializer(_StoredBytesSerializer):
    """What a team or a person keeps."""

    entity = serializers.SerializerMethodField()
    live_bytes = serializers.IntegerField(read_only=True, help_text="All but the trash.")
    trash_bytes = serializers.IntegerField(
        source="trash.size_bytes",
        read_only=True,
        help_text="Storage of deleted runs and artifacts until they are erased.",
    )
    artifact_trash_bytes = serializers.IntegerField(
        read_only=True, help_text="Of the trash: artifact versions that can be restored."
    )
    artifact_pending_bytes = serializers.IntegerField(
        read_only=True,
        help_text="Of the trash: files of artifacts that no version needs, freed within a day or two.",
    )
    artifact_uploading_bytes = serializers.IntegerField(
        read_only=True,
        help_text="Parts of artifact files that are still being uploaded; not counted in any other figure.",
    )
    trash_freed_from = serializers.DateTimeField(
        source="trash.first",
        read_only=True,
        allow_null=True,
        help_text="When the first of the trash is freed.",
    )
    trash_freed_to = serializers.DateTimeField(
        source="trash.last", read_only=True, allow_null=True, help_text="When the last of it is."
    )

    def get_entity(self, row: StoredBytes) -> str:
        """Return whose it is."""
        return str(self.context["entity"])


class ProjectStorageSerializer(_StoredBytesSerializer):
    """What a project keeps, its deleted runs among it."""

    project = serializers.SerializerMethodField()

    def get_project(self, row: Project) -> str:
        """Return its name."""
        return row.name


class RunStorageSerializer(_StoredBytesSerializer):
    """What a run keeps."""

    uid = serializers.CharField(read_only=True)
    name = serializers.CharField(source="display_name", read_only=True)
    state = serializers.CharField(read_only=True)
    created_at = serializers.DateTimeField(read_only=True)
    user = serializers.SerializerMethodField()

    def get_user(self, row: Run) -> str | None:
        """Return whose run it is."""
        return row.user.username if row.user else None
