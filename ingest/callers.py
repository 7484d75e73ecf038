"""Who may log to which run: asked for all runs of a key at once, and remembered by `ingest.rights`."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.db import close_old_connections
from django.db.models import F, Q

from access.actor import Actor
from access.credentials import actor_of_header
from access.engine import require, visible
from access.web import address_in
from common.errors import Gone, NotFound
from ingest.rights import Names, rights
from runs.access import RunAction
from runs.models import Run
from runs.projection import clean_text


def allowed(actor: Actor, paths: Iterable[Names]) -> dict[Names, int]:
    """Return the keys of those runs to which the actor may log."""
    uids: dict[tuple[str, str], list[str]] = defaultdict(list)
    for entity, project, uid in paths:
        uids[clean_text(entity), clean_text(project)].append(clean_text(uid))
    wanted, by_alias = Q(pk__in=()), Q(pk__in=())
    for (entity, project), some in uids.items():
        wanted |= Q(project__team__name=entity, project__name=project, uid__in=some)
        by_alias |= Q(alias__project__team__name=entity, alias__project__name=project, alias__uid__in=some)
    runs = visible(actor, RunAction.LOG, Run.objects.filter(deleted_at=None))
    rows = runs.filter(wanted).values_list("project__team__name", "project__name", "uid", "pk")
    found = {(entity, project, uid): pk for entity, project, uid, pk in rows}
    if len(found) < sum(map(len, uids.values())):
        names = ("alias__project__team__name", "alias__project__name", "alias__uid")
        aliases = runs.filter(by_alias).values_list(*names, "pk")
        found |= {(entity, project, uid): pk for entity, project, uid, pk in aliases}
    return found


def loggable_run(actor: Actor, path: Names) -> Run:
    """Return the run if the actor may log to it; deleted runs are found, so that their end is told.

    Raises:
        NotFound, Forbidden, Gone: as their messages say.
    """
    entity, project, uid = map(clean_text, path)
    run = (
        Run.objects.select_related("project__team")
        .filter(project__team__name=entity, project__name=project, uid=uid)
        # a deleted project's name may be a new one's
        .order_by(F("project__deleted_at").asc(nulls_first=True))
        .first()
    )
    unknown = NotFound(f"There is no run {entity}/{project}/{uid}, or you may not see it.")
    if run is None:
        run = (
            Run.objects.select_related("project__team")
            .filter(alias__project__team__name=entity, alias__project__name=project, alias__uid=uid)
            .first()
        )
    if run is None:
        raise unknown
    try:
        require(actor, RunAction.LOG, run)
    except NotFound:
        raise unknown from None  # word for word as for a run that is not there
    if run.deleted_at is not None:
        raise Gone(f"The run {uid!r} was deleted; nothing more is stored for it.")
    return run


def _ask(authorization: str, address: str, paths: Iterable[Names]) -> dict[Names, int]:
    """As `allowed`, on a thread of its own.

    Raises:
        Unauthenticated: as its message says.
    """
    close_old_connections()
    try:
        return allowed(actor_of_header(authorization, address), paths)
    finally:
        close_old_connections()


def _run_for(authorization: str, address: str, path: Names) -> int:
    """As `loggable_run`, on a thread of its own.

    Raises:
        Unauthenticated, NotFound, Forbidden, Gone: as their messages say.
    """
    close_old_connections()
    try:
        return loggable_run(actor_of_header(authorization, address), path).pk
    finally:
        close_old_connections()


async def authorized(scope: dict[str, Any], headers: dict[bytes, bytes], names: Names) -> int:
    """Return the run's key if who sends the request may log to it.

    Raises:
        Unauthenticated, NotFound, Forbidden, Gone: as their messages say.
    """
    authorization = headers.get(b"authorization", b"").decode("latin-1")
    known = rights.get(authorization, names)
    if known is None:
        known = await rights.turn(authorization, names)
    if known is not None:
        return known
    address = address_in(scope, headers)
    generation = rights.generation
    with rights.asking(authorization, names) as runs:
        found = await asyncio.to_thread(_ask, authorization, address, runs)
        rights.remember(authorization, found, generation=generation)
    if names in found:
        return found[names]
    return await asyncio.to_thread(_run_for, authorization, address, names)  # says why not
