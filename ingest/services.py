"""Beginning runs: what the SDK's way and REST's have in common, and REST's own."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.db import transaction

from access.actor import Actor
from access.engine import require
from common.errors import Conflict, NotFound
from ingest.authorization.checks import loggable_run
from metrics.store import reads
from runs.access import ProjectAction
from runs.lifecycle import services as lifecycle
from runs.lifecycle.fields import RunFields
from runs.models import Run
from runs.projects.services import ensure_project
from runs.selectors import knows_of
from teams.models import Team
from teams.service_accounts.services import attributed_user
from teams.teams.selectors import default_team_of, entities_of


class Resume(StrEnum):
    """What is wanted where the run may be there already."""

    ALLOW, MUST, NEVER = "allow", "must", "never"


@dataclass(frozen=True, slots=True)
class LoggableRun:
    """A run that can be logged to."""

    run: Run
    inserted: bool
    """Whether it was made now."""
    next_step: int
    """After the last of its history."""


class NowhereToLog(NotFound):
    """The entity or project does not exist or is hidden; names the entities the actor can log to (wish 55).

    Clients add how to choose another one: by ``WANDB_ENTITY``, or a flag.
    """

    def __init__(self, actor: Actor, what: str, *, entity: str = "", project: str = "") -> None:
        mine = entities_of(actor)
        super().__init__(
            f"The {what} doesn’t exist, or you don’t have access to it. You can log to: {', '.join(mine) or 'none'}."
        )
        self.detail = {"entity": entity, "project": project, "entities": mine}


def team_for(actor: Actor, entity: str | None) -> Team:
    """Return the entity that a client names, or its default.

    Raises:
        NowhereToLog: it does not exist.
    """
    team = Team.objects.live().filter(name=entity).first() if entity else default_team_of(actor)
    if team is not None:
        return team
    what = f"entity “{entity}”" if entity else "default entity for this key"
    raise NowhereToLog(actor, what, entity=entity or "")


@contextmanager
def hidden_as_unknown(actor: Actor, team: Team) -> Iterator[None]:
    """Let what is refused inside read as if there were no such entity, to an actor who may not know of it.

    Raises:
        NotFound: as for an entity that is missing.
    """
    try:
        yield
    except NotFound:
        if knows_of(actor, team):
            raise
        raise NowhereToLog(actor, f"entity “{team.name}”", entity=team.name) from None


@contextmanager
def hidden_as_missing(actor: Actor, team: Team, project_name: str) -> Iterator[None]:
    """As `hidden_as_unknown`, and let a hidden project be refused as a missing one: where that is not created.

    Raises:
        NowhereToLog: the project is hidden.
        Forbidden: the actor may create none in the team.
    """
    with hidden_as_unknown(actor, team):
        try:
            yield
        except NotFound:
            with suppress(NotFound):
                require(actor, ProjectAction.CREATE, team)
            what = f"project {team.name}/{project_name}"
            raise NowhereToLog(actor, what, entity=team.name, project=project_name) from None


@transaction.atomic
def log_run(
    *, actor: Actor, team: Team, project_name: str, uid: str, fields: RunFields, state: str = "",
    wrapper: str = "", writer: str = "", claimed_at: datetime | None = None, is_begin: bool = False,
) -> tuple[Run, bool]:  # fmt: skip
    """Begin a run, or go on with it, in a project that is made on first use; says whether the run was made now.

    ``wrapper``, ``writer``, ``claimed_at`` and ``is_begin`` are as for `lifecycle.log_run`.

    Raises:
        NowhereToLog: the project is hidden.
        Forbidden: the actor may not log there, or not create the project.
        Gone: the run was deleted.
    """
    with hidden_as_missing(actor, team, project_name):
        project = ensure_project(actor=actor, team=team, name=project_name)
        return lifecycle.log_run(
            actor=actor, project=project, uid=uid, fields=fields, user=attributed_user(actor), state=state,
            wrapper=wrapper, writer=writer, claimed_at=claimed_at, is_begin=is_begin,
        )  # fmt: skip


@transaction.atomic
def begin_run(
    *, actor: Actor, entity: str, project_name: str, uid: str, resume: Resume, fields: RunFields,
    claimed_at: datetime | None = None,
) -> LoggableRun:  # fmt: skip
    """Begin a run or go on with it; what is refused leaves no project and no run behind (AGT-8).

    Raises:
        NotFound: it must be there, and is not.
        Conflict: it is there, and must not be.
        Gone: it was deleted.
    """
    if resume == Resume.MUST:
        attach_run(actor=actor, entity=entity, project_name=project_name, uid=uid)
    team = team_for(actor, entity)
    run, inserted = log_run(
        actor=actor,
        team=team,
        project_name=project_name,
        uid=uid,
        fields=fields,
        claimed_at=claimed_at,
        is_begin=True,
    )
    if resume == Resume.NEVER and not inserted:
        raise Conflict(f"A run with the ID “{uid}” already exists in {team.name}/{project_name}.")
    return LoggableRun(run, inserted, reads.last_steps([run.pk])[run.pk] + 1)


def attach_run(*, actor: Actor, entity: str, project_name: str, uid: str) -> LoggableRun:
    """Return a run that something else logs, and leave it as it is.

    Raises:
        NotFound, Forbidden, Gone: it cannot be logged to.
    """
    run = loggable_run(actor, (entity or team_for(actor, None).name, project_name, uid))
    return LoggableRun(run, inserted=False, next_step=reads.last_steps([run.pk])[run.pk] + 1)
