"""REST: where a team's files lie, and what is sent to change it."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from storage.models import BucketMove
from storage.team_buckets.selectors import MOST_NAMED, Provider, TeamStorage


class UnreadableFileSerializer(serializers.Serializer[Any]):
    """A file that a move leaves where it is."""

    name = serializers.CharField(help_text="Project, run or artifact, and path; empty if you may not see it.")
    reason = serializers.CharField()


class BucketMoveSerializer(serializers.ModelSerializer[BucketMove]):
    """Files of a team on their way to another place, to which new ones go already."""

    error = serializers.SerializerMethodField(help_text="Why it does not go on; empty: it does.")
    is_stopped = serializers.SerializerMethodField(help_text="Whether it waits for another try.")
    unreadable_count = serializers.SerializerMethodField(help_text="Files that cannot be read.")
    unreadable = serializers.SerializerMethodField(help_text=f"The first {MOST_NAMED} of them, with reasons.")

    class Meta:
        model = BucketMove
        fields = (
            "started_at", "finished_at", "files_done", "files_left", "bytes_done", "is_stopped", "error",
            "unreadable_count", "unreadable",
        )  # fmt: skip

    def _storage(self) -> TeamStorage:
        storage: TeamStorage = self.context["storage"]
        return storage

    def get_error(self, move: BucketMove) -> str:
        """Tell it only to who may change something."""
        return move.error if self._storage().may_manage else ""

    def get_is_stopped(self, move: BucketMove) -> bool:
        """Tell everybody that something is wrong."""
        return bool(move.error)

    def get_unreadable_count(self, move: BucketMove) -> int:
        """Count them."""
        return len(move.unreadable)

    @extend_schema_field(UnreadableFileSerializer(many=True))
    def get_unreadable(self, move: BucketMove) -> Any:
        """Name them, of a move that is under way."""
        named = self._storage().unreadable if move.finished_at is None else []
        return UnreadableFileSerializer(named, many=True).data


class TeamBucketSerializer(serializers.Serializer[TeamStorage]):
    """Where a team's files lie; no credentials are ever returned."""

    is_own = serializers.SerializerMethodField(help_text="Whether it is the team’s own bucket.")
    provider = serializers.ChoiceField([(value, value) for value in Provider], source="address.provider")
    bucket = serializers.CharField(source="address.bucket", help_text="Of Azure the container.")
    account = serializers.CharField(source="address.account", help_text="Of Azure.")
    prefix = serializers.CharField(source="address.prefix")
    region = serializers.CharField(source="address.region")
    endpoint = serializers.CharField(source="address.endpoint")
    checked_at = serializers.DateTimeField(source="bucket.checked_at", default=None, allow_null=True)
    has_failed = serializers.BooleanField(help_text="Whether the last check found something wrong.")
    error = serializers.CharField(help_text="What; empty unless you may manage the storage.")
    move = serializers.SerializerMethodField(help_text="Under way, or the last one; null: there was none.")

    def get_is_own(self, storage: TeamStorage) -> bool:
        """Tell it by the row."""
        return storage.bucket is not None

    @extend_schema_field(BucketMoveSerializer(allow_null=True))
    def get_move(self, storage: TeamStorage) -> Any:
        """Show the one under way, else the last."""
        move = storage.move or storage.last_move
        if move is None:
            return None
        return BucketMoveSerializer(move, context={"storage": storage}).data
