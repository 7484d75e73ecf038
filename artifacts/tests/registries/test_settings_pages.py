"""What is done to registries on pages: creation, settings, members, deletion (ART-5, TEAM-21)."""

from typing import Any

import pytest
from django.urls import reverse

from access.actor import SYSTEM
from accounts.models import User
from artifacts.models import Registry, RegistryMember, Version
from artifacts.pages.addresses import registry_page
from artifacts.registries import services
from artifacts.tests.pages import text_of
from artifacts.tests.registries.people import (
    ADMIN,
    MEMBER,
    RESTRICTED,
    VIEWER,
    linked,
    messages_of,
    person_with,
)
from teams.models import Organization, Team
from tests.factories import UserFactory, make_member

pytestmark = pytest.mark.django_db


def test_an_admin_of_the_organization_creates_a_registry(
    signed_in: Any, organization: Organization, chief: User
):
    page = reverse("artifacts:new_registry", args=[organization.name])
    client = signed_in(chief)
    assert "Members only" in text_of(client.get(page))
    given = {
        "name": "speech",
        "description": "d",
        "everyone_role": "restricted_viewer",
        "types": "model, dataset",
    }
    answer = client.post(page, given)
    registry = Registry.objects.get(project__name="wandb-registry-speech")
    assert answer["Location"] == registry_page(registry)
    assert registry.everyone_role == RESTRICTED
    assert set(registry.project.artifact_types.values_list("name", flat=True)) == {"model", "dataset"}
    assert registry.members.get().user == chief
    again = client.post(page, given)
    assert again.status_code == 422
    assert "already has a registry" in text_of(again)


def test_only_who_may_creates_one(signed_in: Any, team: Team, organization: Organization):
    page = reverse("artifacts:new_registry", args=[organization.name])
    assert signed_in(make_member(team)).post(page, {"name": "mine"}).status_code == 403
    assert signed_in(UserFactory()).post(page, {"name": "mine"}).status_code == 404
    assert not Registry.objects.filter(project__name="wandb-registry-mine").exists()


@pytest.mark.parametrize("role", [VIEWER, MEMBER])
def test_only_registry_admins_see_the_settings(signed_in: Any, registry: Registry, role: str):
    client, page = signed_in(person_with(registry, role)), registry_page(registry, "registry_settings")
    assert client.get(page).status_code == 403
    assert client.post(page, {"name": "other"}).status_code == 403
    assert page not in client.get(registry_page(registry)).content.decode()


def test_settings_change_name_description_visibility_and_types(signed_in: Any, registry: Registry):
    client, page = signed_in(person_with(registry, ADMIN)), registry_page(registry, "registry_settings")
    client.post(page, {"description": "What we ship."})
    client.post(page, {"everyone_role": "member"})
    client.post(page, {"all_types": "off", "add_types": "model"})
    client.post(page, {"all_types": "off", "add_types": "dataset, model"})
    answer = client.post(page, {"name": "renamed"})
    registry = Registry.objects.get(pk=registry.pk)
    assert answer["Location"] == registry_page(registry, "registry_settings")
    assert (registry.name, registry.project.description, registry.everyone_role) == (
        "renamed", "What we ship.", MEMBER,
    )  # fmt: skip
    assert not registry.all_types_allowed
    assert list(registry.project.artifact_types.values_list("name", flat=True)) == ["dataset", "model"]
    assert "Allow all types" in text_of(client.get(answer["Location"]))
    client.post(answer["Location"], {"all_types": "on"})
    registry.refresh_from_db()
    assert registry.all_types_allowed


def test_types_are_removed_on_the_page_unless_a_collection_uses_them(
    signed_in: Any, registry: Registry, version: Version
):
    """ART-5."""
    linked(registry, version)
    client, page = signed_in(person_with(registry, ADMIN)), registry_page(registry, "registry_settings")
    refused = client.post(page, {"all_types": "off", "add_types": "dataset"})
    assert "“model” cannot be removed" in messages_of(refused)
    client.post(page, {"all_types": "off", "add_types": "dataset, model"})
    assert "Remove the type dataset" in client.get(page).content.decode()
    client.post(page, {"remove_type": "dataset"})
    assert "“model” cannot be removed" in messages_of(client.post(page, {"remove_type": "model"}))
    registry.refresh_from_db()
    assert not registry.all_types_allowed
    assert [row.name for row in registry.project.artifact_types.all()] == ["model"]


def test_a_name_that_cannot_be_is_refused_on_the_page(signed_in: Any, registry: Registry):
    client, page = signed_in(person_with(registry, ADMIN)), registry_page(registry, "registry_settings")
    assert "already has a registry" in messages_of(client.post(page, {"name": "model"}))
    answer = client.post(page, {"name": "a#b"})
    assert answer["Location"] == page
    assert "must not contain" in messages_of(answer)


def test_registry_admins_protect_aliases_and_admins_of_the_organization_do_not(
    signed_in: Any, registry: Registry, chief: User
):
    page = registry_page(registry, "registry_settings")
    client = signed_in(person_with(registry, ADMIN))
    client.post(page, {"add_protected": "production, staging"})
    client.post(page, {"remove_protected": "staging"})
    assert list(registry.protected_aliases.values_list("name", flat=True)) == ["production"]
    assert "cannot be protected" in messages_of(client.post(page, {"add_protected": "latest"}))
    RegistryMember.objects.filter(registry=registry, user=chief).delete()
    client = signed_in(chief)
    assert "Protect an alias" not in text_of(client.get(page))
    assert client.post(page, {"remove_protected": "production"}).status_code == 403


def test_a_registry_is_deleted_by_its_name_and_restored(signed_in: Any, registry: Registry, version: Version):
    linked(registry, version)
    client = signed_in(person_with(registry, ADMIN))
    page = registry_page(registry, "registry_delete")
    assert "Type the registry" in messages_of(client.post(page, {"name": "wrong"}))
    assert client.post(page, {"name": "shared"})["Location"] == reverse("artifacts:deleted_registries")
    assert client.get(registry_page(registry)).status_code == 404
    listed = client.get(reverse("artifacts:deleted_registries"))
    assert [row.collection_count for row in listed.context["rows"]] == [1]
    answer = client.post(reverse("artifacts:deleted_registries"), {"restore": registry.pk})
    assert answer["Location"] == registry_page(registry)
    assert client.get(answer["Location"]).context["rows"]


def test_others_restore_no_registry(signed_in: Any, registry: Registry):
    person = person_with(registry, MEMBER)
    services.delete_registry(actor=SYSTEM, registry=registry)
    client, page = signed_in(person), reverse("artifacts:deleted_registries")
    assert not client.get(page).context["rows"]
    assert "doesn’t exist" in messages_of(client.post(page, {"restore": registry.pk}))
    assert "doesn’t exist" in messages_of(client.post(page, {"restore": "x"}))


def act(registry: Registry, name: str) -> str:
    return reverse("artifacts:registry_members_act", args=[registry.project.team.name, registry.name, name])


def test_members_are_added_changed_and_removed(signed_in: Any, team: Team, registry: Registry):
    admin, person = person_with(registry, ADMIN), make_member(team)
    client = signed_in(admin)
    listed = client.get(registry_page(registry, "registry_members"), {"q": person.username})
    assert listed.context["found"].people == [person]
    client.post(act(registry, "add"), {"user": person.pk, "role": "viewer"})
    client.post(act(registry, "add"), {"team": team.pk, "role": "member"})
    roles = dict(registry.members.exclude(user=admin).values_list("user", "role"))
    assert roles == {person.pk: VIEWER, None: MEMBER}
    listed = client.get(registry_page(registry, "registry_members")).context["members"]
    assert [row.team for row in listed] == [team, None, None]  # on every database
    row = registry.members.get(user=person)
    client.post(act(registry, "role"), {"member": row.pk, "role": "admin"})
    row.refresh_from_db()
    assert row.role == ADMIN
    client.post(act(registry, "remove"), {"member": row.pk})
    assert not registry.members.filter(user=person).exists()
    client.post(act(registry, "everyone"), {"everyone_role": "viewer"})
    registry.refresh_from_db()
    assert registry.everyone_role == VIEWER


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("add", {}, "Choose a person or a team"),
        ("add", {"user": "stranger", "role": "viewer"}, "Choose a person or a team"),
        ("role", {"member": "0", "role": "viewer"}, "no longer in the registry"),
        ("role", {"member": "own", "role": "king"}, "Choose a role"),
        ("role", {"member": "own", "role": "viewer"}, "last registry admin"),
        ("remove", {"member": "own"}, "last registry admin"),
        ("everyone", {}, "Choose a role"),
        ("everyone", {"everyone_role": "admin"}, "can be one of"),
    ],
)
def test_acts_on_members_say_what_is_wrong(
    signed_in: Any, registry: Registry, name: str, given: dict[str, str], says: str
):
    admin = person_with(registry, ADMIN)
    keys = {"stranger": UserFactory().pk, "own": registry.members.get(user=admin).pk}
    registry.members.exclude(user=admin).delete()
    sent = {key: keys.get(value, value) for key, value in given.items()}
    answer = signed_in(admin).post(act(registry, name), sent, headers={"Accept": "text/html"})
    assert answer["Location"] == registry_page(registry, "registry_members")
    assert says in messages_of(answer)


@pytest.mark.parametrize("role", [VIEWER, MEMBER])
def test_others_see_the_members_and_change_none(signed_in: Any, registry: Registry, role: str):
    person = person_with(registry, role)
    client = signed_in(person)
    answer = client.get(registry_page(registry, "registry_members"))
    assert person.username in text_of(answer)
    assert act(registry, "remove") not in answer.content.decode()
    assert client.post(act(registry, "add"), {"user": person.pk, "role": "admin"}).status_code == 403


def test_who_leaves_a_restricted_registry_is_led_out_of_it(signed_in: Any, registry: Registry):
    first, second = person_with(registry, ADMIN), person_with(registry, ADMIN)
    row = registry.members.get(user=second)
    headers = {"Accept": "text/html"}
    answer = signed_in(second).post(act(registry, "remove"), {"member": row.pk}, headers=headers)
    assert answer["Location"] == reverse("artifacts:registries")
    assert registry.members.filter(user=first).exists()


def test_the_table_of_roles_says_what_grants_say(signed_in: Any, registry: Registry):
    answer = signed_in(person_with(registry, VIEWER)).get(registry_page(registry, "registry_members"))
    counts = [
        sum(column) for column in zip(*(cells for _label, cells in answer.context["abilities"]), strict=True)
    ]
    assert counts == [1, 2, 4, 7]
