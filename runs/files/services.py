"""Files of a run."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from common.database.commits import after_commit
from common.database.kept_queries import KeptQuery
from common.errors import Gone
from runs.access import RunAction
from runs.config.redaction import redacted_config_file, redacted_metadata_file
from runs.files.announced_files import announce, no_longer_await
from runs.files.code_saving import record_code_not_stored
from runs.hosts.services import MAX_METADATA_BYTES, METADATA, describes_host, record_hosts_of_file
from runs.lifecycle.storage_ledger import FILE
from runs.models import Project, RefusedFile, Run, RunFile
from storage.contents.reading import content_of
from storage.file_names import check_file_name
from storage.models import Blob
from storage.quota import require_quota
from storage.services import record_bytes, store_bytes
from storage.signed_urls import tickets
from storage.tasks import free_blobs

PURPOSE = "run-file"
CONFIG = "config.yaml"
_OF_RUN = frozenset({
    CONFIG, "wandb-summary.json", METADATA, "output.log", "requirements.txt", "conda-environment.yaml",
})  # fmt: skip
_LOGS = "logs/"
"""Where newer SDKs put the console log in parts."""


def is_of_run(name: str) -> bool:
    """Whether a file is part of the run as its metrics are: config, summary and log are taken over quota, too."""
    return name in _OF_RUN or name.startswith(_LOGS)


def upload_paths(*, actor: Actor, run: Run, names: Iterable[str]) -> list[str | None]:
    """Return for each file of a run a signed path to PUT it to; what the upload is asked about is in the ticket.

    Code that is not stored with the run has none, which SDKs take for done. Where the storage quota is used up the
    PUT says so, file by file: a refusal here would take the SDK's own files of the same call with it.
    """
    require(actor, RunAction.LOG, run)
    team, checked = run.project.team_id, list(map(check_file_name, names))
    refused = record_code_not_stored(run, checked)
    announce(run, [name for name in checked if name not in refused])

    def path(name: str) -> str:
        return tickets.put_path(
            PURPOSE,
            r=run.pk,
            n=name,
            **{tickets.TEAM: team},
            **tickets.requested_by(actor),
            **({tickets.NO_QUOTA: True} if is_of_run(name) else {}),
        )

    return [None if name in refused else path(name) for name in checked]


def require_quota_for(run: Run, names: Iterable[str]) -> None:
    """Refuse immediately what the uploads would be refused for, to callers that want all or none.

    Raises:
        DomainError: the team may store no more files.
    """
    if not all(map(is_of_run, names)):
        require_quota(run.project.team_id)


_locked = KeptQuery(lambda pk: Run.objects.locked().filter(pk=pk))
_projects = KeptQuery(lambda pk: Project.objects.filter(pk=pk))
_named = KeptQuery(lambda run_id, name: RunFile.objects.filter(run=run_id, name=name))
_refused = KeptQuery(lambda run_id, name: RefusedFile.objects.filter(run=run_id, name=name))


def receive_run_file(ticket: dict[str, Any], blob: Blob) -> None:
    """Name a blob that arrived by ticket; part of the upload's transaction.

    Raises:
        Gone: the run was deleted meanwhile.
    """
    # its project is read after the lock: the run may have been moved while this waited for it
    run = _locked.first(ticket["r"])
    if run is None or run.deleted_at is not None:
        raise Gone("The run of this file was deleted.")
    name = ticket["n"]
    file = _named.first(run.pk, name)
    before = file.size_bytes if file else 0
    blob = without_redacted(run, name, blob)
    if describes_host(name) and blob.size_bytes <= MAX_METADATA_BYTES:
        record_hosts_of_file(run, name, content_of(blob).read_bytes())
    for refused in _refused.all(run.pk, name):
        refused.delete()
    no_longer_await(run.pk, name)
    file = file or RunFile(run=run, name=name)
    file.blob, file.size_bytes = blob, blob.size_bytes
    file.save()
    record_bytes(
        team_id=_projects.get(run.project_id).team_id, project_id=run.project_id, run_id=run.pk,
        user_id=run.user_id, category=FILE, delta_bytes=blob.size_bytes - before,
    )  # fmt: skip


def rewrite_redacted_files(run: Run) -> None:
    """Rewrite the files of a locked run that repeat what was redacted from it."""
    for file in run.files.select_related("blob"):
        blob = without_redacted(run, file.name, file.blob)
        if blob == file.blob:
            continue
        record_bytes(
            team_id=run.project.team_id, project_id=run.project_id, run_id=run.pk, user_id=run.user_id, category=FILE,
            delta_bytes=blob.size_bytes - file.size_bytes,
        )  # fmt: skip
        file.blob, file.size_bytes = blob, blob.size_bytes
        file.save(update_fields=["blob", "size_bytes", "updated_at"])


def without_redacted(run: Run, name: str, blob: Blob) -> Blob:
    """Return the blob to keep under a name: another one where the file repeats keys that were redacted from the run.

    The blob that it replaces is freed after the commit, unless another file has the same content.
    """
    if not run.redacted_keys or (name != CONFIG and not describes_host(name)):
        return blob
    content = redacted_config_file(run) if name == CONFIG else _redacted_metadata(run, blob)
    kept = store_bytes(content, run.project.team_id)
    if kept != blob:
        after_commit(free_blobs.delay, [blob.pk])
    return kept


def _redacted_metadata(run: Run, blob: Blob) -> bytes:
    is_readable = blob.size_bytes <= MAX_METADATA_BYTES
    content = content_of(blob).read_bytes() if is_readable else b""
    return redacted_metadata_file(content, run.redacted_keys)


@transaction.atomic
def delete_run_file(*, actor: Actor, file: RunFile) -> None:
    """Remove a file from its run; its bytes are freed after the commit, unless something else uses them."""
    require(actor, RunAction.DELETE_FILES, file.run)
    run = Run.objects.locked().get(pk=file.run_id)
    found = RunFile.objects.filter(pk=file.pk).first()
    if found is None:  # two clicks at once give its bytes back once
        return
    file, team = found, run.project.team
    record(
        actor, RunAction.DELETE_FILES, run, organization_id=team.organization_id, team_id=team.pk,
        before={"file": file.name, "bytes": file.size_bytes},
    )  # fmt: skip
    record_bytes(
        team_id=team.pk, project_id=run.project_id, run_id=run.pk, user_id=run.user_id, category=FILE,
        delta_bytes=-file.size_bytes,
    )  # fmt: skip
    file.delete()
    after_commit(free_blobs.delay, [file.blob_id])
