"""Registries, their collections and versions as `wandb.Api()` finds them (ART-5, protocol 3.6)."""

import json
from typing import Any

import pytest

from access.actor import SYSTEM
from artifacts.collections.services import CollectionChanges, update_collection
from artifacts.registries.services import (
    RegistryChanges,
    create_registry,
    ensure_model_registry,
    update_registry,
)
from artifacts.tests.factories import make_version
from artifacts.versions.links import link_version
from tests.factories import ProjectFactory, TeamFactory, UserFactory, make_member
from wandb_api.tests.asking import Asker
from wandb_api.tests.registries.conftest import Acme

pytestmark = pytest.mark.django_db

REGISTRIES = """query R($org: String!, $filters: JSONString, $after: String, $first: Int, $order: String) {
  organization(name: $org) { orgEntity { name entityType
    projects(filters: $filters, after: $after, first: $first, order: $order) {
      pageInfo { endCursor hasNextPage }
      edges { node { id internalId name entity { name organization { name } } description createdAt updatedAt access
        allowAllArtifactTypes: allowAllArtifactTypesInRegistry
        artifactTypes(includeAll: true) { edges { node { name } } }
      } } } } } }"""
COLLECTIONS = """query C($org: String!, $registries: JSONString, $filters: JSONString,
    $types: [ArtifactCollectionType!] = [PORTFOLIO]) {
  organization(name: $org) { orgEntity { artifactCollections(projectFilters: $registries, filters: $filters,
      collectionTypes: $types) { totalCount pageInfo { hasNextPage } edges { node { __typename id name
      project { name entity { name } } type: defaultArtifactType { name } tags { edges { node { name } } } } } }
  } } }"""
VERSIONS = """query V($org: String!, $registries: JSONString, $collections: JSONString, $filters: JSONString,
    $first: Int) {
  organization(name: $org) { orgEntity { artifactMemberships(projectFilters: $registries,
      collectionFilters: $collections, filters: $filters, first: $first) { pageInfo { endCursor hasNextPage }
      edges { node { id versionIndex aliases { alias } artifactCollection { name project { name entity { name } } }
        artifact { id metadata artifactSequence { name project { name entity { name } } } versionIndex
          aliases { alias artifactCollection { name project { name } } } } } } } } } }"""


def found(asker: Asker, query: str, what: str, **variables: Any) -> list[dict[str, Any]]:
    """Return the nodes of a list of the organization acme; filters are given as objects."""
    texts = {name: json.dumps(one) if isinstance(one, dict) else one for name, one in variables.items()}
    organization = asker.ask(query, org="acme", **texts).data["organization"]
    return [edge["node"] for edge in organization["orgEntity"][what]["edges"]]


def names_of(asker: Asker, **variables: Any) -> list[str]:
    """Return the names of registries, without their prefix."""
    nodes = found(asker, REGISTRIES, "projects", **variables)
    return [node["name"].removeprefix("wandb-registry-") for node in nodes]


class TestRegistries:
    """`api.registries()`, `api.registry()`."""

    def test_say_what_they_are(self, acme: Acme):
        node = next(
            node for node in found(acme.someone(), REGISTRIES, "projects") if "shared" in node["name"]
        )
        assert node["entity"] == {"name": "acme", "organization": {"name": "acme"}}
        assert (node["description"], node["access"], node["allowAllArtifactTypes"]) == (
            "of all",
            "PRIVATE",
            True,
        )
        assert node["artifactTypes"] == {"edges": [{"node": {"name": "model"}}]}

    def test_all_types_are_told_at_once(self, acme: Acme):
        """SDKs ask for no second page of them."""
        names = [f"type{number}" for number in range(70)]
        changes = RegistryChanges(all_types_allowed=False, types_to_add=names)
        update_registry(actor=SYSTEM, registry=acme.registry, changes=changes)
        [node] = found(acme.someone(), REGISTRIES, "projects", filters={"name": "wandb-registry-shared"})
        assert len(node["artifactTypes"]["edges"]) == 71
        assert not node["allowAllArtifactTypes"]

    def test_are_filtered_and_ordered(self, acme: Acme):
        someone, number = acme.someone(), acme.registry.project_id
        assert names_of(someone) == ["dataset", "model", "shared"]
        assert names_of(someone, order="-name") == ["shared", "model", "dataset"]
        for filters in (
            {"name": "wandb-registry-shared"}, {"name": {"$regex": "shar"}}, {"id": number},
            {"description": {"$contains": "all"}, "name": {"$ne": "x"}, "created_at": {"$gt": "2020-01-01"}},
            {"$and": [{"entity_id": acme.registry.project.team_id}, {"id": {"$in": [number, 0]}}]},
        ):  # fmt: skip
            assert "shared" in names_of(someone, filters=filters), filters
        assert names_of(someone, filters={"updated_at": {"$lt": "2020-01-01"}}) == []
        assert acme.someone().ask(REGISTRIES, org="acme", filters='{"state": 1}').messages == [
            "Registries have no column “state”. Available: created_at, description, entity_id, id, name, updated_at."
        ]

    def test_come_in_pages(self, acme: Acme):
        someone, seen, after = acme.someone(), [], ""
        for _ in range(3):
            seen += names_of(someone, first=1, after=after)
            after = str(len(seen))
        assert seen == ["dataset", "model", "shared"]

    def test_that_are_restricted_are_seen_by_members_and_the_organization_s_admins(
        self, acme: Acme, chief: Asker
    ):
        update_registry(actor=SYSTEM, registry=acme.registry, changes=RegistryChanges(everyone_role=""))
        one = {"filters": {"name": "wandb-registry-shared"}}
        assert found(acme.someone("viewer"), REGISTRIES, "projects", **one)[0]["access"] == "RESTRICTED"
        assert names_of(chief, **one) == ["shared"]
        assert names_of(acme.someone(), **one) == []

    def test_of_others_are_told_nobody(self, acme: Acme):
        stranger = Asker(make_member(TeamFactory()))
        for name in ("acme", "nothing"):
            assert stranger.ask(REGISTRIES, org=name).data == {"organization": None}
        entity = 'query { entity(name: "acme") { id } }'
        assert "acme" in stranger.ask(entity).messages[0]

    def test_a_list_of_many_costs_as_many_queries_as_of_one(
        self, acme: Acme, django_assert_max_num_queries: Any
    ):
        someone = acme.someone()
        for number in range(12):
            create_registry(
                actor=SYSTEM, organization=acme.organization, name=f"more{number}", types=["model"]
            )
        with django_assert_max_num_queries(25):
            assert len(names_of(someone)) == 15


ENTITY = """query E($entity: String!, $name: String) { entity(name: $entity) { entityType organization { name }
    project(name: $name) { name access } } }"""


class TestEntity:
    """`FetchRegistry`, `FetchOrgInfoFromEntity`."""

    def test_an_organization_s_holds_its_registries(self, acme: Acme):
        answer = acme.someone().ask(ENTITY, entity="acme", name="wandb-registry-shared").data["entity"]
        assert answer == {
            "entityType": "organization",
            "organization": {"name": "acme"},
            "project": {"name": "wandb-registry-shared", "access": "PRIVATE"},
        }

    def test_a_team_s_names_its_organization_and_holds_its_projects(self, acme: Acme):
        asker = Asker(make_member(acme.vision))
        answer = asker.ask(ENTITY, entity="vision", name="cats").data["entity"]
        assert answer == {
            "entityType": "team", "organization": {"name": "acme"}, "project": {"name": "cats", "access": "PRIVATE"}
        }  # fmt: skip
        assert asker.ask(ENTITY, entity="vision", name="none").data["entity"]["project"] is None

    def test_a_public_team_s_organization_is_not_told_to_strangers(self, acme: Acme):
        ProjectFactory(team=acme.vision, name="open", visibility="public")
        stranger = Asker(make_member(TeamFactory()))
        answer = stranger.ask(ENTITY, entity="vision", name="cats").data["entity"]
        assert (answer["organization"], answer["project"]) == (None, None)

    def test_without_a_name_is_the_viewer_s(self, acme: Acme):
        someone = acme.someone(name="otto")
        assert someone.ask("query { entity { name } }").data == {"entity": {"name": "otto"}}

    def test_a_team_s_model_registry_is_in_the_team(self, acme: Acme):
        ensure_model_registry(actor=SYSTEM, team=acme.vision)
        answer = Asker(make_member(acme.vision)).ask(ENTITY, entity="vision", name="model-registry")
        assert answer.data["entity"]["project"] == {"name": "model-registry", "access": "PRIVATE"}


class TestCollections:
    """`Registry.collections()`."""

    def test_are_of_registries_that_match(self, acme: Acme):
        collection = acme.place.collection
        update_collection(
            actor=SYSTEM, collection=collection, changes=CollectionChanges(tags_to_add=["prod"])
        )
        someone = acme.someone()
        [node] = found(someone, COLLECTIONS, "artifactCollections")
        assert (node["__typename"], node["name"], node["type"]) == (
            "ArtifactPortfolio",
            "net",
            {"name": "model"},
        )
        assert node["project"] == {"name": "wandb-registry-shared", "entity": {"name": "acme"}}
        assert node["tags"] == {"edges": [{"node": {"name": "prod"}}]}
        cases: list[tuple[dict[str, Any], int]] = [
            ({"registries": {"id": acme.registry.project_id}, "filters": {"tag": "prod"}}, 1),
            ({"registries": {"name": "wandb-registry-model"}}, 0), ({"filters": {"name": {"$regex": "^n"}}}, 1),
            ({"filters": {"artifact_collection_id": collection.pk}}, 1), ({"filters": {"tag": "x"}}, 0),
            ({"types": ["SEQUENCE"]}, 0),
        ]  # fmt: skip
        for given, count in cases:
            assert len(found(someone, COLLECTIONS, "artifactCollections", **given)) == count, given

    def test_of_a_restricted_registry_are_not_told(self, acme: Acme):
        update_registry(actor=SYSTEM, registry=acme.registry, changes=RegistryChanges(everyone_role=""))
        assert found(acme.someone(), COLLECTIONS, "artifactCollections") == []
        assert found(acme.someone(), VERSIONS, "artifactMemberships") == []


class TestVersions:
    """`Registry.versions()`."""

    def test_say_nothing_of_a_project_that_is_hidden(self, acme: Acme):
        [node] = found(acme.someone(), VERSIONS, "artifactMemberships")
        here = {"name": "wandb-registry-shared", "entity": {"name": "acme"}}
        assert node["artifactCollection"] == {"name": "net", "project": here}
        assert node["artifact"]["artifactSequence"] == {"name": "net", "project": here}
        for word in ("whiskers", "cats", "vision"):
            assert word not in json.dumps(node)

    def test_say_where_they_come_from_to_who_sees_it(self, acme: Acme):
        [node] = found(Asker(make_member(acme.vision)), VERSIONS, "artifactMemberships")
        assert node["artifact"]["artifactSequence"]["project"] == {
            "name": "cats",
            "entity": {"name": "vision"},
        }

    @pytest.mark.parametrize(
        ("filters", "count"),
        [
            ({"alias": "best"}, 1), ({"alias": "worst"}, 0), ({"tag": "fine"}, 1), ({"version": 0}, 1),
            ({"$or": [{"tag": "none"}, {"alias": {"$in": ["best"]}}]}, 1), ({"created_at": {"$lt": "2020-01-01"}}, 0),
            ({"metadata.accuracy": {"$gt": 0.5}}, 1), ({"metadata.accuracy": {"$gt": 0.95}}, 0),
            ({"metadata.accuracy": 0.9}, 1), ({"metadata.accuracy": {"$ne": 0.9}}, 0),
            ({"metadata.none": {"$exists": False}}, 1), ({"$not": {"metadata.accuracy": {"$exists": True}}}, 0),
            ({"$and": [{"alias": "best"}, {"metadata.accuracy": {"$in": [0.9, "x"]}}]}, 1),
        ],
    )  # fmt: skip
    def test_are_filtered(self, acme: Acme, filters: dict[str, Any], count: int):
        assert len(found(acme.someone(), VERSIONS, "artifactMemberships", filters=filters)) == count

    def test_are_filtered_by_collection_and_registry(self, acme: Acme):
        someone = acme.someone()
        cases: list[tuple[dict[str, Any], int]] = [
            ({"collections": {"name": "net"}}, 1), ({"collections": {"name": "other"}}, 0),
            ({"registries": {"name": "wandb-registry-shared"}, "filters": {"id": acme.place.version_id}}, 1),
            ({"registries": {"name": "wandb-registry-model"}}, 0),
        ]  # fmt: skip
        for given, count in cases:
            assert len(found(someone, VERSIONS, "artifactMemberships", **given)) == count, given

    def test_filters_tell_no_secret_of_the_metadata(self, acme: Acme):
        secret = make_version(
            ProjectFactory(team=acme.vision),
            files={"b": b"b"},
            metadata={"api_key": "sk-0123456789abcdef0123"},
        )
        link_version(actor=SYSTEM, version=secret, project=acme.registry.project, name="secret")
        pattern = {"metadata.api_key": {"$regex": "^sk-0123"}}
        assert found(acme.someone(), VERSIONS, "artifactMemberships", filters=pattern) == []

    @pytest.mark.parametrize(
        ("filters", "words"),
        [
            ({"metadata": "x"}, "metadata.<key>"), ({"metadata.a": {"$in": 1}}, "a list"),
            ({"size_of": 1}, "no column"),
            ({"metadata.a": {"$regex": "("}}, "RE2"), ({"metadata.a": {"$gt": True}}, "a number or a text"),
        ],
    )  # fmt: skip
    def test_what_is_wrong_is_said(self, acme: Acme, filters: dict[str, Any], words: str):
        answer = acme.someone().ask(VERSIONS, org="acme", filters=json.dumps(filters))
        assert answer.status == 400
        assert words in answer.messages[0]

    def test_come_in_pages_newest_link_first_at_a_fixed_cost(
        self, acme: Acme, django_assert_max_num_queries: Any
    ):
        project = ProjectFactory(team=acme.vision, name="many")
        for number in range(8):
            version = make_version(project, f"m{number}", {"x": str(number).encode()})
            link_version(actor=SYSTEM, version=version, project=acme.registry.project, name=f"m{number}")
        someone = acme.someone()
        with django_assert_max_num_queries(30):
            nodes = found(someone, VERSIONS, "artifactMemberships", first=5)
        assert [node["artifactCollection"]["name"] for node in nodes] == ["m7", "m6", "m5", "m4", "m3"]


def test_an_organization_without_advanced_search_says_so(acme: Acme):
    """Else SDKs would send filters and orders of another search."""
    query = '{ organization(name: "acme") { advancedRegistryFeatures { advancedSearch } } }'
    assert acme.someone().ask(query).data["organization"] == {
        "advancedRegistryFeatures": {"advancedSearch": False}
    }


def test_a_person_s_organizations_have_entities(acme: Acme):
    """Of a person in several organizations, or in none, SDKs say themselves that one must be named."""
    query = """query O($name: String!) { entity(name: $name) { organization { name }
        user { organizations { name orgEntity { name } } } } }"""
    someone, nobody = acme.someone(name="otto"), Asker(UserFactory(username="nemo"))
    own = {"name": "acme", "orgEntity": {"name": "acme"}}
    assert someone.ask(query, name="otto").data["entity"] == {
        "organization": None,
        "user": {"organizations": [own]},
    }
    assert nobody.ask(query, name="nemo").data["entity"] == {
        "organization": None,
        "user": {"organizations": []},
    }
