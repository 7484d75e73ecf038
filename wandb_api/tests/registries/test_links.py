"""Linking into registries, aliases there, and using what is linked, as SDKs do (ART-5, TEAM-21)."""

import re

import pytest

from access.actions import Preset
from access.actor import SYSTEM
from artifacts.models import Registry
from artifacts.registries.services import RegistryChanges, update_registry
from artifacts.tests.factories import make_version
from teams.models import OrganizationMember
from teams.roles.builtin import built_in
from tests.factories import OrganizationFactory, ProjectFactory, make_member
from wandb_api.graphql.global_ids import to_id
from wandb_api.tests.asking import Answer, Asker
from wandb_api.tests.registries.conftest import Acme

pytestmark = pytest.mark.django_db

LINK = """mutation L($id: ID!, $entity: String, $project: String!, $name: String!, $aliases: [ArtifactAliasInput!]) {
  linkArtifact(input: {artifactID: $id, entityName: $entity, projectName: $project, artifactPortfolioName: $name,
    aliases: $aliases}) { versionIndex artifactMembership { artifactCollection { name project { name entity { name }
    } } } } }"""
UNLINK = """mutation U($id: ID!, $collection: ID!) { unlinkArtifact(input: {artifactID: $id,
  artifactPortfolioID: $collection}) { success } }"""
ALIASES = """mutation A($id: ID!, $alias: String!) { %s(input: {artifactID: $id, aliases: [{entityName: "acme",
  projectName: "wandb-registry-shared", artifactCollectionName: "net", alias: $alias}]}) { success } }"""

UPDATE = """mutation U($id: ID!, $description: String, $metadata: JSONString, $tags: [TagInput!]) { updateArtifact(
  input: {artifactID: $id, description: $description, metadata: $metadata, tagsToAdd: $tags}) { artifact { id } } }"""


@pytest.fixture
def vera(acme: Acme) -> Asker:
    """Somebody who sees the project that the version was logged in."""
    return Asker(make_member(acme.vision, username="vera"))


def everybody_is(acme: Acme, role: str) -> None:
    update_registry(actor=SYSTEM, registry=acme.registry, changes=RegistryChanges(everyone_role=role))


def link(asker: Asker, acme: Acme, entity: str = "acme", registry: str = "shared", alias: str = "") -> Answer:
    aliases = [{"artifactCollectionName": "other", "alias": alias}] if alias else []
    return asker.ask(
        LINK, id=acme.version_id, entity=entity, project=f"wandb-registry-{registry}", name="other", aliases=aliases
    )  # fmt: skip


@pytest.mark.parametrize("entity", ["acme", "vision", "vera"])
def test_a_member_links_by_the_name_of_the_organization_a_team_or_themselves(
    acme: Acme, vera: Asker, entity: str
):
    everybody_is(acme, "member")
    made = link(vera, acme, entity).data["linkArtifact"]
    assert made["versionIndex"] == 0
    collection = made["artifactMembership"]["artifactCollection"]
    assert collection == {
        "name": "other",
        "project": {"name": "wandb-registry-shared", "entity": {"name": "acme"}},
    }


def test_a_viewer_is_refused(acme: Acme, vera: Asker):
    answer = link(vera, acme)
    assert answer.status == 403
    assert "“Create artifacts”" in answer.messages[0]
    assert "registry admin of shared can give" in answer.messages[0]
    assert "the team acme" not in answer.messages[0], "it has no members"


def test_a_registry_that_is_missing_and_one_that_is_hidden_are_told_alike(acme: Acme, vera: Asker):
    everybody_is(acme, "")
    told = {link(vera, acme, registry=name).messages[0].replace(name, "_") for name in ("shared", "none")}
    assert len(told) == 1
    other = OrganizationFactory(name="other")
    assert link(vera, acme, other.name, "model").status == 404


def test_a_person_of_two_organizations_is_told_to_name_one(acme: Acme, vera: Asker):
    OrganizationMember.objects.create(
        organization=OrganizationFactory(), user=vera.user, role=built_in(Preset.ORGANIZATION_MEMBER)
    )
    answer = link(vera, acme, "vera")
    assert answer.status == 400
    assert "belongs to several organizations. Name the organization" in answer.messages[0]


def test_a_type_that_is_not_taken_is_named(acme: Acme, vera: Asker):
    changes = RegistryChanges(everyone_role="member", all_types_allowed=False)
    update_registry(actor=SYSTEM, registry=acme.registry, changes=changes)
    rows = make_version(ProjectFactory(team=acme.vision, name="data"), "rows", type_name="dataset")
    answer = vera.ask(
        LINK, id=to_id("Artifact", rows.pk), entity="acme", project="wandb-registry-shared", name="rows"
    )
    assert answer.status == 400
    assert "takes versions of the types model, not “dataset”" in answer.messages[0]


def test_link_model_creates_the_team_s_own_registry(acme: Acme, vera: Asker):
    given = {"id": acme.version_id, "project": "model-registry", "name": "net"}
    assert vera.ask(LINK, entity="vision", **given).data["linkArtifact"]["versionIndex"] == 0
    assert Registry.objects.get(project__team=acme.vision).project.name == "model-registry"
    assert vera.ask(LINK, entity="acme", **given).status == 400


class TestAliases:
    @pytest.fixture(autouse=True)
    def protected(self, acme: Acme) -> None:
        changes = RegistryChanges(protected_aliases=["production", "best"], everyone_role="member")
        update_registry(actor=SYSTEM, registry=acme.registry, changes=changes)

    def test_members_give_and_take_those_that_are_not_protected(self, acme: Acme):
        someone = acme.someone()
        for act in ("addAliases", "deleteAliases"):
            assert someone.ask(ALIASES % act, id=acme.version_id, alias="fine").data == {
                act: {"success": True}
            }

    @pytest.mark.parametrize(("act", "alias"), [("addAliases", "production"), ("deleteAliases", "best")])
    def test_protected_ones_are_the_registry_admins(self, acme: Acme, chief: Asker, act: str, alias: str):
        for asker in (acme.someone("member"), chief):
            answer = asker.ask(ALIASES % act, id=acme.version_id, alias=alias)
            assert answer.status == 403
            assert f"“{alias}” is protected" in answer.messages[0]
        allowed = acme.someone("admin").ask(ALIASES % act, id=acme.version_id, alias=alias)
        assert allowed.data == {act: {"success": True}}

    def test_nor_are_they_given_or_taken_by_linking_and_unlinking(self, acme: Acme, vera: Asker):
        assert link(vera, acme, alias="production").status == 403
        collection = to_id("ArtifactCollection", acme.place.collection_id)
        assert vera.ask(UNLINK, id=acme.version_id, collection=collection).status == 403
        admin = acme.someone("admin")
        assert admin.ask(UNLINK, id=acme.version_id, collection=collection).data["unlinkArtifact"]["success"]

    def test_what_sdks_repeat_of_the_version_with_an_alias_needs_no_permission_unless_it_differs(
        self, acme: Acme
    ):
        """SDKs up to 0.22 send all of a version, also where they only see it in the registry."""
        someone, same = acme.someone(), {"metadata": '{"accuracy": 0.90}', "description": ""}
        answer = someone.ask(UPDATE, id=acme.version_id, **same)
        assert answer.data["updateArtifact"]["artifact"]["id"] == acme.version_id
        for other in ({"metadata": "{}"}, {"description": "other"}, {"tags": [{"tagName": "other"}]}):
            answer = someone.ask(UPDATE, id=acme.version_id, **{**same, **other})
            assert answer.status in {403, 404}
        assert acme.place.version.tags.get().name == "fine"


DOWNLOAD = """{ project(name: "wandb-registry-shared", entityName: "acme") { artifact(name: "net:best") { id
  artifactSequence { name project { name } } createdBy { __typename } usedBy { edges { cursor } }
  files { edges { node { name directUrl storagePath } } } currentManifest { file { directUrl } } } } }"""


class TestDownload:
    def test_by_a_viewer_of_the_registry_alone(self, acme: Acme):
        artifact = acme.someone().ask(DOWNLOAD).data["project"]["artifact"]
        assert artifact["artifactSequence"] == {"name": "net", "project": {"name": "wandb-registry-shared"}}
        [file] = [edge["node"] for edge in artifact["files"]["edges"]]
        assert file["name"] == "a.txt"
        assert re.fullmatch(r"wandb_artifacts/\d+/[0-9a-f]{32}", file["storagePath"])
        assert artifact["currentManifest"]["file"]["directUrl"]
        assert (artifact["createdBy"], artifact["usedBy"]["edges"]) == (None, [])

    def test_is_refused_to_restricted_viewers(self, acme: Acme):
        everybody_is(acme, "restricted_viewer")
        answer = acme.someone().ask(DOWNLOAD)
        assert answer.status == 403
        assert "“Download artifacts”" in answer.messages[0]
