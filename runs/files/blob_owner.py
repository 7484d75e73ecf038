"""Files of runs as `storage` sees them: who receives uploads, and which blobs are in use."""

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from django.db.models import QuerySet

from access.actor import Actor
from access.engine import require, visible
from runs.access import RunAction
from runs.files import services
from runs.files.refused_files import record_refused_file
from runs.models import Run, RunFile
from runs.secrets.documents import masked_pieces
from storage.contents.openable import Openable
from storage.models import Blob
from storage.owners import BlobOwner


class RunFileBlobOwner(BlobOwner):
    """The files of runs; runs also know how secrets look, in whatever is downloaded."""

    upload_purpose = services.PURPOSE

    def used_blobs(self) -> "QuerySet[Blob, int]":
        """Return the contents of files."""
        return RunFile.objects.values("blob_id")  # type: ignore[return-value] # ids of Blob

    def blobs_of_team(self, team_id: int) -> "QuerySet[Blob, int]":
        """Return the contents of the files of its runs."""
        rows = RunFile.objects.filter(run__project__team=team_id)
        return rows.values("blob_id")  # type: ignore[return-value] # ids of Blob

    def names_in_team(
        self, actor: Actor, team_id: int, blob_ids: Collection[int]
    ) -> Iterable[tuple[int, str]]:
        """Return project, run and name of files of the runs that the actor sees."""
        runs = visible(actor, RunAction.VIEW, Run.objects.filter(project__team=team_id))
        files = RunFile.objects.filter(blob__in=blob_ids, run__in=runs).select_related("run__project")
        return [(file.blob_id, f"{file.run.project.name}/{file.run.uid}: {file.name}") for file in files]

    def repoint(self, team_id: int, old: Blob, new: Blob) -> None:
        """Change the files."""
        RunFile.objects.filter(run__project__team=team_id, blob=old).update(blob=new)

    def require_upload(self, ticket: dict[str, Any], actor: Actor) -> None:
        """Ask for the permission to log to the run; one that is gone says so itself."""
        run = Run.objects.live().select_related("project__team").filter(pk=ticket["r"]).first()
        if run is not None:
            require(actor, RunAction.LOG, run)

    def receive_upload(self, ticket: dict[str, Any], blob: Blob) -> None:
        """Make it a file of its run."""
        services.receive_run_file(ticket, blob)

    def upload_refused(self, ticket: dict[str, Any], reason: str) -> None:
        """Record it on its run."""
        record_refused_file(ticket, reason)

    def masked_pieces(self, content: Openable, name: str) -> Iterator[bytes] | None:
        """Mask secrets."""
        return masked_pieces(content, name)
