"""Versions in registries on pages: where they are linked, and their protected aliases (ART-5, TEAM-21)."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from access.actions import Preset
from access.actor import SYSTEM
from artifacts.models import Collection, Registry, Version
from artifacts.pages.addresses import names_of, registry_page, version_page
from artifacts.registries import members, services
from artifacts.tests.pages import text_of
from artifacts.tests.registries.people import ADMIN, MEMBER, VIEWER, linked, messages_of, person_with, protect
from teams.models import Organization
from tests.factories import UserFactory, make_member

pytestmark = pytest.mark.django_db


def test_artifacts_in_a_registry_stand_in_it_and_hide_where_they_come_from(
    signed_in: Any, registry: Registry, version: Version
):
    place = linked(registry, version, "best")
    client = signed_in(person_with(registry, VIEWER))
    body = client.get(version_page(place)).content.decode()
    assert f'href="{registry_page(registry)}"' in body
    assert "/wandb-registry-shared/runs" not in body
    assert f"{registry.project.team.name}/wandb-registry-shared/best:v0" in body  # what code names
    assert "A project you cannot see" in body
    assert "/vision/source" not in body
    assert ">model<" not in body.partition("<dt>Source</dt>")[2][:200]
    owner = make_member(version.project.team)
    members.add_members(actor=SYSTEM, registry=registry, users=[owner], role=VIEWER)
    assert "vision / source / model:v0" in text_of(signed_in(owner).get(version_page(place)))


def offered(client: Client, place: Any) -> set[str]:
    return {row.name for row in client.get(version_page(place, "version_link")).context["offered"]}


def test_a_version_is_linked_where_one_may_and_its_type_is_taken(
    signed_in: Any, organization: Organization, registry: Registry, version: Version
):
    services.create_registry(actor=SYSTEM, organization=organization, name="data", everyone_role="member",
                             types=["dataset"])  # fmt: skip
    services.create_registry(actor=SYSTEM, organization=organization, name="look", everyone_role="viewer")
    own = version.memberships.get()
    person = person_with(registry, MEMBER, version.project.team)
    client, page = signed_in(person), version_page(own, "version_link")
    assert offered(client, own) == {"dataset", "model", "shared"}
    assert "Link to registry" in text_of(client.get(version_page(own)))
    answer = client.post(page, {"registry": registry.pk, "name": "released", "aliases": "good, best"})
    assert answer["Location"] == version_page(own)
    place = registry.project.artifact_collections.get(name="released").memberships.get()
    assert set(place.aliases.values_list("name", flat=True)) == {"good", "best", "latest"}
    assert f'<a href="{version_page(place)}">' in messages_of(answer)
    target = client.get(page, {"registry": registry.pk}, headers={"HX-Request": "true"}).content.decode()
    assert '<option value="released">' in target
    assert "<form" not in target


def test_the_team_s_model_registry_is_created_from_the_form_of_links(
    signed_in: Any, organization: Organization, version: Version
):
    """ART-5: also where there is no other registry to link to."""
    Registry.objects.filter(project__team__organization=organization).update(all_types_allowed=False)
    own, team = version.memberships.get(), version.project.team
    client, page = signed_in(make_member(team)), version_page(own, "version_link")
    assert "Link to registry" in text_of(client.get(version_page(own)))
    assert offered(client, own) == set()
    assert "vision has no model registry" in text_of(client.get(page))
    answer = client.post(page, {"create_models": "1"})
    registry = Registry.objects.get(project__name="model-registry", project__team=team)
    assert answer["Location"] == f"{page}?registry={registry.pk}"
    listed = client.get(answer["Location"])
    assert listed.context["chosen"] == registry
    assert "has no model registry" not in text_of(listed)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "Choose a registry"),
        ({"registry": "0"}, "Choose a registry"),
        ({"registry": "shared", "name": ""}, "name"),
        ({"registry": "shared", "name": "best", "aliases": "v3"}, "v3"),
        (
            {"registry": "shared", "name": "best", "aliases": "production"},
            "is protected in the registry shared",
        ),
    ],
)
def test_a_link_that_is_refused_keeps_what_was_typed(
    signed_in: Any, registry: Registry, version: Version, given: dict[str, str], says: str
):
    protect(registry, "production")
    sent = {key: registry.pk if value == "shared" else value for key, value in given.items()}
    client = signed_in(person_with(registry, MEMBER, version.project.team))
    page = version_page(version.memberships.get(), "version_link")
    answer = client.post(page, sent)
    assert answer.status_code == 422
    assert says in text_of(answer)
    assert answer.context["aliases"] == given.get("aliases", "")
    assert not Collection.objects.filter(project=registry.project).exists()


def test_who_may_not_download_links_nothing(signed_in: Any, registry: Registry, version: Version):
    viewer = make_member(version.project.team, Preset.VIEW_ONLY)
    page = version_page(version.memberships.get(), "version_link")
    assert signed_in(viewer).get(page).status_code == 403
    assert "Link to registry" not in text_of(signed_in(viewer).get(version_page(version.memberships.get())))
    assert signed_in(UserFactory()).post(page, {"registry": registry.pk}).status_code == 404


def test_protected_aliases_are_shown_and_refused_on_pages(
    signed_in: Any, registry: Registry, version: Version
):
    place = linked(registry, version, "best", "production")
    protect(registry, "production", "staging")
    client, acts = signed_in(person_with(registry, MEMBER)), version_page(place, "version_aliases")
    body = client.get(version_page(place)).content.decode()
    assert body.count("tag-protected") == 2  # of the version, and in the history of its aliases
    assert "tag-protected" in body.partition("Alias history")[2]
    assert 'name="remove" value="production"' not in body
    assert 'name="remove" value="latest"' in body
    for given in ({"remove": "production"}, {"add": "staging"}):
        answer = client.post(acts, given)
        assert answer["Location"] == version_page(place)
        assert "is protected in the registry shared" in messages_of(answer)
    unlink = reverse("artifacts:versions_delete", args=names_of(place.collection))
    assert "is protected" in messages_of(client.post(unlink, {"version": "0"}))
    assert place.collection.memberships.exists()
    client = signed_in(person_with(registry, ADMIN))
    assert 'name="remove" value="production"' in client.get(version_page(place)).content.decode()
    client.post(acts, {"remove": "production"})
    assert not place.aliases.filter(name="production").exists()


def test_a_member_without_the_right_to_aliases_still_gets_the_page_of_refusals(
    signed_in: Any, registry: Registry, version: Version
):
    place = linked(registry, version, "best")
    client = signed_in(person_with(registry, VIEWER))
    assert client.post(version_page(place, "version_aliases"), {"add": "mine"}).status_code == 403
