"""Who may log to which run: checked for all runs of a key together, and cached by `permission_cache`."""

import asyncio
from collections import defaultdict
from collections.abc import Collection
from typing import Any

from django.db import close_old_connections
from django.db.models import F, Q, QuerySet

from access.actor import Actor
from access.callers.credentials import actor_of_header
from access.engine import can, require, visible
from access.web.requests import address_in
from common.database.kept_queries import KeptQuery
from common.errors import Gone, NotFound
from common.formats.lenient_json import clean_text
from ingest.authorization.permission_cache import Names, permissions
from runs.access import RunAction
from runs.models import Run


def loggable_run_ids(actor: Actor, paths: Collection[Names]) -> dict[Names, int]:
    """Return the keys of those runs to which the actor may log."""
    if len(paths) == 1 and (named := _loggable_by_its_present_name(actor, *paths)):
        return named
    uids: dict[tuple[str, str], list[str]] = defaultdict(list)
    for entity, project, uid in paths:
        uids[clean_text(entity), clean_text(project)].append(clean_text(uid))
    runs = visible(actor, RunAction.LOG, Run.objects.filter(deleted_at=None))
    found: dict[Names, int] = {}
    for ways in _NAME_PATHS:
        if len(found) < sum(map(len, uids.values())):
            found = _ids_by_names(runs, uids, ways) | found
    return found


_named = KeptQuery(
    lambda entity, project, uid: Run.objects.filter(
        deleted_at=None, project__team__name=entity, project__name=project, uid=uid
    ).only("pk")
)


def _loggable_by_its_present_name(actor: Actor, path: Names) -> dict[Names, int]:
    """Return the run of a single path, which is what most ask for; nothing where the long way has to look."""
    entity, project, uid = map(clean_text, path)
    run = next((run for run in _named.all(entity, project, uid) if can(actor, RunAction.LOG, run)), None)
    return {path: run.pk} if run else {}


_NamePaths = tuple[str, str, str]
"""The paths from a run to entity, project and id."""
_NAME_PATHS: tuple[_NamePaths, ...] = (
    ("project__team__name", "project__name", "uid"),
    ("alias__project__team__name", "alias__project__name", "alias__uid"),
    ("project__team__name", "project__former_names__name", "uid"),
)
"""How a run is named: as it is now, as the agent began it, as its project was called; the first that fits counts."""


def _ids_by_names(
    runs: QuerySet[Run], uids: dict[tuple[str, str], list[str]], ways: _NamePaths
) -> dict[Names, int]:
    condition = Q(pk__in=())
    for (entity, project), some in uids.items():
        condition |= Q(**{ways[0]: entity, ways[1]: project, f"{ways[2]}__in": some})
    rows = runs.filter(condition).values_list(*ways, "pk")
    return {(entity, project, uid): pk for entity, project, uid, pk in rows}


def loggable_run(actor: Actor, path: Names) -> Run:
    """Return the run if the actor may log to it; deleted runs are found, so that the client learns of their end.

    Raises:
        NotFound, Forbidden, Gone: as their messages say.
    """
    entity, project, uid = map(clean_text, path)
    # a deleted project's name may be a new one's
    runs = Run.objects.select_related("project__team").order_by(
        F("project__deleted_at").asc(nulls_first=True)
    )
    named = (
        runs.filter(**dict(zip(ways, (entity, project, uid), strict=True))).first() for ways in _NAME_PATHS
    )
    run = next(filter(None, named), None)
    unknown = NotFound(f"The run {entity}/{project}/{uid} doesn’t exist, or you don’t have access to it.")
    if run is None:
        raise unknown
    try:
        require(actor, RunAction.LOG, run)
    except NotFound:
        raise unknown from None  # word for word as for a run that is not there
    if run.deleted_at is not None:
        raise Gone(f"The run “{uid}” was deleted; no more data is stored for it.")
    return run


def _check_runs(authorization: str, address: str, paths: Collection[Names]) -> dict[Names, int]:
    """As `loggable_run_ids`, on a thread of its own.

    Raises:
        Unauthenticated: as its message says.
    """
    close_old_connections()
    try:
        return loggable_run_ids(actor_of_header(authorization, address), paths)
    finally:
        close_old_connections()


def _check_run(authorization: str, address: str, path: Names) -> int:
    """As `loggable_run`, on a thread of its own.

    Raises:
        Unauthenticated, NotFound, Forbidden, Gone: as their messages say.
    """
    close_old_connections()
    try:
        return loggable_run(actor_of_header(authorization, address), path).pk
    finally:
        close_old_connections()


async def authorize(scope: dict[str, Any], headers: dict[bytes, bytes], names: Names) -> int:
    """Return the run's key if who sends the request may log to it.

    Raises:
        Unauthenticated, NotFound, Forbidden, Gone: as their messages say.
    """
    authorization = headers.get(b"authorization", b"").decode("latin-1")
    known = permissions.get(authorization, names)
    if known is None:
        known = await permissions.wait_for_inflight(authorization, names)
    if known is not None:
        return known
    address = address_in(scope, headers)
    generation = permissions.generation
    with permissions.single_flight(authorization, names) as runs:
        found = await asyncio.to_thread(_check_runs, authorization, address, runs)
        permissions.remember(authorization, found, generation=generation)
    if names in found:
        return found[names]
    return await asyncio.to_thread(_check_run, authorization, address, names)  # says why not
