"""Removing values of config and metadata from runs that were logged with what should not have been (wish 49)."""

from collections.abc import Collection, Iterable
from typing import Any

from django.db import transaction
from django.db.models import Q

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from common import live
from common.database.commits import after_commit
from common.errors import DomainError, Invalid
from runs.access import RunAction
from runs.bulk_actions.services import BulkActionResult
from runs.config.flatten import flat_config
from runs.config.redaction import (
    MAX_KEYS,
    REDACTED,
    read_keys,
    redacted_columns,
    redacted_config,
    redacted_metadata,
)
from runs.files.services import rewrite_redacted_files
from runs.models import Run, RunHost, RunWriter


def redact_runs(*, actor: Actor, run_ids: Collection[int], keys: Iterable[str]) -> BulkActionResult:
    """Remove the values of keys from runs, for good; each run on which that is not possible stays as it is.

    Files are rewritten, so each run has a transaction of its own.

    Args:
        keys: Texts of one key a line, as ``config.db.password`` or ``metadata.args``.

    Raises:
        Invalid: no key, or one that is no key of config or metadata.
    """
    checked_keys, result = read_keys(keys), BulkActionResult()
    for run in Run.objects.filter(pk__in=run_ids).select_related("project__team").order_by("pk"):
        try:
            redact_run(actor=actor, run=run, keys=checked_keys)
            result.done.append(run.uid)
        except DomainError as error:
            result.refused[run.uid] = error.message
    return result


@transaction.atomic
def redact_run(*, actor: Actor, run: Run, keys: list[str]) -> None:
    """Remove the values of keys from a run, from its archives, and from whatever its clients send again.

    Raises:
        Invalid: the run would have more than MAX_KEYS redacted keys.
    """
    require(actor, RunAction.DELETE, run)
    for one in Run.objects.locked().select_related("project__team").filter(Q(pk=run.pk) | Q(archive_of=run)):
        _redact(one, keys)
    team = run.project.team
    record(
        actor, "run.redact", run, organization_id=team.organization_id, team_id=team.pk, after={"keys": keys}
    )
    message: dict[str, Any] = {"type": "run", "uid": run.uid, "state": run.state}
    after_commit(live.send, live.project_group(run.project_id), message)


def _redact(run: Run, keys: list[str]) -> None:
    run.redacted_keys = list(dict.fromkeys([*run.redacted_keys, *keys]))
    if len(run.redacted_keys) > MAX_KEYS:
        raise Invalid(f"At most {MAX_KEYS} keys of a run can be redacted; redact a common parent of them.")
    run.config_text = redacted_config(run.config_text, run.redacted_keys)
    run.config_flat = flat_config(run.config_text)
    columns = sorted(redacted_columns(run.redacted_keys))
    for column in columns:
        setattr(run, column, REDACTED)
    run.save(update_fields=["redacted_keys", "config_text", "config_flat", *columns, "updated_at"])
    _redact_hosts(run, is_named="host" not in columns)
    for writer in RunWriter.objects.filter(run=run):
        writer.config_text = redacted_config(writer.config_text, run.redacted_keys)
        writer.save(update_fields=["config_text"])
    rewrite_redacted_files(run)


def _redact_hosts(run: Run, *, is_named: bool) -> None:
    hosts = RunHost.objects.filter(run=run)
    if not is_named:
        hosts.delete()
        return
    for host in hosts:
        host.told = redacted_metadata(host.told, run.redacted_keys)
        host.save(update_fields=["told"])
