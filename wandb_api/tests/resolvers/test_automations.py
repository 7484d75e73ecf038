"""Automations and integrations by GraphQL (ALR-6, ALR-7): what documents the SDK's own tests cannot send."""

import base64
import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from access.actions import Preset
from access.actor import SYSTEM
from access.models import AuditEntry
from alerts.destinations.services import create_slack_webhook, create_webhook
from alerts.models import Destination
from alerts.secrets.services import store_secret
from artifacts.models import Registry
from artifacts.registries.members import add_members, change_member
from artifacts.registries.services import create_registry
from artifacts.tests.factories import make_version
from automations.models import Automation
from automations.services import AutomationFields, create_automation
from runs.models import Project
from runs.projects.deletion import delete_project
from teams.models import Team, Visibility
from tests.factories import ProjectFactory, TeamFactory, UserFactory, actor, make_member
from wandb_api.graphql.global_ids import to_id
from wandb_api.tests.asking import Answer, Asker

STATE = {"run_filter": '{"$and":[]}', "run_state_filter": {"states": ["FAILED"]}}
METRIC = {
    "run_filter": '{"$and":[]}',
    "run_metric_filter": {
        "threshold_filter": {
            "name": "loss", "agg_op": None, "window_size": 1, "cmp_op": "$gt", "threshold": 1.5,
        }
    },
    "metric_filter": None,
}  # fmt: skip
TRIGGER = """
fragment EntityScopeFields on Entity { __typename id name entityType }
fragment T on Trigger {
  id name description enabled createdAt updatedAt
  scope {
    __typename ... on Project { id name } ... on ArtifactSequence { id name } ...EntityScopeFields
  }
  triggeringCondition { ... on FilterEventTriggeringCondition { eventType filter } }
  triggeredAction {
    __typename
    ... on NotificationTriggeredAction { title message severity integration { ...I } }
    ... on GenericWebhookTriggeredAction { requestPayload integration { ...I } }
    ... on NoOpTriggeredAction { noOp }
  }
}
fragment I on Integration {
  __typename
  ... on SlackIntegration { id teamName channelName }
  ... on GenericWebhookIntegration { id name urlEndpoint }
}
"""
CREATE = (
    "mutation M($input: CreateFilterTriggerInput!) { made: createFilterTrigger(input: $input)"
    " { trigger { ...T } } }" + TRIGGER
)
UPDATE = (
    "mutation M($input: UpdateFilterTriggerInput!) { made: updateFilterTrigger(input: $input)"
    " { trigger { ...T } } }" + TRIGGER
)
DELETE = "mutation M($id: ID!) { deleteTrigger(input: {triggerID: $id}) { success } }"
LIST = (
    "query Q($entity: String!, $first: Int, $after: String, $order: String, $filters: JSONString) {"
    " entity(name: $entity) { triggers(first: $first, after: $after, order: $order, filters: $filters)"
    " { edges { node { ...T } } pageInfo { endCursor hasNextPage } } } }" + TRIGGER
)
OF_PROJECTS = "{ viewer { projects { edges { node { name triggers { ...T } } } } } }" + TRIGGER
OLD = """{ viewer { projects { edges { node { triggers { name ...F } } } } } }
fragment F on Trigger { triggeringCondition { __typename } }"""
INTEGRATIONS = (
    "query Q($entity: String!, $first: Int, $after: String) { entity(name: $entity) { integrations(first: $first,"
    " after: $after) { edges { node { ...I } } pageInfo { endCursor hasNextPage } } } }"
    + TRIGGER[TRIGGER.index("fragment I") :]
)
WEBHOOK = """
mutation M($input: CreateGenericWebhookIntegrationInput!) { createGenericWebhookIntegration(input: $input)
  { integration { ... on GenericWebhookIntegration { id name urlEndpoint } } } }
"""


@pytest.fixture
def lab(ada: Asker) -> Team:
    return TeamFactory(name="lab", admin=ada.user)


@pytest.fixture
def project(lab: Team) -> Project:
    return ProjectFactory(team=lab, name="p")


@pytest.fixture
def hook(lab: Team) -> Destination:
    return create_webhook(actor=SYSTEM, team=lab, name="hook", url="https://hooks.example.com/t/secret")


@pytest.fixture
def channel(lab: Team) -> Destination:
    url = "https://hooks.slack.com/services/T/B/x"
    return create_slack_webhook(actor=SYSTEM, team=lab, name="alarms", url=url)


def automate(team: Team, name: str, project: Project | None = None, **more: Any) -> Automation:
    fields = {"event": "RUN_STATE", "filter": STATE, "action": "NO_OP", **more}
    return create_automation(
        actor=SYSTEM, team=team, project=project, fields=AutomationFields(name=name, **fields)
    )


def input_of(project: Project, **more: Any) -> dict[str, Any]:
    return {
        "name": "a", "enabled": True, "scopeType": "PROJECT", "scopeID": to_id("Project", project.pk),
        "triggeringEventType": "RUN_STATE", "eventFilter": json.dumps(STATE), "triggeredActionType": "NO_OP",
        "triggeredActionConfig": {"noOpActionInput": {"noOp": True}}, **more,
    }  # fmt: skip


def webhook_action(destination: Destination, payload: str | None = None) -> dict[str, Any]:
    action = {"integrationID": to_id("Integration", destination.pk), "requestPayload": payload}
    return {
        "triggeredActionType": "GENERIC_WEBHOOK",
        "triggeredActionConfig": {"genericWebhookActionInput": action},
    }


def names(answer: Answer) -> list[str]:
    return [edge["node"]["name"] for edge in answer.data["entity"]["triggers"]["edges"]]


def test_an_automation_of_a_project_is_made_and_answered_whole(
    ada: Asker, project: Project, hook: Destination
) -> None:
    payload = '{"run": "${run_name}"}'
    given = input_of(
        project, description="why", triggeringEventType="RUN_METRIC", eventFilter=json.dumps(METRIC),
        **webhook_action(hook, payload),
    )  # fmt: skip
    made = ada.ask(CREATE, input=given).data["made"]["trigger"]
    assert (made["name"], made["description"], made["enabled"]) == ("a", "why", True)
    assert made["scope"] == {"__typename": "Project", "id": to_id("Project", project.pk), "name": "p"}
    assert made["triggeringCondition"]["eventType"] == "RUN_METRIC"
    assert json.loads(made["triggeringCondition"]["filter"]) == METRIC
    assert made["triggeredAction"] == {
        "__typename": "GenericWebhookTriggeredAction",
        "requestPayload": payload,
        "integration": {
            "__typename": "GenericWebhookIntegration", "id": to_id("Integration", hook.pk), "name": "hook",
            "urlEndpoint": "https://hooks.example.com/t/secret",
        },
    }  # fmt: skip
    assert Automation.objects.get().created_by == ada.user


def test_an_automation_of_a_whole_team_sends_to_slack(ada: Asker, lab: Team, channel: Destination) -> None:
    action = {
        "integrationID": to_id("Integration", channel.pk), "title": "t", "message": "m", "severity": "ERROR",
    }  # fmt: skip
    given = input_of(
        Project(pk=0), scopeType="ENTITY", scopeID=to_id("Entity", lab.pk), triggeredActionType="NOTIFICATION",
        triggeredActionConfig={"notificationActionInput": action},
    )  # fmt: skip
    made = ada.ask(CREATE, input=given).data["made"]["trigger"]
    assert made["scope"] == {
        "__typename": "Entity", "id": to_id("Entity", lab.pk), "name": "lab", "entityType": "team",
    }  # fmt: skip
    told = made["triggeredAction"]
    assert (told["title"], told["message"], told["severity"]) == ("t", "m", "ERROR")
    assert told["integration"]["__typename"] == "SlackIntegration"
    assert told["integration"]["channelName"] == "alarms"


def test_a_person_s_entity_is_a_scope_that_the_sdk_can_read(ada: Asker) -> None:
    home = ada.user.memberships.get().team
    given = input_of(Project(pk=0), scopeType="ENTITY", scopeID=to_id("Entity", home.pk))
    made = ada.ask(CREATE, input=given).data["made"]["trigger"]
    assert made["scope"]["entityType"] == "team"


def test_an_automation_of_a_collection_is_told_with_its_scope(ada: Asker, project: Project) -> None:
    """ALR-6: the scope of artifact events; one that is not there is not found."""
    collection = make_version(project, "resnet").collection
    scope = to_id("ArtifactCollection", collection.pk)
    given = input_of(
        project, scopeType="ARTIFACT_COLLECTION", scopeID=scope, triggeringEventType="CREATE_ARTIFACT", eventFilter="{}"
    )  # fmt: skip
    made = ada.ask(CREATE, input=given).data["made"]["trigger"]
    assert made["scope"] == {"__typename": "ArtifactSequence", "id": scope, "name": "resnet"}
    assert Automation.objects.get().collection == collection
    again = {"id": made["id"], "scopeType": "ARTIFACT_COLLECTION", "enabled": False}
    assert ada.ask(UPDATE, input={**again, "scopeID": scope}).status == 200
    assert ada.ask(UPDATE, input={**again, "scopeID": to_id("Project", project.pk)}).status == 404
    nowhere = {**given, "name": "b", "scopeID": to_id("ArtifactCollection", 0)}
    assert ada.ask(CREATE, input=nowhere).status == 404


def test_a_taken_name_is_told_as_409(ada: Asker, project: Project) -> None:
    """By which `create_automation(fetch_existing=True)` knows it."""
    automate(project.team, "a")
    answer = ada.ask(CREATE, input=input_of(project))
    assert (answer.status, answer.messages) == (409, ["An automation named “a” already exists."])


def test_too_many_automations_are_no_taken_name(ada: Asker, project: Project, settings: Any) -> None:
    settings.AUTOMATIONS_MOST = 0
    assert ada.ask(CREATE, input=input_of(project)).status == 400


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            {"scopeType": "ENTITY", "scopeID": to_id("Organization", 1)},
            "one in each team of the organization",
        ),
        (
            {"triggeredActionType": "ARIA", "triggeredActionConfig": {"ariaActionInput": {"prompt": "?"}}},
            "ARIA is not part of Runyard",
        ),
        (
            {
                "triggeredActionType": "PUSH_NOTIFICATION",
                "triggeredActionConfig": {"pushNotificationActionInput": {"userID": "1"}},
            },
            "Automations send no push notifications",
        ),
        (
            {
                "triggeredActionType": "QUEUE_JOB",
                "triggeredActionConfig": {"queueJobActionInput": {"queueID": "1", "template": "{}"}},
            },
            "Launch queues are not part of Runyard",
        ),
        ({"triggeredActionType": "NOTIFICATION"}, "needs its `notificationActionInput`"),
        ({"triggeringEventType": "UPDATE_ARTIFACT_ALIAS"}, "Unknown event"),
        ({"eventFilter": "{}"}, "run_state_filter"),
        ({"eventFilter": "{"}, "eventFilter isn’t valid JSON"),
    ],
)
def test_what_automations_cannot_be_is_said(
    ada: Asker, project: Project, given: dict[str, Any], told: str
) -> None:
    answer = ada.ask(CREATE, input=input_of(project, **given))
    assert answer.status == 400
    assert told in answer.messages[0]


def test_a_destination_of_another_team_is_not_there(ada: Asker, project: Project) -> None:
    elsewhere = create_webhook(
        actor=SYSTEM, team=TeamFactory(name="far"), name="x", url="https://x.example.com"
    )
    answer = ada.ask(CREATE, input=input_of(project, **webhook_action(elsewhere)))
    assert (answer.status, Automation.objects.count()) == (404, 0)


def test_the_webhook_of_another_team_serves_no_automation(ada: Asker, project: Project) -> None:
    """ALR-7: nobody else of the team could see where its automation sends."""
    lab2 = TeamFactory(name="lab2", admin=ada.user)
    other = Destination.objects.create(team=lab2, name="mine", kind="webhook")
    answer = ada.ask(CREATE, input=input_of(project, **webhook_action(other)))
    assert answer.status == 400
    told = "The integration 'mine' belongs to lab2; an automation of lab sends only to integrations of lab"
    assert answer.messages == [f"{told}: set it up there, too."]
    assert Automation.objects.count() == 0


def test_one_s_own_webhook_serves_an_automation_of_a_team_which_sees_it(ada: Asker, project: Project) -> None:
    """ALR-7: its name and host; only who it belongs to chooses it."""
    own = create_webhook(
        actor=SYSTEM, team=Team.objects.get(name="ada"), name="mine", url="https://h.example.com/t/secret"
    )
    given = input_of(project, **webhook_action(own))
    bob = Asker(make_member(project.team, Preset.ADMIN))
    assert bob.ask(CREATE, input=given).status == 404
    made = ada.ask(CREATE, input=given).data["made"]["trigger"]
    assert made["triggeredAction"]["integration"]["urlEndpoint"] == "https://h.example.com/t/secret"
    [edge] = bob.ask(LIST, entity="lab").data["entity"]["triggers"]["edges"]
    integration = edge["node"]["triggeredAction"]["integration"]
    assert (integration["name"], integration["urlEndpoint"]) == ("mine", "https://h.example.com/")
    changed = bob.ask(UPDATE, input={"id": made["id"], "triggeredActionType": "NO_OP"})
    assert changed.data["made"]["trigger"]["triggeredAction"]["__typename"] == "NoOpTriggeredAction"


def test_what_is_null_stays(ada: Asker, project: Project, hook: Destination) -> None:
    row = automate(project.team, "a", project, action="GENERIC_WEBHOOK", destination=hook, payload='{"b": 1}')
    changed = ada.ask(UPDATE, input={"id": to_id("Trigger", row.pk), "enabled": False, "description": "d"})
    trigger = changed.data["made"]["trigger"]
    assert (trigger["name"], trigger["enabled"], trigger["description"]) == ("a", False, "d")
    assert trigger["triggeredAction"]["requestPayload"] == '{"b": 1}'
    assert json.loads(trigger["triggeringCondition"]["filter"]) == STATE


def test_a_payload_that_the_sdk_cannot_read_is_not_told_and_stays(
    ada: Asker, project: Project, hook: Destination
) -> None:
    """`wandb.automations` reads JSON objects only; one payload of another kind would break its whole list."""
    payload = '{"value": ${metric_value}}'
    row = automate(project.team, "a", project, action="GENERIC_WEBHOOK", destination=hook, payload=payload)
    given = input_of(project, **webhook_action(hook), id=to_id("Trigger", row.pk))
    changed = ada.ask(UPDATE, input=given).data["made"]["trigger"]
    assert changed["triggeredAction"]["requestPayload"] is None
    row.refresh_from_db()
    assert row.payload == payload


def test_a_condition_that_the_sdk_cannot_read_stays_too(ada: Asker, project: Project) -> None:
    """Of `loss = 1` the SDK makes an empty filter, and sends that with each change."""
    equal = json.loads(json.dumps(METRIC))
    equal["run_metric_filter"]["threshold_filter"]["cmp_op"] = "$eq"
    row = automate(project.team, "a", project, event="RUN_METRIC", filter=equal)
    given = input_of(
        project, id=to_id("Trigger", row.pk), triggeringEventType="RUN_METRIC", eventFilter='{"$and": []}',
        enabled=False,
    )  # fmt: skip
    assert ada.ask(UPDATE, input=given).data["made"]["trigger"]["enabled"] is False
    row.refresh_from_db()
    assert row.filter == equal


def shared_registry(project: Project) -> Registry:
    """Create a registry of the organization of a project."""
    organization = project.team.organization
    assert organization is not None
    return create_registry(actor=SYSTEM, organization=organization, name="shared", everyone_role="")


class TestMoving:
    """`api.update_automation(automation, scope=…)`."""

    def test_within_the_team_is_one_entry_of_the_audit_log(self, ada: Asker, project: Project) -> None:
        row = automate(project.team, "a")
        moved = ada.ask(UPDATE, input=input_of(project, id=to_id("Trigger", row.pk))).data["made"]["trigger"]
        assert moved["scope"] == {"__typename": "Project", "id": to_id("Project", project.pk), "name": "p"}
        row.refresh_from_db()
        assert row.project == project
        entry = AuditEntry.objects.get(action="automation.change")
        assert (entry.before["project"], entry.after["project"]) == ("", "p")

    def test_to_a_registry_of_the_organization_and_back(
        self, ada: Asker, project: Project, hook: Destination
    ) -> None:
        registry = shared_registry(project)
        add_members(actor=SYSTEM, registry=registry, users=[ada.user], role="admin")
        make_version(project, "resnet")
        alias = {"event": "ADD_ARTIFACT_ALIAS", "filter": {}}
        row = automate(project.team, "a", project, action="GENERIC_WEBHOOK", destination=hook, **alias)
        for place in (registry.project, project):
            given = {"id": to_id("Trigger", row.pk), "scopeType": "PROJECT"}
            answer = ada.ask(UPDATE, input={**given, "scopeID": to_id("Project", place.pk)})
            assert answer.data["made"]["trigger"]["scope"]["name"] == place.name
            row.refresh_from_db()
            assert (row.project, row.team, row.destination) == (place, place.team, hook)
        entries = AuditEntry.objects.filter(action="automation.change").order_by("pk")
        names = [(entry.before["team"], entry.after["team"]) for entry in entries]
        assert names == [("lab", registry.project.team.name), (registry.project.team.name, "lab")]

    def test_not_to_another_team(self, ada: Asker, project: Project) -> None:
        lab2 = TeamFactory(name="lab2", organization=project.team.organization, admin=ada.user)
        row = automate(project.team, "a", project)
        other = ProjectFactory(team=lab2, name="other")
        answer = ada.ask(UPDATE, input=input_of(other, id=to_id("Trigger", row.pk)))
        assert answer.status == 400
        assert "can move within its team" in answer.messages[0]
        row.refresh_from_db()
        assert row.project == project

    def test_not_where_the_actor_may_create_none_or_its_event_does_not_happen(
        self, ada: Asker, project: Project
    ) -> None:
        registry = shared_registry(project)
        row = automate(project.team, "a", project)
        given = input_of(registry.project, id=to_id("Trigger", row.pk))
        assert ada.ask(UPDATE, input=given).status == 404
        add_members(actor=SYSTEM, registry=registry, users=[ada.user], role="viewer")
        assert ada.ask(UPDATE, input=given).status == 403
        member = registry.members.get(user=ada.user)
        change_member(actor=SYSTEM, member=member, role="admin")
        answer = ada.ask(UPDATE, input=given)
        assert (answer.status, answer.messages) == (
            400, ["A registry’s automation can only use artifact events."],
        )  # fmt: skip
        row.refresh_from_db()
        assert row.project == project


@pytest.mark.parametrize("trigger_id", ["", "x", to_id("Trigger", 4711), to_id("Project", 1)])
def test_what_is_not_there_is_404(ada: Asker, trigger_id: str) -> None:
    """By which `update_automation(create_missing=True)` knows it."""
    assert ada.ask(UPDATE, input={"id": trigger_id, "enabled": True}).status == 404
    assert ada.ask(DELETE, id=trigger_id).status == 404


def test_an_automation_is_deleted(ada: Asker, lab: Team) -> None:
    row = automate(lab, "a")
    assert ada.ask(DELETE, id=to_id("Trigger", row.pk)).data == {"deleteTrigger": {"success": True}}
    assert not Automation.objects.exists()


def test_an_artifact_s_filter_is_told_one_level_deeper(ada: Asker, project: Project) -> None:
    inner = {"$or": [{"$and": [{"alias": {"$regex": "^prod"}}]}]}
    given = input_of(project, triggeringEventType="ADD_ARTIFACT_ALIAS", eventFilter=json.dumps(inner))
    told = ada.ask(CREATE, input=given).data["made"]["trigger"]["triggeringCondition"]["filter"]
    assert json.loads(json.loads(told)["filter"]) == inner


def test_an_entity_lists_its_automations_by_name_order_and_page(ada: Asker, project: Project) -> None:
    for name in ("b", "a", "c"):
        automate(project.team, name, project if name == "a" else None, is_on=name != "c")
    automate(TeamFactory(name="far"), "d")

    def ask(**variables: Any) -> Answer:
        return ada.ask(LIST, entity="lab", **variables)

    assert names(ask()) == ["b", "a", "c"]
    assert names(ask(order="-createdAt")) == ["c", "a", "b"]
    assert names(ask(order="name")) == ["a", "b", "c"]
    assert names(ask(filters='{"name": "a"}')) == ["a"]
    assert names(ask(filters='{"$or": [{"name": {"$in": ["a", "b"]}}, {"enabled": false}]}')) == [
        "b",
        "a",
        "c",
    ]
    assert names(ask(filters='{"$and": [{"name": {"$ne": "a"}}, {"enabled": true}]}')) == ["b"]
    assert names(ask(filters='{"$not": {"name": "a"}}')) == ["b", "c"]
    page = ask(first=2).data["entity"]["triggers"]["pageInfo"]
    assert page == {"endCursor": "2", "hasNextPage": True}
    assert names(ask(first=2, after="2")) == ["c"]


@pytest.mark.parametrize(
    "asked",
    [
        {"order": "pk"}, {"filters": '{"created_by": 1}'}, {"filters": '{"name": 1}'},
        {"filters": '{"name": {"$regex": "a"}}'}, {"filters": "{"}, {"after": "x"},
    ],
)  # fmt: skip
def test_a_list_says_by_what_it_cannot_be_asked(ada: Asker, lab: Team, asked: dict[str, str]) -> None:
    automate(lab, "a")
    assert ada.ask(LIST, entity="lab", **asked).status == 400


def test_an_organization_lists_the_automations_of_its_teams(ada: Asker, lab: Team) -> None:
    automate(lab, "a")
    automate(TeamFactory(name="beside", organization=lab.organization), "unseen")
    document = "query($name: String!) { organization(name: $name) { triggers { edges { node { name } } } } }"
    assert lab.organization is not None
    found = ada.ask(document, name=lab.organization.name).data["organization"]
    assert [edge["node"]["name"] for edge in found["triggers"]["edges"]] == ["a"]


def test_what_may_not_be_seen_is_not_listed(ada: Asker, lab: Team) -> None:
    hidden = ProjectFactory(team=lab, name="hidden", visibility=Visibility.RESTRICTED)
    automate(lab, "a", hidden)
    gone = ProjectFactory(team=lab, name="gone")
    automate(lab, "b", gone)
    delete_project(actor=actor(ada.user), project=gone)
    automate(lab, "c", ProjectFactory(team=lab, name="plain"))
    assert names(ada.ask(LIST, entity="lab")) == ["c"]
    stranger = Asker(UserFactory(username="eve"))
    assert "The entity" in stranger.ask(LIST, entity="lab").messages[0]


def test_projects_list_their_own_automations(ada: Asker, project: Project) -> None:
    automate(project.team, "of the project", project)
    automate(project.team, "of the team")
    edges = ada.ask(OF_PROJECTS).data["viewer"]["projects"]["edges"]
    found = {edge["node"]["name"]: [row["name"] for row in edge["node"]["triggers"]] for edge in edges}
    assert found == {"p": ["of the project"]}


def test_an_old_sdk_is_told_the_events_that_it_knows(ada: Asker, project: Project) -> None:
    """Of a list with any other event, SDKs up to 0.22 read nothing."""
    automate(project.team, "state", project)
    automate(project.team, "metric", project, event="RUN_METRIC", filter=METRIC)
    edges = ada.ask(OLD).data["viewer"]["projects"]["edges"]
    assert [row["name"] for edge in edges for row in edge["node"]["triggers"]] == ["metric"]


def count(ada: Asker, document: str, **variables: Any) -> int:
    ada.ask(document, **variables)  # what a process remembers
    with CaptureQueriesContext(connection) as queries:
        assert ada.ask(document, **variables).data
    return len(queries)


def test_more_automations_are_no_more_queries(
    ada: Asker, project: Project, hook: Destination, channel: Destination
) -> None:
    def fill(few: int) -> None:
        for number in range(few):
            place = ProjectFactory(team=project.team)
            automate(project.team, f"{place.name}-a{number}", place)
            automate(project.team, f"{place.name}-b{number}", action="NOTIFICATION", destination=channel)
            automate(
                project.team, f"{place.name}-c{number}", place, action="GENERIC_WEBHOOK", destination=hook
            )

    fill(1)
    few = [count(ada, LIST, entity="lab"), count(ada, OF_PROJECTS)]
    fill(6)
    many = [count(ada, LIST, entity="lab"), count(ada, OF_PROJECTS)]
    assert many == few
    assert max(many) <= 14


def test_more_integrations_are_no_more_queries(ada: Asker, lab: Team, hook: Destination) -> None:
    few = count(ada, INTEGRATIONS, entity="lab")
    for number in range(5):
        create_webhook(actor=SYSTEM, team=lab, name=f"w{number}", url="https://x.example.com/")
    assert count(ada, INTEGRATIONS, entity="lab") == few


def test_integrations_are_listed_by_pages(ada: Asker, hook: Destination, channel: Destination) -> None:
    first = ada.ask(INTEGRATIONS, entity="lab", first=1).data["entity"]["integrations"]
    assert [edge["node"]["__typename"] for edge in first["edges"]] == ["GenericWebhookIntegration"]
    after = first["pageInfo"]["endCursor"]
    second = ada.ask(INTEGRATIONS, entity="lab", first=1, after=after).data["entity"]["integrations"]
    assert [edge["node"]["channelName"] for edge in second["edges"]] == ["alarms"]
    assert second["pageInfo"]["hasNextPage"] is False


def test_a_connected_slack_channel_is_told_with_its_workspace(ada: Asker, channel: Destination) -> None:
    """ALR-4."""
    Destination.objects.filter(pk=channel.pk).update(kind="slack", place="#alarms · Acme")
    edges = ada.ask(INTEGRATIONS, entity="lab").data["entity"]["integrations"]["edges"]
    assert [(edge["node"]["channelName"], edge["node"]["teamName"]) for edge in edges] == [
        ("#alarms", "Acme")
    ]


def test_a_webhook_s_address_is_told_to_who_manages_it(ada: Asker, lab: Team, hook: Destination) -> None:
    """Whoever knows such an address can post to it; members need the integration, not its address (ALR-7)."""

    def address(asker: Asker) -> list[str]:
        edges = asker.ask(INTEGRATIONS, entity="lab").data["entity"]["integrations"]["edges"]
        return [edge["node"]["urlEndpoint"] for edge in edges]

    assert address(ada) == ["https://hooks.example.com/t/secret"]
    assert address(Asker(make_member(lab, Preset.MEMBER, username="bob"))) == ["https://hooks.example.com/"]
    assert address(Asker(make_member(lab, Preset.VIEW_ONLY, username="vera"))) == []


def test_a_webhook_is_set_up_with_the_names_of_secrets(ada: Asker, lab: Team) -> None:
    for name in ("TOKEN", "SIGN"):
        store_secret(actor=SYSTEM, team=lab, name=name, value="0123456789")
    given = {
        "entityName": "lab", "name": "new hook", "urlEndpoint": "https://x.example.com/y",
        "accessTokenRef": "TOKEN", "secretRef": "SIGN",
    }  # fmt: skip
    made = ada.ask(WEBHOOK, input=given).data["createGenericWebhookIntegration"]["integration"]
    row = Destination.objects.get()
    assert made == {
        "id": base64.b64encode(f"Integration:{row.pk}".encode()).decode(), "name": "new hook",
        "urlEndpoint": "https://x.example.com/y",
    }  # fmt: skip
    assert (row.access_token_name, row.signing_secret_name) == ("TOKEN", "SIGN")


def test_a_webhook_with_a_secret_that_is_not_there_is_refused(ada: Asker, lab: Team) -> None:
    given = {
        "entityName": "lab", "name": "x", "urlEndpoint": "https://x.example.com", "secretRef": "NONE",
    }  # fmt: skip
    answer = ada.ask(WEBHOOK, input=given)
    assert (answer.status, answer.messages) == (400, ["The team has no secret NONE."])


def test_a_member_names_no_secret_in_a_payload(ada: Asker, project: Project, hook: Destination) -> None:
    """The review's M1, ALR-7: whoever reads the place that it is sent to would read it."""
    store_secret(actor=SYSTEM, team=project.team, name="TOKEN", value="0123456789")
    bob = Asker(make_member(project.team, Preset.MEMBER, username="bob"))
    for name in ("TOKEN", "NOT_THERE"):
        answer = bob.ask(CREATE, input=input_of(project, **webhook_action(hook, f'{{"a": "${{{name}}}"}}')))
        assert answer.status == 403
        assert "TOKEN" not in str(answer.messages)
    assert not Automation.objects.exists()
    whole = ada.ask(CREATE, input=input_of(project, **webhook_action(hook, '{"a": "${TOKEN}"}')))
    assert whole.data["made"]["trigger"]["name"] == "a"


@pytest.mark.parametrize("event", ["SWEEP_FINISHED", "SWEEP_NEW_BEST", "SWEEP_RUNS_FAIL"])
def test_automations_on_sweeps_are_not_told_to_sdks_which_would_fail_at_the_whole_list(
    ada: Asker, lab: Team, project: Project, event: str
) -> None:
    """RUN-50: wandb/automations/events.py knows no events of sweeps."""
    asked = {"share": 0.5} if event == "SWEEP_RUNS_FAIL" else {}
    hidden = automate(lab, "sweeps", project, event=event, filter=asked)
    automate(lab, "failed", project)
    assert names(ada.ask(LIST, entity="lab")) == ["failed"]
    edges = ada.ask(OF_PROJECTS).data["viewer"]["projects"]["edges"]
    assert [one["name"] for edge in edges for one in edge["node"]["triggers"]] == ["failed"]
    ada.ask(DELETE, id=to_id("Trigger", hidden.pk))
    assert Automation.objects.filter(pk=hidden.pk).exists()
