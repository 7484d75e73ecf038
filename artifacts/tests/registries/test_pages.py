"""The pages that show registries: who sees which, and what they tell (ART-5, TEAM-21)."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from access.actions import Preset
from access.actor import SYSTEM
from accounts.models import User
from artifacts.models import Collection, Registry, Version
from artifacts.pages.addresses import collection_page, registry_page, version_page
from artifacts.registries import services
from artifacts.registries.services import RegistryChanges
from artifacts.tests.factories import make_version
from artifacts.tests.pages import text_of
from artifacts.tests.registries.people import ADMIN, MEMBER, VIEWER, linked, person_with, protect
from teams.models import Organization, Team
from tests.factories import TeamFactory, UserFactory, make_member

pytestmark = pytest.mark.django_db
EVIL = '"><script>evil()</script>'


def test_the_list_groups_by_organization_with_model_registries_of_teams_last(
    signed_in: Any, team: Team, organization: Organization, chief: User, registry: Registry
):
    services.ensure_model_registry(actor=SYSTEM, team=team)
    services.create_registry(actor=SYSTEM, organization=TeamFactory().organization, name="foreign")
    answer = signed_in(chief).get(reverse("artifacts:registries"))
    groups = answer.context["groups"]
    assert [group.organization for group in groups] == [organization, None]
    assert [row.registry.name for row in groups[0].rows] == ["dataset", "model", "shared"]
    assert [row.registry.name for row in groups[1].rows] == ["model-registry"]
    text = text_of(answer)
    assert "Create registry" in text
    assert "Members only" in text
    assert "foreign" not in text


def test_the_list_shows_ones_role_and_what_is_in_them(signed_in: Any, registry: Registry, version: Version):
    linked(registry, version)
    answer = signed_in(person_with(registry, VIEWER)).get(reverse("artifacts:registries"))
    rows = {row.registry.name: row for row in answer.context["groups"][0].rows}
    assert rows["shared"].role_name == "Viewer"
    assert (rows["shared"].registry.collection_count, rows["shared"].registry.version_count) == (1, 1)
    assert rows["model"].role_name == "Member"
    assert "Create registry" not in text_of(answer)


def test_who_manages_a_registry_is_called_its_admin_only_with_the_role(
    signed_in: Any, registry: Registry, chief: User
):
    """TEAM-21: the organization's admins may not give protected aliases."""
    answer = signed_in(chief).get(registry_page(registry))
    assert answer.context["role_name"] == "Admin"
    assert signed_in(person_with(registry, ADMIN)).get(registry_page(registry)).context["role_name"] == (
        "Registry admin"
    )


def test_a_restricted_registry_is_not_listed_for_others(signed_in: Any, registry: Registry):
    client = signed_in(person_with(registry, ""))
    assert "shared" not in text_of(client.get(reverse("artifacts:registries")))
    assert client.get(registry_page(registry)).status_code == 404


@pytest.mark.parametrize(
    ("text", "found"),
    [("HARED", {"shared"}), ("serve", {"shared"}), ("wandb-registry", set()), ("nothing like it", set())],
)
def test_a_search_finds_names_and_descriptions_but_no_prefix(
    signed_in: Any, chief: User, registry: Registry, text: str, found: set[str]
):
    changes = RegistryChanges(description="Models that serve traffic.")
    services.update_registry(actor=SYSTEM, registry=registry, changes=changes)
    page, headers = reverse("artifacts:registries"), {"HX-Request": "true"}
    body = signed_in(chief).get(page, {"q": text}, headers=headers).content.decode()
    assert "<html" not in body
    assert {name for name in ("dataset", "model", "shared") if f">{name}</a>" in body} == found


def test_the_page_of_an_organization_lists_its_registries_and_its_teams(
    signed_in: Any, team: Team, organization: Organization, chief: User
):
    services.ensure_model_registry(actor=SYSTEM, team=team)
    client = signed_in(chief)
    groups = client.get(reverse("artifacts:registries_of", args=[organization.name])).context["groups"]
    assert [len(group.rows) for group in groups] == [2, 1]
    groups = client.get(reverse("artifacts:registries_of", args=["vision"])).context["groups"]
    assert [group.organization for group in groups] == [None]
    assert "dataset" in text_of(client.get(reverse("runs:entity", args=[organization.name])))


def test_a_team_without_a_model_registry_gets_the_code_that_creates_it(signed_in: Any, team: Team):
    text = text_of(signed_in(make_member(team)).get(reverse("artifacts:registries_of", args=["vision"])))
    assert 'wandb.init(entity="vision"' in text
    assert "run.link_model(" in text


def test_whoever_may_create_projects_creates_the_team_s_model_registry(signed_in: Any, team: Team):
    """ART-5."""
    page, create = (
        reverse(f"artifacts:{name}", args=["vision"]) for name in ("registries_of", "new_model_registry")
    )
    client = signed_in(make_member(team, Preset.VIEW_ONLY))
    assert "Create model registry" not in text_of(client.get(page))
    assert client.post(create).status_code == 403
    client = signed_in(make_member(team))
    assert "Create model registry" in text_of(client.get(page))
    answer = client.post(create)
    registry = Registry.objects.get(project__name="model-registry", project__team=team)
    assert answer["Location"] == registry_page(registry)
    assert client.post(create)["Location"] == registry_page(registry)
    assert "Create model registry" not in text_of(client.get(page))


def test_an_organization_has_no_model_registry(signed_in: Any, organization: Organization, chief: User):
    """ART-5: its teams have."""
    client = signed_in(chief)
    page, create = (
        reverse(f"artifacts:{name}", args=[organization.name])
        for name in ("registries_of", "new_model_registry")
    )
    assert "Create model registry" not in text_of(client.get(page))
    assert client.post(create).status_code in {400, 404}
    assert not Registry.objects.filter(project__name="model-registry").exists()


def test_the_navigation_leads_there_whoever_is_signed_in(signed_in: Any, client: Client):
    link = f'href="{reverse("artifacts:registries")}"'
    assert link not in client.get(reverse("account_login")).content.decode()
    assert link in signed_in(UserFactory()).get("/").content.decode()


def test_lists_take_as_many_queries_whatever_is_in_them(
    signed_in: Any, organization: Organization, chief: User, registry: Registry, version: Version
):
    client = signed_in(chief)

    def count(page: str) -> int:
        client.get(page)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(page).status_code == 200
        return len(queries)

    linked(registry, version)
    pages = [
        reverse("artifacts:registries"), registry_page(registry), registry_page(registry, "registry_members"),
        reverse("runs:entity", args=[organization.name]),
    ]  # fmt: skip
    before = [count(page) for page in pages]
    for number in range(3):
        more = services.create_registry(
            actor=SYSTEM, organization=organization, name=f"more{number}", types=["model"]
        )
        linked(more, version)
        linked(registry, version, f"other{number}", f"alias{number}")
        person_with(registry, VIEWER)
    assert [count(page) for page in pages] == before


def test_a_registry_shows_its_collections_with_all_their_aliases(
    signed_in: Any, team: Team, registry: Registry, version: Version
):
    linked(registry, version, "best", "production")
    newer = make_version(version.project, "model", {"a.txt": b"newer"})
    place = linked(registry, newer, "best", "candidate")
    protect(registry, "production")
    answer = signed_in(person_with(registry, VIEWER)).get(registry_page(registry))
    (row,) = answer.context["rows"]
    assert row.latest == place
    assert [(alias.name, alias.membership.label) for alias in row.aliases] == [
        ("candidate", "v1"), ("production", "v0")
    ]  # fmt: skip
    body = answer.content.decode()
    assert body.count("tag-protected") == 1
    assert "run.link_artifact" not in body  # a viewer links nothing


def test_collections_are_found_by_name_tag_and_type(
    signed_in: Any, chief: User, registry: Registry, version: Version
):
    first = linked(registry, version, "first").collection
    first.tags.create(name="Streaming")
    linked(registry, make_version(version.project, "data", type_name="dataset"), "second")
    client = signed_in(chief)

    def found(**query: str) -> list[str]:
        return [row.collection.name for row in client.get(registry_page(registry), query).context["rows"]]

    assert found(q="streaming") == ["first"]
    assert found(q="SECO") == ["second"]
    assert found(type="dataset") == ["second"]
    assert found(q="streaming", type="dataset") == []
    assert len(found()) == 2


@pytest.mark.parametrize(
    ("role", "says"),
    [(VIEWER, "Collections appear once a member links"), (MEMBER, "wandb-registry-shared/my-model")],
)
def test_an_empty_registry_says_how_to_link_to_whoever_may(
    signed_in: Any, registry: Registry, role: str, says: str
):
    assert says in text_of(signed_in(person_with(registry, role)).get(registry_page(registry)))


def test_a_model_registry_shows_the_code_of_models(signed_in: Any, team: Team):
    registry = services.ensure_model_registry(actor=SYSTEM, team=team)
    assert "run.link_model(" in text_of(signed_in(make_member(team)).get(registry_page(registry)))


@pytest.mark.parametrize("end", ["", "/overview", "/workspace"])
def test_its_address_as_a_project_leads_to_it(signed_in: Any, registry: Registry, end: str):
    name = registry.project.team.name
    client = signed_in(person_with(registry, VIEWER))
    answer = client.get(f"/{name}/wandb-registry-shared{end}")
    assert answer["Location"] == registry_page(registry)
    assert client.get(reverse("artifacts:artifacts", args=[name, "wandb-registry-shared"]))["Location"] == (
        registry_page(registry)
    )
    assert client.get(f"/{name}/wandb-registry-nothing{end}").status_code == 404


def test_what_people_write_is_no_markup(signed_in: Any, chief: User, registry: Registry, version: Version):
    changes = RegistryChanges(description=EVIL, types_to_add=[], protected_aliases=["<b>bold<b>"])
    services.update_registry(actor=SYSTEM, registry=registry, changes=changes)
    place = linked(registry, version, "best", "<b>bold<b>")
    Collection.objects.filter(pk=place.collection_id).update(description=EVIL)
    place.collection.tags.create(name="<i>tag</i>")
    client, project = signed_in(chief), registry.project
    pages = [
        reverse("artifacts:registries"), registry_page(registry), registry_page(registry, "registry_settings"),
        registry_page(registry, "registry_members"), reverse("runs:entity", args=[project.team.name]),
        collection_page(place.collection), version_page(place), version_page(place, "version_link"),
    ]  # fmt: skip
    for page in pages:
        body = client.get(page).content.decode()
        assert not any(bad in body for bad in ("<script>evil", "<b>bold", "<i>tag")), page
