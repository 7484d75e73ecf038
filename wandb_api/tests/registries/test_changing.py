"""Creating, changing, renaming and deleting registries as `wandb.Api()` does (ART-5, TEAM-21)."""

from typing import Any

import pytest

from artifacts.models import Registry
from tests.factories import TeamFactory, make_member
from wandb_api.graphql.global_ids import to_id
from wandb_api.tests.asking import Answer, Asker
from wandb_api.tests.registries.conftest import Acme

pytestmark = pytest.mark.django_db

UPSERT = """mutation U($input: UpsertModelInput!) { upsertModel(input: $input) { inserted project { id name access
    description allowAllArtifactTypesInRegistry artifactTypes(includeAll: true) { edges { node { name } } }
    entity { name organization { name } } } } }"""
RENAME = """mutation R($entity: String!, $old: String!, $new: String!) { renameProject(input: {entityName: $entity,
    oldProjectName: $old, newProjectName: $new}) { inserted project { name } } }"""
DELETE = "mutation D($id: String!) { deleteModel(input: {id: $id}) { success } }"
ROLES = ["", "restricted_viewer", "viewer", "member", "admin"]


def upsert(asker: Asker, name: str, entity: str = "acme", **given: Any) -> Answer:
    return asker.ask(UPSERT, input={"entityName": entity, "name": f"wandb-registry-{name}", **given})


class TestCreate:
    def test_by_an_admin_of_the_organization(self, acme: Acme, chief: Asker):
        types = [{"name": "model"}, {"name": "dataset"}]
        made = upsert(
            chief, "new", access="RESTRICTED", description="d", artifactTypes=types,
            allowAllArtifactTypesInRegistry=False,
        ).data["upsertModel"]  # fmt: skip
        assert made["inserted"]
        project = made["project"]
        assert (project["name"], project["access"], project["description"]) == (
            "wandb-registry-new", "RESTRICTED", "d",
        )  # fmt: skip
        assert project["entity"] == {"name": "acme", "organization": {"name": "acme"}}
        assert [edge["node"]["name"] for edge in project["artifactTypes"]["edges"]] == ["dataset", "model"]
        registry = Registry.objects.get(project__name="wandb-registry-new")
        assert [(row.user, row.role) for row in registry.members.all()] == [(chief.user, "admin")]

    def test_of_all_types_for_the_organization(self, acme: Acme, chief: Asker):
        made = upsert(chief, "new", access="PRIVATE", allowAllArtifactTypesInRegistry=True, artifactTypes=[])
        assert made.data["upsertModel"]["project"]["allowAllArtifactTypesInRegistry"]
        assert Registry.objects.get(project__name="wandb-registry-new").everyone_role == "viewer"

    def test_is_refused_to_everybody_else(self, acme: Acme):
        answer = upsert(acme.someone("admin"), "new")
        assert answer.status == 403
        assert "“Create registries” on the organization acme" in answer.messages[0]

    @pytest.mark.parametrize(
        ("name", "given", "words"),
        [
            ("a/b", {}, "/"), ("x" * 120, {}, "at most"), ("new", {"access": "USER_WRITE"}, "PRIVATE, RESTRICTED"),
            ("new", {"artifactTypes": [{"name": "a:b"}]}, "artifact type"),
            ("new", {"artifactTypes": [{"name": "a"}], "allowAllArtifactTypesInRegistry": True}, "of all types"),
            ("new", {"allowAllArtifactTypesInRegistry": False}, "of all types"), ("", {}, "registry name"),
        ],
    )  # fmt: skip
    def test_what_is_wrong_is_said(self, chief: Asker, name: str, given: dict[str, Any], words: str):
        answer = upsert(chief, name, **given)
        assert answer.status == 400
        assert words in answer.messages[0]

    def test_in_a_team_or_where_nothing_is_seen_is_refused(self, acme: Acme, chief: Asker):
        assert "reserved for a registry" in upsert(chief, "new", entity="vision").messages[0]
        stranger = Asker(make_member(TeamFactory()))
        told = {
            upsert(stranger, "new", entity=entity).messages[0].replace(entity, "_")
            for entity in ("acme", "none")
        }
        assert len(told) == 1


class TestChange:
    def test_by_a_registry_admin(self, acme: Acme):
        given: dict[str, Any] = {
            "description": "changed",
            "access": "RESTRICTED",
            "allowAllArtifactTypesInRegistry": False,
        }
        made = upsert(acme.someone("admin"), "shared", artifactTypes=[{"name": "dataset"}], **given)
        changed = made.data["upsertModel"]
        assert not changed["inserted"]
        assert (changed["project"]["description"], changed["project"]["access"]) == ("changed", "RESTRICTED")
        names = [edge["node"]["name"] for edge in changed["project"]["artifactTypes"]["edges"]]
        assert names == ["dataset", "model"]

    def test_saving_what_is_keeps_the_role_of_everybody(self, acme: Acme):
        acme.registry.everyone_role = "member"
        acme.registry.save()
        upsert(acme.someone("admin"), "shared", access="PRIVATE", allowAllArtifactTypesInRegistry=True)
        acme.registry.refresh_from_db()
        assert acme.registry.everyone_role == "member"

    @pytest.mark.parametrize("role", ROLES[:-1])
    def test_is_refused_to_other_roles(self, acme: Acme, role: str):
        answer = upsert(acme.someone(role), "shared", description="changed")
        assert answer.status == 403
        assert "“Edit registries” on the registry shared" in answer.messages[0]


class TestRename:
    def test_by_a_registry_admin(self, acme: Acme):
        names = {"old": "wandb-registry-shared", "new": "wandb-registry-common"}
        renamed = acme.someone("admin").ask(RENAME, entity="acme", **names).data["renameProject"]
        assert renamed == {"inserted": False, "project": {"name": "wandb-registry-common"}}

    @pytest.mark.parametrize("role", ROLES[:-1])
    def test_is_refused_to_other_roles(self, acme: Acme, role: str):
        names = {"old": "wandb-registry-shared", "new": "wandb-registry-common"}
        assert acme.someone(role).ask(RENAME, entity="acme", **names).status == 403

    @pytest.mark.parametrize(
        ("old", "new", "words"),
        [
            ("wandb-registry-shared", "common", "begins with"), ("wandb-registry-none", "wandb-registry-x", "exist"),
            ("wandb-registry-shared", "wandb-registry-model", "already"), ("cats", "dogs", "registries only"),
            ("wandb-registry-shared", "wandb-registry-" + "x" * 120, "at most"),
        ],
    )  # fmt: skip
    def test_what_cannot_be_is_said(self, acme: Acme, chief: Asker, old: str, new: str, words: str):
        answer = chief.ask(RENAME, entity="acme", old=old, new=new)
        assert words in answer.messages[0]


class TestDelete:
    def test_by_a_registry_admin_keeps_the_versions(self, acme: Acme):
        someone = acme.someone("admin")
        assert someone.ask(DELETE, id=acme.registry_id).data == {"deleteModel": {"success": True}}
        assert someone.ask(DELETE, id=acme.registry_id).status == 404
        query = '{ project(name: "cats", entityName: "vision") { artifact(name: "whiskers:v0") { state } } }'
        found = Asker(make_member(acme.vision)).ask(query).data["project"]["artifact"]
        assert found == {"state": "COMMITTED"}

    @pytest.mark.parametrize("role", ROLES[:-1])
    def test_is_refused_to_other_roles(self, acme: Acme, role: str):
        assert acme.someone(role).ask(DELETE, id=acme.registry_id).status == 403

    def test_projects_are_none(self, acme: Acme, chief: Asker):
        project = acme.place.version.collection.project
        assert chief.ask(DELETE, id=to_id("Project", project.pk)).status == 404
        assert Asker(make_member(TeamFactory())).ask(DELETE, id=acme.registry_id).status == 404
