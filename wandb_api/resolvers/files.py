"""Files of a run."""

import posixpath
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from access.engine import require, visible
from common.errors import Invalid, NotFound
from runs.access import RunAction
from runs.files.services import delete_run_file, upload_paths
from runs.models import Run, RunFile
from runs.selectors import files_of, get_run_by_any_name
from storage.signed_urls import tickets
from wandb_api.graphql.bindings import file_type, mutation, root, run_type
from wandb_api.graphql.context import Info
from wandb_api.graphql.global_ids import from_id, to_id
from wandb_api.graphql.masking import reads_exactly
from wandb_api.graphql.nodes import file_node, missing_file_node
from wandb_api.graphql.pagination import page_of

_MAX_PAGE = 10_000


def _run_named(info: Info, given: dict[str, Any]) -> Any:
    return get_run_by_any_name(
        info.context.actor, given["entityName"], given["projectName"], given["runName"]
    )


@root(mutation, "createRunFiles", RunAction.LOG)
def resolve_create_run_files(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Return one signed URL per file, exactly as many as were asked for; null for what is not stored here."""
    context = info.context
    run = _run_named(info, input)
    paths = upload_paths(actor=context.actor, run=run, names=input["files"])
    files = [
        {"name": name, "uploadUrl": context.absolute(path) if path else None}
        for name, path in zip(input["files"], paths, strict=True)
    ]
    return {"runID": to_id("Run", run.pk), "uploadHeaders": [], "files": files}


@root(mutation, "markRunFilesUploaded", RunAction.LOG)
def resolve_mark_run_files_uploaded(
    _: Any,
    info: Info,
    input: dict[str, Any],
) -> dict[str, Any]:
    """Say which of the files have arrived; the upload itself registered them, and no state changes."""
    run = _run_named(info, input)
    require(info.context.actor, RunAction.LOG, run)
    names_given = set(input["files"])
    arrived = set(files_of(run).filter(name__in=names_given).values_list("name", flat=True))
    return {"success": arrived == names_given}


@root(mutation, "deleteFiles", RunAction.DELETE_FILES)
def resolve_delete_files(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Remove files of runs, all or none."""
    actor = info.context.actor
    pks = [from_id("RunFile", text) for text in input["files"]]
    runs = visible(actor, RunAction.VIEW, Run.objects.live())
    files = RunFile.objects.select_related("run__project__team").filter(pk__in=pks, run__in=runs)
    with transaction.atomic():
        # in the order of the runs, which are locked one after the other
        if len(found := list(files.order_by("run_id", "pk"))) < len(set(pks)):
            raise NotFound(
                "One of these files doesn’t exist, or you don’t have access to it. None was deleted."
            )
        for file in found:
            delete_run_file(actor=actor, file=file)
    return {"success": True}


@run_type.field("fileCount")
def resolve_file_count(run: dict[str, Any], info: Info) -> int:
    """Count a run's files."""
    return files_of(run["row"]).count()


def _like(files: QuerySet[RunFile], pattern: str) -> QuerySet[RunFile]:
    """Filter by an SQL LIKE pattern, the form the SDK sends."""
    return files.extra(where=["runs_runfile.name LIKE %s"], params=[pattern])


@run_type.field("files")
def resolve_files(
    run: dict[str, Any],
    info: Info,
    *,
    names: list[str] | None = None,
    after: str | None = None,
    first: int | None = 50,
    pattern: str | None = None,
) -> dict[str, Any]:
    """Return a page of a run's files by name; the cursor is the number of files before the next page.

    SDKs want an answer for each name that they ask for: what is not there follows on the last page.
    """
    files = files_of(run["row"])
    if names:
        # `wandb verify` asks for ./name, as it was saved
        files = files.filter(name__in=[posixpath.normpath(name) for name in names])
    if pattern:
        files = _like(files, pattern)
    node = partial(file_node, is_masked=not reads_exactly(run, info))
    page = page_of(files, node, after=after, first=first, most=_MAX_PAGE)
    if names and not pattern and not page["pageInfo"]["hasNextPage"]:
        page["edges"] += _missing(run["row"], names, after)
    return page


def _missing(run: Run, names: list[str], after: str | None) -> list[dict[str, Any]]:
    """Return edges for the names that a run has no file of; `wandb.restore` knows these by their MD5, ``0``."""
    wanted = {posixpath.normpath(name): name for name in names}
    there = files_of(run).filter(name__in=wanted).values_list("name", flat=True)
    absent = [wanted[path] for path in sorted(wanted.keys() - set(there))]
    return [{"node": missing_file_node(run, name), "cursor": after or "0"} for name in absent]


def _download(file: dict[str, Any], info: Info) -> str:
    if file["row"] is None:
        return info.context.absolute(tickets.missing_path(file["name"]))
    if "address" in file:  # of an artifact's file
        return str(file["address"]())
    row: RunFile = file["row"]
    return info.context.absolute(
        tickets.get_path(
            row.blob, name=row.name, content_type=file["mimetype"], download=True, is_masked=file["is_masked"]
        )
    )


@file_type.field("url")
def resolve_url(file: dict[str, Any], info: Info, *, upload: bool | None = False) -> str | None:
    """Return a signed URL to GET the file from, or to PUT a new version to, null where that is not stored."""
    if upload and "address" in file:
        raise Invalid("The files of a committed artifact cannot change.")
    if upload:
        context, run = info.context, file["run"] if file["row"] is None else file["row"].run
        [path] = upload_paths(actor=context.actor, run=run, names=[file["name"]])
        return context.absolute(path) if path else None
    return _download(file, info)


@file_type.field("directUrl")
def resolve_direct_url(file: dict[str, Any], info: Info) -> str:
    """Return a signed URL to GET the file from."""
    return _download(file, info)
