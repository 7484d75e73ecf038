"""Lists of a project's runs: which meet a condition, in which order, and what they have in some columns."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from access.actor import Actor
from access.engine import can_throughout
from runs.access import RunAction
from runs.column_index.filtering import columns_in, mask_of
from runs.column_index.kept import index_of, trim
from runs.column_index.ordering import order_of
from runs.column_index.project_index import STATE, NotIndexed, ProjectIndex
from runs.column_index.values import Array, Values
from runs.models import Project, Run
from runs.query.columns import Column
from runs.query.conditions import Condition
from runs.query.ordering import Ordering

_PATIENCE_S = 2.0
"""For another thread that reads columns of many runs; whoever waits holds a connection to the database."""


@dataclass(frozen=True, slots=True)
class RunList:
    """Keys of runs in order; ``all_count`` is how many there are in the project."""

    pks: Array
    all_count: int
    columns: dict[Column, Values]
    """Of the same runs, in the same order."""


def listed_runs(
    actor: Actor,
    project: Project,
    condition: Condition,
    ordering: Ordering | None,
    columns: Sequence[Column] = (),
) -> RunList | None:
    """Return the listed runs that meet a condition, with some columns; in no order if none is given.

    The condition and the columns have been found to be valid. None where only the database can say: the actor may
    not see all runs of the project, a column is not kept in memory, another thread reads one that takes long, or a
    transaction is under way.
    """
    if not can_throughout(actor, RunAction.VIEW, Run, project):
        return None
    index = index_of(project.pk)
    if index is None or not index.lock.acquire(timeout=_PATIENCE_S):
        return None
    try:
        found = _chosen(index, condition, ordering, columns)
    except NotIndexed:
        return None
    finally:
        index.lock.release()
    trim()
    return found


def _chosen(
    index: ProjectIndex, condition: Condition, ordering: Ordering | None, columns: Sequence[Column]
) -> RunList:
    ordered_by = [column for column, _falls in ordering.parts] if ordering else []
    states = [STATE] if ordering and ordering.is_running_first else []
    index.prepare([*columns_in(condition), *ordered_by, *states, *columns])
    places = np.flatnonzero(mask_of(condition, index.values, len(index.pks)))
    if ordering is not None:
        parts = [(index.values(column), falls) for column, falls in ordering.parts]
        places = order_of(parts, places, states=index.values(STATE) if states else None)
    return RunList(
        index.pks[places],
        len(index.pks),
        {column: index.values(column).chosen(places) for column in columns},
    )
