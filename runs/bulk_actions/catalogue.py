"""Actions on many runs at once, by name: what the runs table and the REST API offer (RUN-4, RUN-7)."""

from collections.abc import Callable, Sequence

from django.utils.translation import gettext as _

from access.actor import Actor
from common.errors import DomainError, Invalid
from runs import selectors
from runs.bulk_actions import annotations, deletion, moving, redaction
from runs.bulk_actions.services import BulkActionResult
from runs.lifecycle import services as lifecycle
from runs.lifecycle.fields import RunFields
from runs.models import Project, Run

PerformBulkAction = Callable[[Actor, list[int], Sequence[str]], BulkActionResult]
"""Takes who asks, the runs' keys, and the values that the action needs: tags, a name, a project."""


def _tags(values: Sequence[str]) -> list[str]:
    return [tag for tag in (text.strip() for text in values) if tag]


def _project(actor: Actor, values: Sequence[str]) -> Project:
    entity, slash, name = "".join(values[:1]).partition("/")
    if not slash:
        raise Invalid(_("Enter the target project as entity/project."))
    return selectors.get_project_by_any_name(actor, entity, name)


def _stop(actor: Actor, run_ids: list[int], values: Sequence[str]) -> BulkActionResult:
    result = BulkActionResult()
    for run in Run.objects.filter(pk__in=run_ids).select_related("project__team").order_by("pk"):
        try:
            lifecycle.stop_run(actor=actor, run=run)
            result.done.append(run.uid)
        except DomainError as error:
            result.refused[run.uid] = error.message
    return result


def _annotate(name: str) -> PerformBulkAction:
    def do(actor: Actor, run_ids: list[int], values: Sequence[str]) -> BulkActionResult:
        fields = RunFields(**{name: values[-1] if values else None})  # type: ignore[arg-type]
        return annotations.annotate_runs(actor=actor, run_ids=run_ids, fields=fields)

    return do


def _plain(service: Callable[..., BulkActionResult]) -> PerformBulkAction:
    return lambda actor, run_ids, values: service(actor=actor, run_ids=run_ids)


BULK_ACTIONS: dict[str, PerformBulkAction] = {
    "tag": lambda actor, ids, values: annotations.tag_runs(actor=actor, run_ids=ids, tags=_tags(values)),
    "untag": lambda actor, ids, values: annotations.untag_runs(actor=actor, run_ids=ids, tags=_tags(values)),
    "rename": _annotate("display_name"),
    "note": _annotate("notes"),
    "group": _annotate("group"),
    "stop": _stop,
    "delete": lambda actor, ids, values: deletion.delete_runs(
        actor=actor, run_ids=ids, with_artifacts=deletion.WITH_ARTIFACTS in values
    ),
    "restore": _plain(deletion.restore_runs),
    "purge": _plain(deletion.purge_now),
    "protect": _plain(deletion.protect_runs),
    "unprotect": _plain(deletion.unprotect_runs),
    "redact": lambda actor, ids, values: redaction.redact_runs(actor=actor, run_ids=ids, keys=values),
    "move": lambda actor, ids, values: moving.move_runs(
        actor=actor, run_ids=ids, project=_project(actor, values)
    ),
}
ON_DELETED = {"restore", "purge"}
"""Actions on runs that are deleted; all others are on those that are not."""


def register_bulk_action(name: str, perform: PerformBulkAction) -> None:
    """Offer what an app above does to runs; called once in an ``AppConfig.ready``."""
    BULK_ACTIONS[name] = perform
