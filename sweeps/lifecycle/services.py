"""Creating, changing, pausing and ending sweeps (RUN-50)."""

from collections.abc import Collection
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from common.errors import Conflict, Invalid
from common.formats.lenient_json import clean_text
from runs.models import Project, Run
from runs.names.display_names import random_uid
from sweeps.access import SweepAction
from sweeps.config.document import Method, SweepConfig, read_config
from sweeps.lifecycle.ending import announce
from sweeps.lifecycle.progress import renew_best
from sweeps.models import ENDED, OPEN, Sweep, SweepState, Trial, TrialState
from sweeps.participants import SweepChange, SweepEvent, happened
from sweeps.trials.handing_out import has_remaining
from sweeps.trials.priors import learn_from, number_points

MAX_NAME = 128
MAX_DESCRIPTION = 100_000
MAX_POINTS = 10**18
"""Of a grid: points are counted, never listed."""


@transaction.atomic
def create_sweep(
    *, actor: Actor, project: Project, config_text: str, display_name: str = "", description: str | None = None,
    priors: Collection[Run] = (),
) -> tuple[Sweep, tuple[str, ...]]:  # fmt: skip
    """Create a sweep; return it with what its configuration is to be warned of.

    Args:
        actor: Who is to own it.
        project: Where its runs are logged.
        config_text: YAML.
        display_name: By default the one in the configuration.
        description: As the name.
        priors: Runs of the project that the search learns from.

    Raises:
        Invalid: the configuration is; names the path.
    """
    require(actor, SweepAction.CREATE, project)
    config = read_config(config_text)
    sweep = Sweep(project=project, uid=random_uid(), created_by_id=actor.user_id)
    _apply_config(sweep, config_text, config)
    _apply_words(
        sweep, display_name or config.name, config.description if description is None else description
    )
    sweep.save()
    learn_from(sweep, config, priors)
    _record(actor, SweepAction.CREATE, sweep, after=_words(sweep))
    announce(sweep)
    return sweep, config.warnings


@transaction.atomic
def change_sweep(
    *, actor: Actor, sweep: Sweep, config_text: str | None = None, display_name: str | None = None,
    description: str | None = None,
) -> tuple[Sweep, tuple[str, ...]]:  # fmt: skip
    """Change what is given of a sweep: trials that were handed out stay, later ones follow the new configuration.

    A name or description that the old configuration gave follows the new one.

    Raises:
        Invalid: as `create_sweep`.
    """
    require(actor, SweepAction.EDIT, sweep)
    sweep = _locked(sweep)
    before = _words(sweep)
    warnings: tuple[str, ...] = ()
    if config_text is not None:
        config, old = read_config(config_text), read_config(sweep.config_text)
        warnings = config.warnings
        if display_name is None and sweep.display_name == old.name[:MAX_NAME]:
            display_name = config.name
        if description is None and sweep.description == old.description:
            description = config.description
        _apply_config(sweep, config_text, config)
        _adjust_trials(sweep, config, old)
    _apply_words(sweep, display_name, description)
    sweep.save()
    _record(actor, SweepAction.EDIT, sweep, before=before, after=_words(sweep))
    announce(sweep)
    return sweep, warnings


def _adjust_trials(sweep: Sweep, config: SweepConfig, old: SweepConfig) -> None:
    """Number the points of another grid anew, and compare runs by another metric."""
    if (config.space, config.method) != (old.space, old.method):
        sweep.next_point = 0
        number_points(sweep, config)
    if config.metric != old.metric:
        Trial.objects.filter(sweep=sweep).update(rungs={}, is_measured=False)
        renew_best(sweep)


def _apply_config(sweep: Sweep, text: str, config: SweepConfig) -> None:
    sweep.config_text = clean_text(text)
    sweep.method, sweep.run_cap, sweep.retries = config.method.value, config.run_cap, config.retry_crashed
    sweep.grid_size = grid_size(config)
    sweep.is_hyperband = config.early_terminate is not None
    metric = config.metric
    sweep.metric_name, sweep.metric_goal = (metric.name, metric.goal) if metric else ("", "")


def grid_size(config: SweepConfig) -> int | None:
    """Return how many points the grid of a configuration has; None for other methods.

    Raises:
        Invalid: more than points are numbered for.
    """
    size = config.space.size() if config.method is Method.GRID else None
    if size is not None and size > MAX_POINTS:
        raise Invalid(
            _("parameters: a grid can have at most %(limit)s points; this one has %(count)s.")
            % {"limit": MAX_POINTS, "count": size}
        )
    return size


def _apply_words(sweep: Sweep, display_name: str | None, description: str | None) -> None:
    if display_name is not None:
        name = clean_text(display_name).strip()
        if len(name) > MAX_NAME:
            raise Invalid(
                _("A sweep’s name can have at most %(limit)s characters; this one has %(count)s.")
                % {"limit": MAX_NAME, "count": len(name)}
            )
        sweep.display_name = name
    if description is not None:
        if len(description) > MAX_DESCRIPTION:
            raise Invalid(
                _("A sweep’s description can have at most %(limit)s characters; this one has %(count)s.")
                % {"limit": MAX_DESCRIPTION, "count": len(description)}
            )
        sweep.description = clean_text(description)


_FROM = {
    SweepState.PAUSED: {SweepState.PENDING, SweepState.RUNNING},
    SweepState.RUNNING: {SweepState.PAUSED, SweepState.FINISHED, SweepState.CANCELED},
    SweepState.FINISHED: {SweepState.PENDING, SweepState.RUNNING, SweepState.PAUSED},
    SweepState.CANCELED: {SweepState.PENDING, SweepState.RUNNING, SweepState.PAUSED},
}
"""From which states somebody may move a sweep to a state."""


@transaction.atomic
def change_state(*, actor: Actor, sweep: Sweep, state: str) -> Sweep:
    """Pause, resume, stop (FINISHED: running runs end by themselves) or cancel (runs are stopped) a sweep.

    Raises:
        Invalid: no such state.
        Conflict: not from the state it is in, or nothing is left to resume.
    """
    require(actor, SweepAction.STOP, sweep)
    sweep = _locked(sweep)
    if state not in _FROM:
        known = ", ".join(_FROM)
        raise Invalid(
            _("A sweep’s state can be set to %(known)s, not to “%(state)s”.")
            % {"known": known, "state": state}
        )
    if sweep.state == state:
        return sweep
    target, before = SweepState(state), sweep.state
    if before not in _FROM[target]:
        raise Conflict(
            _("The sweep is %(state)s; it cannot become %(target)s.")
            % {"state": sweep.state_label, "target": target.label}
        )
    is_left = has_remaining(sweep)
    if target == SweepState.RUNNING and not is_left and not _is_waiting(sweep):
        raise Conflict(_nothing_left(sweep))
    _enter(sweep, target, is_left=is_left)
    _record(actor, SweepAction.STOP, sweep, before={"state": before}, after={"state": target.value})
    if target in ENDED:
        happened(SweepChange(SweepEvent.FINISHED, sweep, ended_by_id=actor.user_id))
    announce(sweep)
    return sweep


def _enter(sweep: Sweep, target: SweepState, *, is_left: bool) -> None:
    now = timezone.now()
    sweep.state = target
    sweep.is_stopped = target == SweepState.FINISHED and is_left
    sweep.ended_at = now if target in ENDED else None
    sweep.save(update_fields=["state", "is_stopped", "ended_at", "updated_at"])
    if target == SweepState.CANCELED:
        under_way = Trial.objects.filter(sweep=sweep, state__in=OPEN, stop_requested_at=None)
        under_way.update(stop_requested_at=now)
    if target in ENDED:  # whoever resumes it gets them again
        Trial.objects.filter(sweep=sweep, state=TrialState.GIVEN, run=None).update(
            state=TrialState.WAITING, stop_requested_at=None
        )


def _is_waiting(sweep: Sweep) -> bool:
    return Trial.objects.filter(sweep=sweep, state=TrialState.WAITING).exists()


def _nothing_left(sweep: Sweep) -> str:
    if sweep.run_cap is not None and sweep.trial_count >= sweep.run_cap:
        return _("All %(count)s runs of its run cap have been handed out. Raise run_cap to continue.") % {
            "count": sweep.run_cap
        }
    return _("All %(count)s points of its grid have been handed out.") % {"count": sweep.grid_size}


def _locked(sweep: Sweep) -> Sweep:
    rows = Sweep.objects.select_for_update(no_key=True, of=("self",)).select_related("project__team")
    return rows.get(pk=sweep.pk)


def _words(sweep: Sweep) -> dict[str, Any]:
    """Return what the audit log tells of a sweep."""
    return {
        "name": str(sweep), "description": sweep.description[:500], "method": sweep.method,
        "config": sweep.config_text[:4000],
    }  # fmt: skip


def _record(
    actor: Actor, action: str, sweep: Sweep, *, before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:  # fmt: skip
    """Write down what changed, if anything did."""
    before, after = before or {}, after or {}
    changed = [name for name in after if before.get(name) != after[name]]
    if changed or not after:
        team = sweep.project.team
        record(
            actor, action, sweep, organization_id=team.organization_id, team_id=team.pk,
            before={name: before[name] for name in changed if name in before},
            after={name: after[name] for name in changed},
        )  # fmt: skip
