"""Automations are made, changed, copied and deleted by who may, and within limits (ALR-6)."""

import pytest

from access.actions import Preset
from access.models import AuditEntry
from alerts.models import Destination, DestinationKind, Secret
from automations.models import Automation, MetricCursor
from automations.services import (
    AutomationFields,
    change_automation,
    copy_automation,
    create_automation,
    delete_automation,
)
from common.errors import Conflict, Forbidden, Invalid, NotFound
from metrics.ingest.transaction import write_group
from metrics.tests.ingest.test_ingest import history, post
from tests.automations import make_automation, states, threshold
from tests.factories import ProjectFactory, RunFactory, TeamFactory, UserFactory, actor, make_member
from tests.plans import lacking

pytestmark = pytest.mark.django_db


def destination(team, kind=DestinationKind.WEBHOOK):
    return Destination.objects.create(
        team=team, kind=kind, name=f"d{Destination.objects.count()}", sealed_url="x"
    )


def given(**more):
    return AutomationFields(
        **{"name": "a", "event": "RUN_METRIC", "filter": threshold(), "action": "NO_OP", **more}
    )


@pytest.fixture
def without_plan():
    with lacking("automations"):
        yield


@pytest.mark.parametrize(
    ("role", "refusal"), [(Preset.VIEW_ONLY, Forbidden), (Preset.MEMBER, None), (Preset.ADMIN, None)]
)
def test_members_and_admins_make_automations(role, refusal):
    project = ProjectFactory()
    person = actor(make_member(project.team, role))
    if refusal:
        with pytest.raises(refusal):
            create_automation(actor=person, team=project.team, project=project, fields=given())
        return
    automation = create_automation(actor=person, team=project.team, project=project, fields=given())
    assert (automation.created_by_id, automation.filter) == (person.user_id, threshold())
    entry = AuditEntry.objects.filter(action="automation.create").get()
    assert entry.after["event"] == "RUN_METRIC"


def test_strangers_do_not_learn_of_a_project():
    project = ProjectFactory()
    with pytest.raises(NotFound):
        create_automation(actor=actor(UserFactory()), team=project.team, project=project, fields=given())


def test_members_change_their_own_and_admins_all():
    project = ProjectFactory()
    member, other, admin = (
        actor(make_member(project.team, role)) for role in (Preset.MEMBER, Preset.MEMBER, Preset.ADMIN)
    )
    automation = create_automation(actor=member, team=project.team, project=project, fields=given())
    change_automation(actor=member, automation=automation, fields=AutomationFields(name="b"))
    change_automation(actor=admin, automation=automation, fields=AutomationFields(is_on=False))
    with pytest.raises(Forbidden):
        change_automation(actor=other, automation=automation, fields=AutomationFields(name="c"))
    with pytest.raises(Forbidden):
        delete_automation(actor=other, automation=automation)
    automation.refresh_from_db()
    assert (automation.name, automation.is_on) == ("b", False)
    delete_automation(actor=member, automation=automation)
    assert not Automation.objects.exists()


def test_a_plan_without_automations_is_named_and_only_lets_switch_off(without_plan):
    project = ProjectFactory()
    automation = Automation.objects.create(
        team=project.team, project=project, name="old", event="RUN_METRIC", filter=threshold(), action="NO_OP"
    )
    admin = actor(make_member(project.team, Preset.ADMIN))
    with pytest.raises(Forbidden) as refused:
        create_automation(actor=admin, team=project.team, project=project, fields=given())
    assert refused.value.action == "automations"
    assert project.team.organization.name in refused.value.message
    with pytest.raises(Forbidden):
        change_automation(actor=admin, automation=automation, fields=AutomationFields(name="new"))
    change_automation(actor=admin, automation=automation, fields=AutomationFields(is_on=False))
    automation.refresh_from_db()
    assert not automation.is_on


def test_personal_teams_have_automations_whatever_the_plan(without_plan):
    person = UserFactory()
    team = person.memberships.get().team
    project = ProjectFactory(team=team)
    assert create_automation(actor=actor(person), team=team, project=project, fields=given()).pk


@pytest.mark.parametrize(
    ("action", "kind", "said"),
    [
        ("NOTIFICATION", DestinationKind.SLACK, None),
        ("NOTIFICATION", DestinationKind.SLACK_WEBHOOK, None),
        ("NOTIFICATION", DestinationKind.WEBHOOK, "Slack"),
        ("GENERIC_WEBHOOK", DestinationKind.WEBHOOK, None),
        ("GENERIC_WEBHOOK", DestinationKind.SLACK, "webhook"),
        ("QUEUE_JOB", DestinationKind.SLACK, "Unknown action"),
    ],
)
def test_an_action_wants_its_kind_of_destination(action, kind, said):
    project = ProjectFactory()
    wanted = {"action": action, "destination": destination(project.team, kind)}
    if said is None:
        assert make_automation(project, **wanted).destination == wanted["destination"]
        return
    with pytest.raises(Invalid) as refused:
        make_automation(project, **wanted)
    assert said in refused.value.message


def test_a_destination_is_of_the_same_team():
    with pytest.raises(Invalid) as refused:
        make_automation(ProjectFactory(), action="GENERIC_WEBHOOK", destination=destination(TeamFactory()))
    assert "does not belong to" in refused.value.message


def test_an_automation_that_sends_has_a_destination():
    with pytest.raises(Invalid):
        make_automation(ProjectFactory(), action="GENERIC_WEBHOOK")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"name": " "}, "Enter a name"),
        ({"name": "x" * 200}, "at most 128"),
        ({"title": "x" * 300}, "at most 256"),
        ({"title": "${nonsense}"}, "Unknown variable"),
        ({"message": "${TOKEN}"}, "Unknown variable"),
        ({"severity": "LOUD"}, "Unknown severity"),
        ({"once_in_s": 5}, "must be 60"),
        ({"once_in_s": 10**9}, "must be 60"),
        ({"event": "RUN_STATE", "filter": states()}, "list of states"),
        ({"payload": '{"a": ${run_id}'}, "isn’t valid JSON"),
        ({"payload": '{"a": "${OTHER}"}'}, "Unknown variable or secret"),
    ],
)
def test_what_is_wrong_is_named(more, said):
    project = ProjectFactory()
    with pytest.raises(Invalid) as refused:
        make_automation(project, **more)
    assert said in refused.value.message


def test_payloads_may_name_the_secrets_of_the_team():
    project = ProjectFactory()
    Secret.objects.create(team=project.team, name="TOKEN", sealed="x")
    payload = '{"token": "${TOKEN}", "value": ${metric_value}}'
    wanted = {"action": "GENERIC_WEBHOOK", "destination": destination(project.team), "payload": payload}
    assert make_automation(project, **wanted).payload == payload


def test_on_states_an_automation_may_act_always():
    assert make_automation(ProjectFactory(), "RUN_STATE", states("FAILED"), once_in_s=0).once_in_s == 0


def test_names_are_once_in_a_team_and_automations_have_a_limit(settings):
    settings.AUTOMATIONS_MOST = 2
    project = ProjectFactory()
    make_automation(project, name="a")
    with pytest.raises(Conflict):
        make_automation(ProjectFactory(team=project.team), name="a")
    make_automation(project, name="b")
    with pytest.raises(Conflict) as refused:
        make_automation(project, name="c")
    assert "RUNYARD_AUTOMATIONS_MOST" in refused.value.message
    make_automation(project, name="c", is_of_team=True)


def test_a_copy_is_like_it_in_another_project_of_the_team():
    project = ProjectFactory()
    other = ProjectFactory(team=project.team)
    automation = make_automation(project, once_in_s=3600, description="d", is_on=False)
    person = actor(make_member(project.team))
    copy = copy_automation(actor=person, automation=automation, name="copy", project=other)
    told = ("event", "filter", "action", "once_in_s", "description", "is_on")
    assert [getattr(copy, name) for name in told] == [getattr(automation, name) for name in told]
    assert (copy.project, copy.created_by_id) == (other, person.user_id)
    with pytest.raises(NotFound):
        copy_automation(actor=person, automation=automation, name="copy2", project=ProjectFactory())


def test_an_automation_begins_where_runs_under_way_are():
    run = RunFactory()
    write_group([post(run, history=(0, history(0, 3)))])
    make_automation(run.project)
    assert MetricCursor.objects.get(run=run, kind=0).row == 3
    write_group([post(run, history=(3, history(3, 3)))])
    make_automation(run.project)
    assert MetricCursor.objects.get(run=run, kind=0).row == 3  # another one watches already
