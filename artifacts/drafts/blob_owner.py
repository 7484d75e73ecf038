"""The bytes of artifacts as `storage` sees them."""

from collections.abc import Collection as Some
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import QuerySet

from access.actor import Actor
from access.engine import visible
from artifacts.access import ArtifactAction
from artifacts.drafts import direct_uploads, manifests, uploads
from artifacts.drafts.services import drafts_for
from artifacts.models import Content, Entry, Version
from common.errors import DomainError
from runs.files.refused_files import record_refused_file
from storage.models import Blob
from storage.owners import BlobOwner


class ArtifactBlobOwner(BlobOwner):
    """Files of artifacts; it says for all of this app which blobs are used."""

    upload_purpose = uploads.PURPOSE

    def used_blobs(self) -> "QuerySet[Blob, int]":
        """Return the contents that projects hold, named by versions or not: the collector decides on those."""
        return Content.objects.values("blob_id")  # type: ignore[return-value] # ids of Blob

    def blobs_of_team(self, team_id: int) -> "QuerySet[Blob, int]":
        """Return the contents that its projects hold."""
        rows = Content.objects.filter(project__team=team_id)
        return rows.values("blob_id")  # type: ignore[return-value] # ids of Blob

    def names_in_team(self, actor: Actor, team_id: int, blob_ids: Some[int]) -> Iterable[tuple[int, str]]:
        """Return project, artifact and path of files of the versions that the actor sees."""
        versions = visible(
            actor, ArtifactAction.VIEW, Version.objects.filter(collection__project__team=team_id)
        )
        named = Entry.objects.filter(content__blob__in=blob_ids, version__in=versions)
        rows = named.values_list(
            "content__blob", "version__collection__project__name", "version__collection__name", "path"
        )
        return [(blob, f"{project}/{name}: {path}") for blob, project, name, path in rows]

    def repoint(self, team_id: int, old: Blob, new: Blob) -> None:
        """Change the contents."""
        Content.objects.filter(project__team=team_id, blob=old).update(blob=new)

    def require_upload(self, ticket: dict[str, Any], actor: Actor) -> None:
        """Ask for the permissions that adding files to the draft needs."""
        drafts_for(actor, Version.objects.filter(pk=ticket["v"]))

    def receive_upload(self, ticket: dict[str, Any], blob: Blob) -> None:
        """Hold it for its project and pin it for its draft."""
        uploads.receive_file(ticket, blob)

    def receive_uploads(self, arrived: Sequence[tuple[dict[str, Any], Blob]]) -> list[DomainError | None]:
        """Hold all of them at once: ten thousand small files are one version."""
        taken = uploads.receive_files(arrived)
        return [each if isinstance(each, DomainError) else None for each in taken]

    def awaited_locations(self, bucket_id: int, locations: Some[str]) -> Iterable[str]:
        """Return where clients send files of drafts themselves."""
        return direct_uploads.awaited(bucket_id, locations)

    def upload_refused(self, ticket: dict[str, Any], reason: str) -> None:
        """Record it on the run that logs the artifact."""
        version = (
            Version.objects.filter(pk=ticket["v"], run__isnull=False).select_related("collection").first()
        )
        if version is not None:
            name = uploads.name_on_run(version, ticket["n"])
            record_refused_file({"r": version.run_id, "n": name}, reason)


class ManifestBlobOwner(BlobOwner):
    """Manifests of drafts."""

    upload_purpose = manifests.PURPOSE

    def used_blobs(self) -> "QuerySet[Blob, int]":
        """Return none: manifests are contents, too."""
        return Content.objects.none().values("blob_id")  # type: ignore[return-value]

    def blobs_of_team(self, team_id: int) -> "QuerySet[Blob, int]":
        """Return none, likewise."""
        return self.used_blobs()

    def repoint(self, team_id: int, old: Blob, new: Blob) -> None:
        """Change nothing."""

    def require_upload(self, ticket: dict[str, Any], actor: Actor) -> None:
        """Ask for the permissions that adding files to the draft needs."""
        drafts_for(actor, Version.objects.filter(manifests=ticket["m"]))

    def receive_upload(self, ticket: dict[str, Any], blob: Blob) -> None:
        """Keep it for its draft."""
        manifests.receive_manifest(ticket, blob)
