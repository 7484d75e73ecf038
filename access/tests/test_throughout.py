"""What an actor may do on every row of a place is asked once, of the place."""

import pytest

from access.actor import ANONYMOUS, Actor, ActorKind
from access.engine import can, can_throughout
from accounts.models import User
from runs.access import RunAction
from runs.models import Run
from teams.models import Visibility
from tests.factories import ProjectFactory, RunFactory, TeamFactory, UserFactory, make_member

pytestmark = pytest.mark.django_db
ACTIONS = [RunAction.VIEW, RunAction.LOG, RunAction.UPDATE, RunAction.STOP, RunAction.DELETE]


def actor(user: User, **more: object) -> Actor:
    return Actor(kind=ActorKind.PERSON, user_id=user.pk, name=user.username, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("visibility", list(Visibility))
@pytest.mark.parametrize("action", ACTIONS)
def test_it_is_never_said_of_what_one_row_refuses(visibility: Visibility, action: RunAction):
    team = TeamFactory.create()
    member, stranger = make_member(team), UserFactory.create()
    project = ProjectFactory.create(team=team, visibility=visibility)
    runs = [RunFactory.create(project=project, user=user) for user in (member, stranger, make_member(team))]
    limited = frozenset({str(RunAction.VIEW)})
    for who in (actor(member), actor(stranger), ANONYMOUS, actor(member, scopes=limited)):
        if can_throughout(who, action, Run, project):
            assert all(can(who, action, run) for run in runs)
        elif action in {RunAction.VIEW, RunAction.UPDATE}:  # nobody's row is an exception
            assert not any(can(who, action, run) for run in runs)


def test_an_open_project_lets_strangers_log_to_their_own_runs_only():
    project = ProjectFactory.create(visibility=Visibility.OPEN)
    stranger = actor(UserFactory.create())
    assert can(stranger, RunAction.LOG, project)
    assert not can_throughout(stranger, RunAction.LOG, Run, project)
