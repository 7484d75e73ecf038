"""What a project has that the editor proposes: metrics, and runs to learn from."""

from collections.abc import Collection
from dataclasses import dataclass

from django.utils.translation import gettext as _

from access.actor import Actor
from common.errors import Invalid
from metrics.models import StreamKind
from metrics.store import reads
from runs.config.flatten import json_tree, unwrap_config
from runs.models import Project, Run
from runs.secrets.documents import masked_json
from runs.selectors import listed_runs_of
from runs.states import RunState
from sweeps.editor.writing import inline

_LOOKED_AT = 20
"""Newest runs whose metrics are proposed."""
_PROPOSED = 500
OFFERED_RUNS = 100
MOST_PRIORS = 500
_LIKELY = ("val/loss", "val_loss", "loss", "train/loss")
_WORDS = 4
_WORD_LENGTH = 24


def metric_names(actor: Actor, project: Project) -> list[str]:
    """Return metrics that the newest runs logged as numbers, by name."""
    runs = listed_runs_of(actor, project).order_by("-pk").values_list("pk", flat=True)
    stats = reads.key_stats(list(runs[:_LOOKED_AT]), StreamKind.HISTORY)
    names = {
        key
        for keys in stats.values()
        for key, one in keys.items()
        if one.type == "number" and not key.startswith("_")
    }
    return sorted(names)[:_PROPOSED]


def likely_metric(names: Collection[str]) -> str:
    """Return the metric that a sweep is most likely to optimise."""
    for name in (*_LIKELY, *(one for one in names if "loss" in one.lower()), *names):
        if name in names:
            return name
    return "loss"


@dataclass(frozen=True, slots=True)
class Offered:
    """A run to learn from; ``words`` has the first of its configuration."""

    run: Run
    words: str


def finished_runs(actor: Actor, project: Project) -> list[Offered]:
    """Return the newest finished runs of a project, secrets masked."""
    runs = listed_runs_of(actor, project).filter(state=RunState.FINISHED).order_by("-created_at", "-pk")
    return [Offered(run, _words(run)) for run in runs[:OFFERED_RUNS]]


def _words(run: Run) -> str:
    config = unwrap_config(json_tree(masked_json(run.config_text)))
    plain = {key: value for key, value in config.items() if isinstance(value, str | int | float)}
    return " · ".join(f"{key} {_short(value)}" for key, value in list(plain.items())[:_WORDS])


def _short(value: object) -> str:
    text = value if isinstance(value, str) else inline(value)
    return text if len(text) <= _WORD_LENGTH else f"{text[:_WORD_LENGTH]}…"


def chosen_runs(actor: Actor, project: Project, uids: Collection[str]) -> list[Run]:
    """Return the finished runs of these IDs, in the order in which they began.

    Raises:
        Invalid: they are too many, or one is not there or has not finished.
    """
    wanted = set(uids)
    if len(wanted) > MOST_PRIORS:
        raise Invalid(_("Choose at most %(most)s runs.") % {"most": MOST_PRIORS})
    runs = listed_runs_of(actor, project).filter(state=RunState.FINISHED, uid__in=wanted)
    found = list(runs.order_by("created_at", "pk"))
    if len(found) < len(wanted):
        raise Invalid(_("A chosen run no longer exists or has not finished. Choose again."))
    return found
