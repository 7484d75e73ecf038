"""A command that the agent records, in which the SDK begins a run, is one run (AGT-1)."""

import pytest
from django.utils import timezone

from access.actor import SYSTEM
from common.errors import NotFound
from ingest.authorization.checks import loggable_run, loggable_run_ids
from runs.lifecycle import services as lifecycle
from runs.lifecycle.fields import RunFields
from runs.models import Run, RunAlias
from runs.selectors import get_run
from teams.models import Visibility
from tests.factories import ProjectFactory, TeamFactory, actor, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def team():
    return TeamFactory()


@pytest.fixture
def author(team):
    return actor(make_member(team))


def begin(author, project, uid, *, wrapper="", **fields):
    return lifecycle.log_run(
        actor=author, project=project, uid=uid, fields=RunFields(**fields), wrapper=wrapper
    )


def path(run, uid=None):
    return run.project.team.name, run.project.name, uid or run.uid


@pytest.mark.parametrize("is_moved", [False, True])
def test_the_run_of_the_command_becomes_that_of_the_sdk(team, author, is_moved):
    where = ProjectFactory(team=team)
    other = ProjectFactory(team=team) if is_moved else where
    wrapper, _ = begin(author, where, "wrapper1", program="python")
    run, inserted = begin(author, other, "sdkrun01", wrapper="wrapper1", program="train.py")
    assert (run.pk, inserted, run.uid, run.project, run.program) == (
        wrapper.pk,
        True,
        "sdkrun01",
        other,
        "train.py",
    )
    assert Run.objects.count() == 1
    former = path(wrapper, "wrapper1")
    assert loggable_run(author, former) == run  # where the agent goes on posting
    assert loggable_run_ids(author, [former, path(run)]) == {former: run.pk, path(run): run.pk}
    assert get_run(author, *former) == run
    assert begin(author, where, "wrapper1")[0] == run  # as its code, or another node, does
    assert not begin(author, where, "wrapper1")[1]


def test_only_the_first_run_of_a_command_does(team, author):
    project = ProjectFactory(team=team)
    begin(author, project, "wrapper1")
    first, second = (begin(author, project, uid, wrapper="wrapper1")[0] for uid in ("sdkrun01", "sdkrun02"))
    assert first.pk != second.pk
    assert RunAlias.objects.get().run == first


@pytest.mark.parametrize("why", ["of another", "ended", "logged to", "restricted", "unknown"])
def test_other_runs_are_left_alone(team, author, why):
    project = ProjectFactory(
        team=team, visibility=Visibility.RESTRICTED if why == "restricted" else Visibility.TEAM
    )
    other = actor(make_member(team))
    wrapper, _ = begin(
        SYSTEM if why == "restricted" else other if why == "of another" else author, project, "wrapper1"
    )
    if why == "restricted":
        Run.objects.filter(pk=wrapper.pk).update(logged_by=author.user_id)
    if why == "ended":
        lifecycle.finish_run(run_id=wrapper.pk, exit_code=0, at=timezone.now())
    if why == "logged to":
        lifecycle.set_summary(wrapper, '{"loss": 1}')
    run, inserted = begin(
        author, ProjectFactory(team=team), "sdkrun01", wrapper="other" if why == "unknown" else "wrapper1"
    )
    assert (run.pk != wrapper.pk, inserted) == (True, True)
    assert not RunAlias.objects.exists()


def test_strangers_learn_nothing_by_the_former_path(team, author):
    """TEAM-21: as for a run that is not there."""
    project = ProjectFactory(team=team)
    begin(author, project, "wrapper1")
    run, _ = begin(author, project, "sdkrun01", wrapper="wrapper1")
    stranger = actor(make_member(TeamFactory()))
    with pytest.raises(NotFound):
        get_run(stranger, *path(run, "wrapper1"))
    with pytest.raises(NotFound):
        loggable_run(stranger, path(run, "wrapper1"))
    assert loggable_run_ids(stranger, [path(run, "wrapper1")]) == {}
