"""ALR-1, ALR-2: whom an event concerns: by settings, rights and wishes of now, each once."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from access.actions import Preset
from access.actor import SYSTEM
from alerts.events import with_runs
from alerts.models import Event, Mute
from alerts.recipients import event_recipients
from alerts.tests.peers import asks, ends, goes_to, webhook
from runs.bulk_actions import deletion
from runs.lifecycle import services as lifecycle
from runs.lifecycle.alerts import send_alert
from runs.lifecycle.fields import RunFields
from runs.models import Project, Run
from runs.projects.members import add_project_member
from runs.states import RunState
from teams.models import Membership
from teams.roles.builtin import built_in
from tests.factories import (
    ProjectFactory,
    RunFactory,
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    actor,
    make_member,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def team():
    return TeamFactory()


@pytest.fixture
def author(team):
    return make_member(team)


@pytest.fixture
def run(team, author):
    return RunFactory(project=ProjectFactory(team=team), user=author)


def wishes():
    return event_recipients(list(with_runs(Event.objects.order_by("pk"))))


def recipients():
    return sorted(wish.key for wish in wishes())


def user(person):
    return f"user:{person.pk}"


class TestAuthors:
    @pytest.mark.parametrize(
        ("asked", "state", "is_told"),
        [
            ("finished", "finished", True),
            ("finished", "failed", False),
            ("crashed", "crashed", True),
            ("crashed", "failed", True),
            ("crashed", "killed", False),
            ("killed", "killed", True),
        ],
    )
    def test_are_told_of_what_they_asked_for(self, run, author, asked, state, is_told):
        """ALR-1."""
        asks(author, asked)
        ends(run, RunState(state))
        assert recipients() == ([user(author)] if is_told else [])

    def test_are_told_of_nothing_unless_they_asked(self, run):
        """ALR-1: defaults are off."""
        ends(run)
        assert recipients() == []

    @pytest.mark.parametrize(("least", "is_told"), [("INFO", True), ("WARN", True), ("ERROR", False)])
    def test_are_told_of_alerts_from_the_level_they_chose(self, run, author, least, is_told):
        """ALR-1."""
        asks(author, "scripted", least_level=least)
        send_alert(actor=SYSTEM, run=run, title="t", text="", level="WARN", wait=timedelta())
        assert recipients() == ([user(author)] if is_told else [])

    def test_are_not_told_of_runs_of_others(self, run, author):
        """ALR-2."""
        asks(author, "finished")
        ends(RunFactory(project=run.project))
        assert recipients() == []

    def test_are_told_of_a_public_run_after_leaving_the_team(self, run, author):
        """ALR-2: who sees it may be told."""
        asks(author, "finished")
        Project.objects.update(visibility="public")
        Membership.objects.filter(user=author, team=run.project.team).delete()
        ends(run)
        assert recipients() == [user(author)]

    def test_are_not_told_of_a_run_that_they_stopped(self, run, author):
        """ALR-1: others are."""
        other = make_member(run.project.team, Preset.ADMIN)
        asks(author, "killed")
        asks(run.project.team, "killed")
        lifecycle.stop_run(actor=actor(other), run=run)
        ends(run, RunState.KILLED)
        team_admin = run.project.team.memberships.exclude(user__in=[author, other]).get().user
        assert recipients() == sorted([user(author), user(team_admin)])

    @pytest.mark.parametrize(("exit_code", "is_told"), [(255, False), (130, False), (143, True)])
    def test_are_told_of_what_a_scheduler_ended_but_not_of_their_own_ctrl_c(
        self, run, author, exit_code, is_told
    ):
        """ALR-1."""
        asks(author, "killed")
        lifecycle.finish_run(run_id=run.pk, exit_code=exit_code, at=run.started_at)
        assert recipients() == ([user(author)] if is_told else [])


class TestTeams:
    def test_tell_every_active_person(self, run, team, author):
        """ALR-2: no service accounts, nobody who was switched off."""
        viewer, off = make_member(team, Preset.VIEW_ONLY), make_member(team)
        ServiceAccountFactory(team=team)
        off.is_active = False
        off.save()
        asks(team, "finished")
        ends(run)
        people = {author, viewer, *[place.user for place in team.memberships.filter(role__preset="A")]}
        assert recipients() == sorted(map(user, people))

    def test_and_the_author_tell_one_person_once(self, run, team, author):
        """ALR-2."""
        asks(team, "finished")
        asks(author, "finished")
        ends(run)
        own = [wish for wish in wishes() if wish.user_id == author.pk]
        assert [(wish.is_own, wish.team_ids) for wish in own] == [(True, {team.pk})]

    def test_do_not_mail_when_they_want_no_mail(self, run, team):
        """ALR-2."""
        asks(team, "finished", by_email=False)
        ends(run)
        assert recipients() == []

    def test_tell_of_restricted_projects_only_who_was_invited(self, run, team, author):
        """TEAM-24."""
        guest = make_member(team)
        add_project_member(actor=SYSTEM, project=_restricted(run), user=guest, role=built_in(Preset.MEMBER))
        asks(team, "finished")
        ends(run)
        assert recipients() == [user(guest)]

    def test_members_mute_a_project_or_the_team(self, run, team, author):
        """Semantics 6: muting is of one's own mail."""
        first, second = make_member(team), make_member(team)
        Mute.objects.create(user=first, project=run.project)
        Mute.objects.create(user=second, team=team)
        Mute.objects.create(user=author, team=team)
        asks(team, "finished")
        asks(author, "finished")
        ends(run)
        own = [wish for wish in wishes() if wish.user_id in {first.pk, second.pk, author.pk}]
        assert [(wish.user_id, wish.team_ids) for wish in own] == [(author.pk, frozenset())]


def _restricted(run):
    Project.objects.filter(pk=run.project_id).update(visibility="restricted")
    return Project.objects.get(pk=run.project_id)


class TestDestinations:
    def test_are_told_once_whoever_routes_to_them(self, run, team):
        """ALR-2, wish 79."""
        settings, hook = asks(team, "finished", by_email=False), webhook(team, "http://127.0.0.1/")
        goes_to(settings, hook)
        goes_to(settings, hook, project=run.project)
        ends(run)
        assert recipients() == [f"destination:{hook.pk}"]

    @pytest.mark.parametrize(
        ("tag", "is_other_project", "is_told"),
        [("", False, True), ("prod", False, True), ("dev", False, False), ("", True, False)],
    )
    def test_are_told_of_the_projects_and_tags_of_their_routes(
        self, run, team, tag, is_other_project, is_told
    ):
        """Wish 79."""
        Run.objects.filter(pk=run.pk).update(tags=["prod"])
        settings, hook = asks(team, "finished", by_email=False), webhook(team, "http://127.0.0.1/")
        other = ProjectFactory(team=team)
        goes_to(settings, hook, tag=tag, project=other if is_other_project else None)
        ends(run)
        assert bool(recipients()) is is_told

    @pytest.mark.parametrize("names_it", [True, False])
    def test_are_told_of_restricted_projects_only_by_a_route_that_names_it(self, run, team, names_it):
        """TEAM-24."""
        settings, hook = asks(team, "finished", by_email=False), webhook(team, "http://127.0.0.1/")
        project = _restricted(run)
        goes_to(settings, hook, project=project if names_it else None)
        ends(run)
        assert bool(recipients()) is names_it

    def test_of_a_person_are_told_of_what_that_person_sees(self, run, team, author):
        """ALR-2."""
        hook = webhook(Membership.objects.get(user=author, team__kind="personal").team, "http://127.0.0.1/")
        goes_to(asks(author, "finished", by_email=False), hook)
        ends(run)
        assert recipients() == [f"destination:{hook.pk}"]
        Membership.objects.filter(user=author, team=team).delete()
        assert recipients() == []

    def test_that_are_off_are_told_nothing(self, run, team):
        """ALR-4."""
        settings, hook = (
            asks(team, "finished", by_email=False),
            webhook(team, "http://127.0.0.1/", is_on=False),
        )
        goes_to(settings, hook)
        ends(run)
        assert recipients() == []


def test_of_deleted_runs_nobody_is_told(run, author):
    """ALR-5."""
    asks(author, "finished")
    ends(run)
    deletion.delete_run(actor=SYSTEM, run=run)
    assert recipients() == []


def test_a_hundred_events_of_many_projects_ask_no_more_than_one():
    """ALR-5: a fixed number of queries for each batch."""

    def cost(count):
        Event.objects.all().delete()
        for _ in range(count):
            author = UserFactory()
            run = RunFactory(project=ProjectFactory(team=TeamFactory(admin=author)), user=author)
            asks(author, "finished", "killed")
            goes_to(
                asks(run.project.team, "finished", "killed"), webhook(run.project.team, "http://127.0.0.1/")
            )
            lifecycle.stop_run(actor=SYSTEM, run=run)
            ends(run, RunState.KILLED)
        with CaptureQueriesContext(connection) as asked:
            assert len(wishes()) >= 2 * count
        return len(asked)

    assert cost(1) == cost(12) <= 12


def test_nobody_is_told_that_a_run_which_watches_a_host_ended(team, author):
    """ALR-1, AGT-2: such a run ends each midnight and with its agent; once it logs anything it is as others."""
    asks(author, "finished", "crashed")
    asks(team, "finished", "crashed")
    run = RunFactory(project=ProjectFactory(team=team), user=author, job_type="host")
    ends(run, RunState.FINISHED)
    ends(run, RunState.CRASHED)
    assert recipients() == []
    lifecycle.update_run(actor=SYSTEM, run=run, fields=RunFields(summary_text='{"loss": 1}'))
    assert {(wish.user_id, wish.is_own) for wish in wishes()} >= {(author.pk, True)}
