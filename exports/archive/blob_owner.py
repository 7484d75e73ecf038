"""Finished exports as `storage` sees them."""

from django.db.models import QuerySet

from exports.models import Export
from storage.models import Blob
from storage.owners import BlobOwner


class ExportBlobOwner(BlobOwner):
    """The archives that exports wrote."""

    def used_blobs(self) -> "QuerySet[Blob, int]":
        """Return the contents of archives."""
        return Export.objects.exclude(blob=None).values("blob_id")  # type: ignore[return-value] # ids of Blob

    def blobs_of_team(self, team_id: int) -> "QuerySet[Blob, int]":
        """Return the archives of its data."""
        rows = Export.objects.filter(team=team_id).exclude(blob=None)
        return rows.values("blob_id")  # type: ignore[return-value] # ids of Blob

    def repoint(self, team_id: int, old: Blob, new: Blob) -> None:
        """Change the archives."""
        Export.objects.filter(team=team_id, blob=old).update(blob=new)
