"""What may not be seen is answered as what is missing, to the letter, whoever asks and by whatever interface."""

import json
from typing import Any

import pytest
from django.test import Client

from access.actions import Preset
from teams.models import Visibility
from tests.factories import (
    OrganizationFactory,
    ProjectFactory,
    TeamFactory,
    UserFactory,
    basic,
    make_key,
    make_member,
)

pytestmark = pytest.mark.django_db

HIDDEN, MISSING = "hidden-one", "missing-1-"


def graphql(query: str, **variables: Any) -> tuple[str, str, Any]:
    return "post", "/graphql", {"query": query, "variables": variables}


def upsert_model(entity: str, name: str, **more: str) -> tuple[str, str, Any]:
    query = "mutation U($input: UpsertModelInput!) { upsertModel(input: $input) { inserted } }"
    return graphql(query, input={"entityName": entity, "name": name, **more})


def upsert_bucket(entity: str, name: str) -> tuple[str, str, Any]:
    query = "mutation U($input: UpsertBucketInput!) { upsertBucket(input: $input) { inserted } }"
    return graphql(query, input={"entityName": entity, "modelName": name, "name": "r1"})


def rewind(entity: str, name: str) -> tuple[str, str, Any]:
    query = "mutation R($input: RewindRunInput!) { rewindRun(input: $input) { rewoundRun { id } } }"
    given = {
        "entityName": entity,
        "projectName": name,
        "runName": "r1",
        "metricName": "_step",
        "metricValue": 1,
    }
    return graphql(query, input=given)


def alert(entity: str, name: str) -> tuple[str, str, Any]:
    query = "mutation N($input: NotifyScriptableRunAlertInput!) { notifyScriptableRunAlert(input: $input) { success } }"
    return graphql(
        query, input={"entityName": entity, "projectName": name, "runName": "r1", "title": "a", "text": "b"}
    )


def project(entity: str, name: str) -> tuple[str, str, Any]:
    return graphql(
        "query P($e: String!, $n: String!) { project(entityName: $e, name: $n) { id } }", e=entity, n=name
    )


def models(entity: str, _: str) -> tuple[str, str, Any]:
    return graphql("query M($e: String!) { models(entityName: $e) { edges { node { id } } } }", e=entity)


def entity_of(entity: str, _: str) -> tuple[str, str, Any]:
    return graphql("query E($e: String!) { entity(name: $e) { id } }", e=entity)


def chart(entity: str, _: str) -> tuple[str, str, Any]:
    query = (
        "mutation C($input: CreateCustomChartInput!) { createCustomChart(input: $input) { chart { id } } }"
    )
    given = {
        "entity": entity,
        "type": "vega2",
        "name": "c",
        "displayName": "c",
        "access": "PRIVATE",
        "spec": "{}",
    }
    return graphql(query, input=given)


def invite(entity: str, _: str) -> tuple[str, str, Any]:
    query = "mutation I($input: CreateInviteInput!) { createInvite(input: $input) { invite { id } } }"
    return graphql(query, input={"entityName": entity, "email": "a@example.com"})


def create_team(_: str, person: str) -> tuple[str, str, Any]:
    query = "mutation T($input: CreateTeamInput!) { createTeam(input: $input) { entity { id } } }"
    return graphql(query, input={"teamName": "new-team", "teamAdminUserName": person})


def rest_create(entity: str, name: str) -> tuple[str, str, Any]:
    return "post", "/api/v1/projects/", {"entity": entity, "name": name}


def rest_list(entity: str, name: str) -> tuple[str, str, Any]:
    return "get", f"/api/v1/runs/?entity={entity}&project={name}", None


def rest_begin(entity: str, name: str) -> tuple[str, str, Any]:
    return "post", "/api/v1/runs/", {"entity": entity, "project": name, "uid": "r1"}


def rest_must(entity: str, name: str) -> tuple[str, str, Any]:
    return "post", "/api/v1/runs/", {"entity": entity, "project": name, "uid": "r1", "resume": "must"}


def rest_team(entity: str, _: str) -> tuple[str, str, Any]:
    return "get", f"/api/v1/teams/{entity}/", None


def rest_members(entity: str, person: str) -> tuple[str, str, Any]:
    return "post", f"/api/v1/teams/{entity}/members/", {"username": person, "role": "member"}


def rest_person(_: str, person: str) -> tuple[str, str, Any]:
    return "get", f"/api/v1/people/{person}/", None


def scim(entity: str, _: str) -> tuple[str, str, Any]:
    return "get", f"/scim/v2/{entity}/Users", None


def billing(entity: str, _: str) -> tuple[str, str, Any]:
    return "get", f"/api/v1/organizations/{entity}/invoices/", None


def team_page(entity: str, _: str) -> tuple[str, str, Any]:
    return "get", f"/teams/{entity}/profile", None


def page(entity: str, name: str) -> tuple[str, str, Any]:
    return "get", f"/{entity}/{name}", None


def post_lines(entity: str, name: str) -> tuple[str, str, Any]:
    return "post", f"/api/v1/runs/{entity}/{name}/r1/stream", {}


OF_PROJECTS = [
    upsert_model, upsert_bucket, rewind, alert, project, rest_create, rest_list, rest_begin, rest_must, page,
    post_lines,
]  # fmt: skip
OF_ENTITIES = [*OF_PROJECTS, models, entity_of, chart, invite, rest_team, rest_members, team_page]
OF_ORGANIZATIONS = [scim, billing]
OF_PEOPLE = [create_team, rest_person, rest_members]


def told(user: Any, asked: tuple[str, str, Any], *names: str) -> tuple[int, str]:
    """Return the status and the answer with what was asked for taken out, and what is of each request alone."""
    method, path, body = asked
    client = Client(raise_request_exception=True)
    headers = {"Authorization": basic(make_key(user)), "Accept": "application/json"}
    more = {} if body is None else {"data": json.dumps(body), "content_type": "application/json"}
    answer = getattr(client, method)(path, headers=headers, **more)
    text = answer.content.decode()
    for name in names:
        text = text.replace(name, "*")
    return answer.status_code, text


def same(user: Any, hidden: tuple[str, str, Any], missing: tuple[str, str, Any]) -> None:
    assert told(user, hidden, HIDDEN) == told(user, missing, MISSING)


@pytest.fixture
def team():
    team = TeamFactory(name="ateam")
    ProjectFactory(team=team, name="open", visibility=Visibility.PUBLIC)
    return team


@pytest.mark.parametrize("ask", OF_PROJECTS)
@pytest.mark.parametrize("visibility", [Visibility.TEAM, Visibility.RESTRICTED])
def test_a_stranger_does_not_learn_of_a_project(team, ask, visibility):
    """The review's L1: the team is known by its public project."""
    ProjectFactory(team=team, name=HIDDEN, visibility=visibility)
    same(UserFactory(), ask("ateam", HIDDEN), ask("ateam", MISSING))


@pytest.mark.parametrize("ask", OF_PROJECTS)
def test_a_viewer_of_the_team_does_not_learn_of_a_restricted_project(team, ask):
    """The review's L1."""
    ProjectFactory(team=team, name=HIDDEN, visibility=Visibility.RESTRICTED)
    same(make_member(team, Preset.VIEW_ONLY), ask("ateam", HIDDEN), ask("ateam", MISSING))


@pytest.mark.parametrize("ask", OF_ENTITIES)
def test_a_stranger_does_not_learn_of_a_team(ask):
    """The review's L1, a sibling: the names of teams that show nothing."""
    ProjectFactory(team=TeamFactory(name=HIDDEN), name="some")
    same(UserFactory(), ask(HIDDEN, "some"), ask(MISSING, "some"))


@pytest.mark.parametrize("ask", OF_ORGANIZATIONS)
def test_a_stranger_does_not_learn_of_an_organization(ask):
    """The review's L1, a sibling."""
    OrganizationFactory(name=HIDDEN)
    same(UserFactory(), ask(HIDDEN, ""), ask(MISSING, ""))


@pytest.mark.parametrize("ask", OF_PEOPLE)
def test_nobody_learns_of_a_person_they_do_not_know(team, ask):
    """The review's L2."""
    UserFactory(username=HIDDEN)
    same(make_member(team, Preset.ADMIN), ask("ateam", HIDDEN), ask("ateam", MISSING))
