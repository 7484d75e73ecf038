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
