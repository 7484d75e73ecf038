"""REST: registries, who is in them, and the collections they hold (ART-5)."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from access.actions import Preset
from access.actor import SYSTEM
from accounts.models import User
from artifacts.models import Registry, RegistryMember, RegistryRole, Version
from artifacts.registries import members, services
from artifacts.tests.factories import make_version
from artifacts.tests.test_api import asking
from artifacts.versions.links import link_version
from ingest.key_scopes import READ_ONLY
from runs.models import Project
from teams.models import Organization, Team
from tests.factories import ProjectFactory, TeamFactory, make_member

pytestmark = pytest.mark.django_db
Ask = Callable[..., Any]


@pytest.fixture
def path(registry: Registry) -> str:
    return f"/registries/{registry.project.team.name}/shared/"


def asker_with(client: Client, registry: Registry, team: Team, role: str) -> Ask:
    person = make_member(team)
    if role:
        members.add_members(actor=SYSTEM, registry=registry, users=[person], role=role)
    return asking(client, person)


def test_an_admin_of_the_organization_creates_a_registry(
    client: Client, organization: Organization, chief: User
):
    body = {
        "organization": organization.name, "name": "speech", "description": "What we ship.",
        "everyone_role": "member", "types": ["model"],
    }  # fmt: skip
    status, found = asking(client, chief)("POST", "/registries/", body)
    assert status == 201
    assert found == found | {
        "entity": organization.name, "organization": organization.name, "name": "speech",
        "project": "wandb-registry-speech", "description": "What we ship.", "everyone_role": "member",
        "is_restricted": False, "all_types_allowed": False, "types": ["model"], "protected_aliases": [],
        "role": "admin", "collection_count": 0, "version_count": 0, "last_linked_at": None, "deleted_at": None,
    }  # fmt: skip
    assert asking(client, chief)("POST", "/registries/", body)[0] == 409


@pytest.mark.parametrize(
    "bad",
    [
        {"name": "a/b"}, {"name": ""}, {"everyone_role": "admin"}, {"everyone_role": None}, {"types": ["a:b"]},
        {"types": "model"}, {"name": "x" * 200}, {"unknown": 1},
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(
    client: Client, organization: Organization, chief: User, bad: dict[str, Any]
):
    body = {"organization": organization.name, "name": "speech"} | bad
    before = Registry.objects.count()
    assert asking(client, chief)("POST", "/registries/", body)[0] == 400
    assert Registry.objects.count() == before


def test_who_is_no_admin_of_the_organization_creates_none(
    client: Client, organization: Organization, team: Team
):
    body = {"organization": organization.name, "name": "speech"}
    assert asking(client, make_member(team, Preset.ADMIN))("POST", "/registries/", body)[0] == 403
    assert asking(client, make_member(TeamFactory()))("POST", "/registries/", body)[0] == 404
    assert asking(client, None)("POST", "/registries/", body)[0] in {401, 404}


@pytest.mark.parametrize(
    ("role", "sees", "changes"),
    [
        ("", 404, 404), ("restricted_viewer", 200, 403), ("viewer", 200, 403), ("member", 200, 403),
        ("admin", 200, 200),
    ],
)  # fmt: skip
def test_what_each_role_may(
    client: Client, registry: Registry, team: Team, *, role: str, sees: int, changes: int
):
    path = f"/registries/{registry.project.team.name}/shared/"
    ask = asker_with(client, registry, team, role)
    status, found = ask("GET", path)
    assert (status, found.get("role")) == (sees, role or None)
    assert ask("GET", f"{path}members/")[0] == sees
    assert ask("PATCH", path, {"description": "new"})[0] == changes
    assert ask("PATCH", path, {"protected_aliases": ["production"]})[0] == changes
    given = {"username": make_member(team).username, "role": "viewer"}
    assert ask("POST", f"{path}members/", given)[0] == (201 if changes == 200 else changes)
    assert ask("DELETE", path)[0] == (204 if changes == 200 else changes)


def test_an_admin_of_the_organization_protects_no_alias_and_then_nothing_is_changed(
    client: Client, registry: Registry, path: str, chief: User
):
    body = {"description": "new", "protected_aliases": ["production"]}
    status, found = asking(client, chief)("PATCH", path, body)
    assert (status, found["error"]["code"]) == (403, "forbidden"), found
    registry.project.refresh_from_db()
    assert registry.project.description == ""


def test_a_registry_is_changed(client: Client, registry: Registry, path: str, team: Team):
    ask = asker_with(client, registry, team, "admin")
    body = {
        "name": "renamed", "description": "new", "everyone_role": "viewer", "all_types_allowed": False,
        "types_to_add": ["model", "dataset"], "protected_aliases": ["production", "staging"],
    }  # fmt: skip
    status, found = ask("PATCH", path, body)
    assert status == 200
    assert found == found | {
        "name": "renamed", "description": "new", "everyone_role": "viewer", "is_restricted": False,
        "all_types_allowed": False, "protected_aliases": ["production", "staging"],
    }  # fmt: skip
    assert sorted(found["types"]) == ["dataset", "model"]
    assert ask("GET", path)[1]["name"] == "renamed"  # code that uses a former name still finds it
    moved = path.replace("shared", "renamed")
    assert ask("PATCH", moved, {"types_to_remove": ["model"]})[1]["types"] == ["dataset"]
    assert ask("PATCH", moved, {"protected_aliases": ["latest"]})[0] == 400
    assert ask("PATCH", moved, {"name": "model"})[0] == 409  # every organization has that one
    assert ask("GET", moved)[1]["protected_aliases"] == ["production", "staging"]


def test_a_type_that_a_collection_uses_is_not_removed(
    client: Client, registry: Registry, path: str, team: Team, version: Version
):
    link_version(actor=SYSTEM, version=version, project=registry.project, name="best")
    ask = asker_with(client, registry, team, "admin")
    status, found = ask("PATCH", path, {"all_types_allowed": False, "types_to_remove": ["model"]})
    assert status == 409
    assert "“best” uses it" in found["error"]["message"]
    assert ask("GET", path)[1]["all_types_allowed"]


def test_a_deleted_registry_is_listed_to_who_may_restore_it(
    client: Client, registry: Registry, path: str, team: Team
):
    ask, other = (asker_with(client, registry, team, role) for role in ("admin", "member"))
    assert ask("DELETE", path)[0] == 204
    assert (ask("GET", path)[0], ask("DELETE", path)[0]) == (404, 404)
    assert [row["name"] for row in ask("GET", "/registries/?deleted=true")[1]["results"]] == ["shared"]
    assert other("GET", "/registries/?deleted=true")[1]["results"] == []
    assert other("POST", f"{path}restore/")[0] == 404
    status, found = ask("POST", f"{path}restore/")
    assert (status, found["deleted_at"]) == (200, None)
    assert other("GET", path)[1]["role"] == "member"


def test_the_list_is_narrowed(client: Client, registry: Registry, organization: Organization, team: Team):
    person = make_member(team)
    services.ensure_model_registry(actor=SYSTEM, team=team)
    ask = asking(client, person)

    def listed(given: str = "") -> list[str]:
        return [row["name"] for row in ask("GET", f"/registries/?{given}")[1]["results"]]

    assert listed() == ["model-registry", "dataset", "model"]
    assert listed("entity=vision") == ["model-registry"]
    assert listed(f"entity={organization.name}") == ["dataset", "model"]
    assert listed(f"organization={organization.name}&search=DATA") == ["dataset"]
    assert listed("entity=nobody") == []
    assert ask("GET", "/registries/?unknown=1")[0] == 400
    assert asking(client, make_member(TeamFactory()))("GET", "/registries/?entity=vision")[1]["results"] == []


def test_a_list_costs_the_same_for_any_number(client: Client, organization: Organization, team: Team):
    ask = asking(client, make_member(team))

    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert ask("GET", "/registries/")[0] == 200
        return len(captured)

    queries()
    few = queries()
    for number in range(8):
        row = services.create_registry(
            actor=SYSTEM, organization=organization, name=f"r{number}", types=["model"]
        )
        services.update_registry(
            actor=SYSTEM, registry=row, changes=services.RegistryChanges(protected_aliases=["best"])
        )
    assert queries() <= few


def test_members_are_people_and_teams(client: Client, registry: Registry, path: str, team: Team):
    ask, person = asker_with(client, registry, team, "admin"), make_member(team)
    status, added = ask("POST", f"{path}members/", {"username": person.username, "role": "member"})
    assert (status, added["username"], added["team"], added["role"]) == (201, person.username, None, "member")
    status, of_team = ask("POST", f"{path}members/", {"team": "vision"})
    assert (status, of_team["username"], of_team["team"], of_team["role"]) == (201, None, "vision", "viewer")
    again = ask("POST", f"{path}members/", {"team": "vision", "role": "admin"})[1]
    assert (again["id"], again["role"]) == (of_team["id"], "viewer")
    assert len(ask("GET", f"{path}members/")[1]["results"]) == 3
    assert ask("PATCH", f"{path}members/{added['id']}/", {"role": "viewer"})[1]["role"] == "viewer"
    assert ask("DELETE", f"{path}members/{of_team['id']}/")[0] == 204
    assert ask("DELETE", f"{path}members/{of_team['id']}/")[0] == 404


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"username": "nobody"},
        {"team": "nobody"},
        {"username": "a", "team": "b"},
        {"team": "vision", "role": "boss"},
    ],
)
def test_who_cannot_be_a_member_is_refused(
    client: Client, registry: Registry, path: str, team: Team, bad: dict[str, str]
):
    ask = asker_with(client, registry, team, "admin")
    assert ask("POST", f"{path}members/", bad)[0] == 400


def test_somebody_of_another_organization_is_told_apart_from_nobody_by_nothing(
    client: Client, registry: Registry, path: str, team: Team
):
    ask, stranger = asker_with(client, registry, team, "admin"), make_member(TeamFactory())
    theirs = ask("POST", f"{path}members/", {"username": stranger.username})
    nobody = ask("POST", f"{path}members/", {"username": "nobody"})
    assert theirs[0] == nobody[0] == 400
    assert theirs[1]["error"]["message"].replace(stranger.username, "nobody") == nobody[1]["error"]["message"]


def test_the_last_registry_admin_stays(client: Client, registry: Registry, path: str, team: Team):
    ask = asker_with(client, registry, team, "admin")
    own = RegistryMember.objects.get(registry=registry)
    assert ask("PATCH", f"{path}members/{own.pk}/", {"role": "viewer"})[0] == 409
    assert ask("DELETE", f"{path}members/{own.pk}/")[0] == 409


def test_a_member_of_another_registry_is_not_found_here(
    client: Client, registry: Registry, path: str, team: Team, organization: Organization
):
    ask = asker_with(client, registry, team, "admin")
    other = RegistryMember.objects.exclude(registry=registry).first()
    assert other is not None
    assert ask("DELETE", f"{path}members/{other.pk}/")[0] == 404
    assert ask("PATCH", f"{path}members/x/", {"role": "viewer"})[0] == 404


def test_its_collections_are_listed_as_others_are(
    client: Client, registry: Registry, path: str, team: Team, organization: Organization
):
    version = make_version(ProjectFactory(team=TeamFactory(organization=organization), name="source"))
    link_version(actor=SYSTEM, version=version, project=registry.project, name="best", aliases=["production"])
    ask = asker_with(client, registry, team, RegistryRole.VIEWER)
    asked = f"entity={organization.name}&project=wandb-registry-shared"
    (row,) = ask("GET", f"/artifact-collections/?{asked}")[1]["results"]
    assert row == row | {
        "entity": organization.name, "project": "wandb-registry-shared", "name": "best", "kind": "portfolio",
        "type": "model", "version_count": 1,
    }  # fmt: skip
    (linked,) = ask("GET", f"/artifact-collections/{row['id']}/versions/")[1]["results"]
    assert (sorted(linked["aliases"]), linked["source"], linked["run"]) == (
        ["latest", "production"],
        None,
        None,
    )
    assert ask("GET", path)[1]["version_count"] == 1
    assert [each["name"] for each in ask("GET", f"/artifact-types/?{asked}")[1]["results"]] == ["model"]
    assert ask("GET", "/artifact-collections/?project=source")[1]["results"] == []


def test_a_key_that_only_reads_sees_no_members_changed(
    client: Client, registry: Registry, path: str, team: Team
):
    person = make_member(team)
    members.add_members(actor=SYSTEM, registry=registry, users=[person], role="admin")
    ask = asking(client, person, READ_ONLY)
    assert ask("PATCH", path, {"description": "new"})[0] in {403, 404}
    assert Project.objects.get(pk=registry.project_id).description == ""
