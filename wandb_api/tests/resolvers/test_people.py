"""People, teams and organizations as `wandb.Api()` reads them (protocol 3.3, 4.8)."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from access.actions import Preset
from accounts.models import User
from runs.models import Run
from teams.models import Organization, OrganizationMember, Team
from teams.roles.builtin import built_in
from tests.factories import OrganizationFactory, ProjectFactory, TeamFactory, UserFactory, make_member
from wandb_api.tests.asking import Asker

pytestmark = pytest.mark.django_db

UPDATE = "mutation U($team: String) { updateUser(input: {defaultEntity: $team}) { user { entity } } }"
BEGIN = 'mutation { upsertBucket(input: {modelName: "p", name: "r"}) { bucket { project { entityName } } } }'


@pytest.fixture
def acme() -> Organization:
    return OrganizationFactory(name="acme", admin=UserFactory(username="chief"))


@pytest.fixture
def vision(acme: Organization) -> Team:
    return TeamFactory(name="vision", organization=acme)


@pytest.fixture
def vera(vision: Team) -> Asker:
    return Asker(make_member(vision, username="vera"))


class TestDefaultEntity:
    """Protocol 4.8."""

    def test_is_changed_and_told_to_the_sdk(self, vera: Asker):
        assert vera.ask(UPDATE, team="vision").data == {"updateUser": {"user": {"entity": "vision"}}}
        assert vera.ask("{ viewer { entity } }").data == {"viewer": {"entity": "vision"}}
        assert vera.ask(UPDATE).data == {"updateUser": {"user": {"entity": "vision"}}}

    def test_is_an_entity_too_and_of_other_people_it_is_not_told(self, vera: Asker):
        vera.ask(UPDATE, team="vision")
        ask = "{ viewer { defaultEntity { name } } users(query: %s) { edges { node { defaultEntity { name } } } } }"
        found = vera.ask(ask % '"e"').data
        assert found["viewer"] == {"defaultEntity": {"name": "vision"}}
        others = [edge["node"]["defaultEntity"] for edge in found["users"]["edges"]]
        assert others.count(None) == len(others) - 1

    def test_is_where_runs_go_that_name_none(self, vera: Asker):
        vera.ask(UPDATE, team="vision")
        assert vera.ask(BEGIN).data["upsertBucket"]["bucket"]["project"]["entityName"] == "vision"
        assert Run.objects.get().project.team.name == "vision"
        assert vera.ask('{ project(name: "p") { entityName } }').data == {"project": {"entityName": "vision"}}

    def test_a_foreign_team_is_refused_as_one_that_is_not_there(self, vera: Asker):
        TeamFactory(name="elsewhere")
        for name in ("elsewhere", "nowhere"):
            answer = vera.ask(UPDATE, team=name)
            assert answer.status == 400
            assert answer.messages == [
                f"You are not in a team named {name}. You can choose from: vera, vision."
            ]

    def test_another_s_is_not_changed(self, vera: Asker):
        answer = vera.ask(
            'mutation { updateUser(input: {id: "VXNlcjow", defaultEntity: ""}) { user { id } } }'
        )
        assert (answer.status, answer.messages) == (400, ["You can change your own account only."])


def test_the_viewer_s_teams_begin_with_their_own_entity(vera: Asker):
    teams = vera.ask("{ viewer { teams { edges { node { name isTeam } } } } }").data["viewer"]["teams"]
    assert [edge["node"] for edge in teams["edges"]] == [
        {"name": "vera", "isTeam": False},
        {"name": "vision", "isTeam": True},
    ]


OWNER = """query O($name: String!) {
    entity(name: $name) { user { username organizations { name orgEntity { name } } } } }"""


class TestOwner:
    """`FetchOrgInfoFromEntity`."""

    def test_of_one_s_own_entity_is_oneself_with_organizations(self, vera: Asker, acme: Organization):
        OrganizationMember.objects.get_or_create(
            organization=acme, user=vera.user, defaults={"role": built_in(Preset.ORGANIZATION_MEMBER)}
        )
        user = vera.ask(OWNER, name="vera").data["entity"]["user"]
        assert user == {
            "username": "vera",
            "organizations": [{"name": "acme", "orgEntity": {"name": "acme"}}],
        }

    def test_of_a_team_is_nobody(self, vera: Asker):
        assert vera.ask(OWNER, name="vision").data == {"entity": {"user": None}}

    def test_another_s_organizations_are_not_told(self, vera: Asker):
        ProjectFactory(team=Team.objects.get(name="chief"), visibility="public")
        user = vera.ask(OWNER, name="chief").data["entity"]["user"]
        assert user == {"username": "chief", "organizations": []}


def test_an_organization_s_flags_are_the_server_s_features(vera: Asker):
    """`OrgFeatureFlags`: without an answer SDKs leave automations of whole teams out."""
    query = '{ organization(name: "acme") { featureFlags(rampIDType: OrgName) { rampKey isEnabled } } }'
    flags = vera.ask(query).data["organization"]["featureFlags"]
    features = vera.ask("{ serverInfo { features { name isEnabled } } }").data["serverInfo"]["features"]
    expected = {feature["name"]: feature["isEnabled"] for feature in features}
    assert {flag["rampKey"]: flag["isEnabled"] for flag in flags} == {
        **expected, "automation_entity_scope": True,
    }  # fmt: skip
    assert {"rampKey": "AUTOMATION_SCOPE_ENTITY", "isEnabled": True} in flags


def test_an_organization_s_own_entity_holds_its_registries_alone(vera: Asker):
    query = """{ organization(name: "acme") { orgEntity { entityType projects { edges { node { name } } } members { id }
        storageBytes triggers { edges { node { id } } } integrations { edges { __typename } } user { id } } } }"""
    none: dict[str, list[str]] = {"edges": []}
    names = ("wandb-registry-dataset", "wandb-registry-model")
    registries = {"edges": [{"node": {"name": name}} for name in names]}
    assert vera.ask(query).data["organization"]["orgEntity"] == {
        "entityType": "organization", "projects": registries, "members": [], "storageBytes": None, "triggers": none,
        "integrations": none, "user": None,
    }  # fmt: skip


PROJECTS = """query P($filters: JSONString, $order: String) {
    entity(name: "vision") { projects(filters: $filters, order: $order) { edges { node { name } } } } }"""


class TestProjectsOfAnEntity:
    """The filter language and the orders of runs, on columns of projects."""

    @pytest.fixture(autouse=True)
    def projects(self, vision: Team) -> None:
        ProjectFactory(team=vision, name="cats", description="of houses")
        ProjectFactory(team=vision, name="dogs")
        ProjectFactory(team=vision, name="cattle")

    @pytest.mark.parametrize(
        ("filters", "found"),
        [
            (None, ["cats", "cattle", "dogs"]),
            ({"name": "dogs"}, ["dogs"]),
            ({"name": {"$regex": "^cat"}}, ["cats", "cattle"]),
            ({"$or": [{"description": {"$exists": True}}, {"name": {"$in": ["dogs"]}}]}, ["cats", "dogs"]),
            ({"createdAt": {"$lt": "2000-01-01"}}, []),
        ],
    )
    def test_are_filtered(self, vera: Asker, filters: object, found: list[str]):
        text = None if filters is None else json.dumps(filters)
        edges = vera.ask(PROJECTS, filters=text).data["entity"]["projects"]["edges"]
        assert sorted(edge["node"]["name"] for edge in edges) == found

    def test_are_ordered(self, vera: Asker):
        edges = vera.ask(PROJECTS, order="-name").data["entity"]["projects"]["edges"]
        assert [edge["node"]["name"] for edge in edges] == ["dogs", "cattle", "cats"]

    def test_by_columns_of_projects_alone(self, vera: Asker):
        answer = vera.ask(PROJECTS, filters='{"loss": 1}')
        assert answer.status == 400
        assert answer.messages[0].startswith("Projects have no column “loss”. Available: created_at, ")


def test_an_unset_description_is_null(vera: Asker, vision: Team):
    ProjectFactory(team=vision, name="plain", description="")
    vera.ask(
        'mutation { upsertBucket(input: {entityName: "vision", modelName: "plain", name: "r"}) { inserted } }'
    )
    query = '{ project(name: "plain", entityName: "vision") { description run(name: "r") { description } } }'
    assert vera.ask(query).data == {"project": {"description": None, "run": {"description": None}}}


def test_an_unknown_entity_is_an_error_that_names_it(vera: Asker):
    """Of null, `api.team()` makes a KeyError."""
    TeamFactory(name="elsewhere")
    for name in ("elsewhere", "nowhere"):
        answer = vera.ask("query E($name: String!) { entity(name: $name) { id } }", name=name)
        assert answer.status == 200  # of any other, old SDKs do not show the message
        told = f"The entity “{name}” doesn’t exist, or you don’t have access to it. You can log to: vera, vision."
        assert answer.messages == [f"{told} Set WANDB_ENTITY to one."]


USERS = "query S($text: String) { users(query: $text) { edges { node { id username email admin } } } }"


def people_of(asker: Asker, text: str) -> dict[str, str | None]:
    """Search as `api.users` does; who is found, with the address that is shown."""
    edges = asker.ask(USERS, text=text).data["users"]["edges"]
    return {edge["node"]["username"]: edge["node"]["email"] for edge in edges}


class TestSearchOfPeople:
    """`api.user()` and `api.users()`: registries are filled by what they find."""

    @pytest.fixture
    def oscar(self, acme: Organization) -> User:
        """Somebody of another team of the organization."""
        return make_member(TeamFactory(name="ops", organization=acme), username="oscar")

    def test_finds_oneself_and_people_of_the_own_organizations(self, vera: Asker, oscar: User):
        UserFactory(username="oscarine")
        assert people_of(vera, "VERA") == {"vera": vera.user.email}
        assert people_of(vera, "osc") == {"oscar": None}
        assert people_of(vera, "nobody-at-all") == {}

    def test_finds_by_address_those_whose_address_is_shown(self, vera: Asker, oscar: User, vision: Team):
        assert people_of(vera, oscar.email) == {}
        mate = make_member(vision, username="mate")
        assert people_of(vera, mate.email) == {"mate": mate.email}
        chief = Asker(User.objects.get(username="chief"))
        assert people_of(chief, oscar.email) == {"oscar": oscar.email}

    def test_puts_who_is_named_in_full_first(self, vera: Asker, vision: Team):
        for name in ("anna", "ann"):
            make_member(vision, username=name)
        assert list(people_of(vera, "ann")) == ["ann", "anna"]

    def test_tells_nobody_who_the_operators_are(self, vera: Asker, vision: Team):
        User.objects.filter(pk=make_member(vision, username="boss").pk).update(is_operator=True)
        [edge] = vera.ask(USERS, text="boss").data["users"]["edges"]
        assert edge["node"]["admin"] is False

    def test_takes_as_many_queries_for_many_people(self, vera: Asker, vision: Team):
        with CaptureQueriesContext(connection) as few:
            people_of(vera, "e")
        for _ in range(5):
            make_member(vision)
        with CaptureQueriesContext(connection) as many:
            people_of(vera, "e")
        assert len(many) <= len(few)


def test_people_are_users_and_programs_services(vera: Asker, vision: Team):
    """`Member.accountType`, strict since 0.22."""
    vision_admin: User = vision.memberships.get(role__preset=Preset.ADMIN).user
    members = vera.ask('{ entity(name: "vision") { members { username accountType } } }').data["entity"][
        "members"
    ]
    assert {"username": vision_admin.username, "accountType": "USER"} in members
