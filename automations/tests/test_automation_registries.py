"""ALR-6: automations of registries: what they hear of, who may make them, and where they may send."""

from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from access.actions import Preset
from access.actor import SYSTEM
from accounts.models import OutboxMail, User
from alerts.automation_provider import automation_provider
from alerts.models import Destination, Event
from alerts.preferences.unsubscribe import is_off, unsubscribe
from alerts.preferences.unsubscribe_links import Subscription
from alerts.tests.peers import told
from artifacts.models import Collection, Registry
from artifacts.registries import members, services
from artifacts.tests.factories import make_version
from artifacts.versions.aliases import add_aliases
from artifacts.versions.links import link_version, unlink_version
from automations.firing.matching import matching
from automations.firing.notices import variables_of
from automations.models import ActionKind, Automation
from automations.services import AutomationFields, change_automation, copy_automation, create_automation
from common.errors import Forbidden, Invalid, NotFound
from teams.models import Membership, Team
from teams.roles.builtin import built_in
from tests.automations import make_automation, states
from tests.factories import (
    DestinationFactory,
    ProjectFactory,
    SecretFactory,
    TeamFactory,
    actor,
    basic,
    make_key,
    make_member,
)
from tests.plans import lacking
from wandb_api.graphql.global_ids import to_id
from wandb_api.tests.asking import Asker

pytestmark = pytest.mark.django_db
API = "/api/v1/automations/"


@pytest.fixture
def team() -> Team:
    return TeamFactory(name="vision")


@pytest.fixture
def registry(team: Team) -> Registry:
    assert team.organization is not None
    return services.create_registry(
        actor=SYSTEM, organization=team.organization, name="shared", everyone_role=""
    )


def with_role(registry: Registry, team: Team, role: str, preset: Preset = Preset.MEMBER) -> User:
    person = make_member(team, preset)
    members.add_members(actor=SYSTEM, registry=registry, users=[person], role=role)
    return person


def waiting(registry: Registry, event: str = "LINK_MODEL", **more: Any) -> Automation:
    return make_automation(registry.project, event, {}, once_in_s=0, **more)


def linked(registry: Registry, name: str = "best", alias: str = "production") -> Collection:
    version = make_version(ProjectFactory(team=TeamFactory()))
    return link_version(
        actor=SYSTEM, version=version, project=registry.project, name=name, aliases=[alias]
    ).collection


def matched() -> list[tuple[str, Automation]]:
    with transaction.atomic():
        pairs = matching(list(Event.objects.select_related("project__team", "team", "run").order_by("pk")))
    return [(event.data["event"], automation) for event, automation in pairs]


# What they hear of


@pytest.mark.parametrize("event", ["LINK_MODEL", "UNLINK_ARTIFACT", "ADD_ARTIFACT_ALIAS"])
def test_what_happens_in_a_registry_is_heard_of(registry: Registry, event: str):
    automation = waiting(registry, event)
    collection = linked(registry)
    place = collection.memberships.get()
    add_aliases(actor=SYSTEM, membership=place, names=["staging"])
    unlink_version(actor=SYSTEM, version=place.version, collection=collection)
    assert (event, automation) in matched()
    assert {name for name, _ in matched()} == {event}


def test_one_of_a_collection_hears_of_no_other(registry: Registry):
    automation = waiting(registry, "ADD_ARTIFACT_ALIAS", collection=linked(registry))
    linked(registry, "other")
    assert matched() == []
    add_aliases(actor=SYSTEM, membership=linked(registry).memberships.latest("pk"), names=["gold"])
    assert ("ADD_ARTIFACT_ALIAS", automation) in matched()


def test_its_variables_name_the_registry_and_nothing_of_the_versions_project(registry: Registry, team: Team):
    automation = waiting(registry)
    linked(registry)
    event = Event.objects.select_related("project__team", "team", "run").get()
    found = variables_of(automation, event)
    organization = registry.project.team.name
    assert found["entity_name"] == organization
    assert found["project_name"] == "wandb-registry-shared"
    assert found["artifact_collection_name"] == "best"
    assert found["artifact_version_string"] == f"{organization}/wandb-registry-shared/best:v0"


def test_it_waits_for_no_runs(registry: Registry):
    with pytest.raises(Invalid, match="registry"):
        make_automation(registry.project, "RUN_STATE", states("FAILED"))


def test_the_plan_of_the_organization_tells_whether_there_are_any(registry: Registry):
    automation = waiting(registry)
    linked(registry)
    with lacking("automations"):
        assert matched() == []
        with pytest.raises(Forbidden, match="plan"):
            waiting(registry)
    assert matched() == [("LINK_MODEL", automation)]


# Who may


@pytest.mark.parametrize(
    ("role", "sees", "makes", "changes_any"),
    [
        ("restricted_viewer", False, False, False), ("viewer", True, False, False), ("member", True, True, False),
        ("admin", True, True, True),
    ],
)  # fmt: skip
def test_who_may(registry: Registry, team: Team, *, role: str, sees: bool, makes: bool, changes_any: bool):
    automation, person = waiting(registry, name="theirs"), with_role(registry, team, role)
    client = Client()
    client.force_login(person)
    page = f"/{registry.project.team.name}/wandb-registry-shared/automations"
    assert client.get(page).status_code == (200 if sees else 403)
    assert client.get(f"{page}/new").status_code == (200 if makes else 403)
    assert client.get(f"{page}/{automation.pk}").status_code == (200 if sees else 404)
    lead = client.get(f"/registry/{registry.project.team.name}/shared/automations")
    assert (lead.status_code, lead.headers.get("Location")) == ((302, page) if sees else (403, None))
    fields = AutomationFields(is_on=False)
    if changes_any:
        change_automation(actor=actor(person), automation=automation, fields=fields)
    else:
        with pytest.raises((Forbidden, NotFound)):
            change_automation(actor=actor(person), automation=automation, fields=fields)


def test_a_member_makes_one_on_the_page_and_changes_it(registry: Registry, team: Team):
    person, client = with_role(registry, team, "member"), Client()
    client.force_login(person)
    page = f"/{registry.project.team.name}/wandb-registry-shared/automations"
    form = client.get(f"{page}/new").content.decode()
    assert 'value="LINK_MODEL" checked' in form
    given = {
        "event": "LINK_MODEL", "scope": "wandb-registry-shared", "action": "NO_OP", "name": "note", "once_in_s": 0,
        "is_on": "on",
    }  # fmt: skip
    made = client.post(f"{page}/new", given)
    automation = Automation.objects.get(name="note")
    assert made.headers["Location"] == f"{page}/{automation.pk}"
    assert (automation.team, automation.project) == (registry.project.team, registry.project)
    given.pop("scope")
    changed = client.post(f"{page}/{automation.pk}/edit", {**given, "name": "renamed"})
    assert changed.status_code == 302, changed.context["form"].errors
    assert Automation.objects.get(pk=automation.pk).name == "renamed"
    assert client.post(f"{page}/new", {**given, "scope": "model-registry"}).status_code == 422


def test_by_rest(registry: Registry, team: Team):
    headers = {"Authorization": basic(make_key(with_role(registry, team, "member")))}
    linked(registry)
    body = {
        "entity": registry.project.team.name, "project": "wandb-registry-shared", "collection": "best",
        "name": "note", "event": "ADD_ARTIFACT_ALIAS", "filter": {"alias": "production"}, "action": "NO_OP",
    }  # fmt: skip
    made = Client().post(API, body | {"filter": {}}, content_type="application/json", headers=headers)
    assert made.status_code == 201, made.content
    assert made.json()["collection"] == "best"
    asked = f"{API}?entity={registry.project.team.name}&project=wandb-registry-shared"
    (row,) = Client().get(asked, headers=headers).json()["results"]
    assert row["id"] == made.json()["id"]


@pytest.mark.parametrize("kind", ["PROJECT", "ARTIFACT_COLLECTION"])
def test_by_graphql(registry: Registry, team: Team, kind: str):
    collection = linked(registry)
    scope = to_id("Project", registry.project_id) if kind == "PROJECT" else to_id(
        "ArtifactCollection", collection.pk
    )  # fmt: skip
    document = (
        "mutation M($input: CreateFilterTriggerInput!) { made: createFilterTrigger(input: $input) { trigger {"
        " scope { __typename ... on Project { name } ... on ArtifactPortfolio { name } } } } }"
    )
    given = {
        "name": "note", "enabled": True, "triggeringEventType": "LINK_MODEL", "scopeType": kind, "scopeID": scope,
        "eventFilter": "{}", "triggeredActionType": "NO_OP",
        "triggeredActionConfig": {"noOpActionInput": {"noOp": True}},
    }  # fmt: skip
    answer = Asker(with_role(registry, team, "member")).ask(document, input=given)
    wanted = ("Project", "wandb-registry-shared") if kind == "PROJECT" else ("ArtifactPortfolio", "best")
    found = answer.data["made"]["trigger"]["scope"]
    assert (found["__typename"], found["name"]) == wanted


# Where they send


@pytest.fixture
def hook(team: Team) -> Destination:
    return DestinationFactory(team=team, name="hook")


def calling(person: User, registry: Registry, hook: Destination, payload: str = "") -> Automation:
    fields = AutomationFields(
        name=f"call {Automation.objects.count()}", event="LINK_MODEL", filter={}, action="GENERIC_WEBHOOK",
        destination=hook, payload=payload,
        once_in_s=0,
    )  # fmt: skip
    return create_automation(
        actor=actor(person), team=registry.project.team, project=registry.project, fields=fields
    )


def test_it_sends_to_destinations_of_teams_in_which_its_creator_makes_automations(
    registry: Registry, team: Team, hook: Destination
):
    person = with_role(registry, team, "member")
    assert calling(person, registry, hook).destination == hook
    sibling = TeamFactory(organization=team.organization)
    for other in (DestinationFactory(team=sibling), DestinationFactory(team=TeamFactory())):
        with pytest.raises(Invalid, match="does not belong"):
            calling(person, registry, other)
    viewer = with_role(registry, team, "member", preset=Preset.VIEW_ONLY)
    with pytest.raises(Forbidden, match="Create automations"):
        calling(viewer, registry, hook)
    Membership.objects.create(user=viewer, team=sibling, role=built_in(Preset.MEMBER))
    with pytest.raises(Invalid, match="does not belong"):
        calling(viewer, registry, hook)


def test_others_change_it_and_it_goes_on_sending_there_but_they_copy_it_not(
    registry: Registry, team: Team, hook: Destination
):
    automation = calling(with_role(registry, team, "member"), registry, hook)
    sibling = TeamFactory(organization=team.organization)
    admin = actor(with_role(registry, sibling, "admin"))
    fields = AutomationFields(description="of the registry", destination=hook)
    assert change_automation(actor=admin, automation=automation, fields=fields).destination == hook
    with pytest.raises(Invalid, match="does not belong"):
        copy_automation(actor=admin, automation=automation, name="copy")


def test_its_payload_may_name_secrets_of_the_webhooks_team_by_who_manages_these(
    registry: Registry, team: Team, hook: Destination
):
    SecretFactory(team=team, name="TOKEN")
    payload = '{"token": "${TOKEN}"}'
    with pytest.raises(Forbidden, match="secrets"):
        calling(with_role(registry, team, "member"), registry, hook, payload)
    automation = calling(with_role(registry, team, "member", preset=Preset.ADMIN), registry, hook, payload)
    assert automation.payload == payload
    automation_provider().rename_secret(team, "TOKEN", "KEY")
    automation.refresh_from_db()
    assert automation.payload == '{"token": "${KEY}"}'


def test_when_the_destinations_team_is_gone_it_only_keeps_a_record(
    registry: Registry, team: Team, hook: Destination
):
    automation = calling(with_role(registry, team, "member"), registry, hook)
    automation_provider().forget_team(team)
    automation.refresh_from_db()
    assert (automation.action, automation.destination) == (ActionKind.NO_OP, None)


def test_it_mails_whoever_sees_the_registry_as_long_as_they_do(registry: Registry, team: Team):
    person, stranger = with_role(registry, team, "viewer"), make_member(team)
    waiting(registry, action="EMAIL", mail_to=[person], name="tell")
    with pytest.raises(Invalid, match=stranger.username):
        waiting(registry, action="EMAIL", mail_to=[stranger])
    linked(registry)
    told()
    assert [mail.to for mail in OutboxMail.objects.all()] == [person.email]
    OutboxMail.objects.all().delete()
    members.remove_member(actor=SYSTEM, member=members.find_member(registry, user_id=person.pk))
    linked(registry, "other")
    told()
    assert not OutboxMail.objects.exists()


def test_one_click_unsubscribes_from_the_mails_of_an_organizations_registries(registry: Registry, team: Team):
    person = with_role(registry, team, "viewer")
    waiting(registry, action="EMAIL", mail_to=[person], name="tell")
    about = Subscription(person.pk, is_own=False, team_ids=(registry.project.team_id,))
    assert unsubscribe(subscription=about).team_ids == about.team_ids
    assert is_off(about)
    linked(registry)
    told()
    assert not OutboxMail.objects.exists()
