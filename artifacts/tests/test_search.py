"""Ctrl-K finds collections, for those who see them; entries of the audit log lead to pages."""

from typing import Any

import pytest
from django.test import Client

from access.actor import SYSTEM
from access.audit.words import links_of
from access.models import AuditEntry
from artifacts.collections.services import CollectionChanges, update_collection
from artifacts.pages.search import find_collections, find_registries
from artifacts.registries import services
from artifacts.tests.factories import make_version
from artifacts.versions.deletion import delete_version
from artifacts.versions.links import link_version
from common.search import search
from tests.factories import ProjectFactory, TeamFactory, UserFactory, actor, make_member

pytestmark = pytest.mark.django_db


def test_collections_are_found_by_words_of_their_name_and_type(django_assert_num_queries: Any):
    project = ProjectFactory()
    for name in ("cats-small", "cats-large", "dogs"):
        make_version(project, name, type_name="dataset")
    member = actor(make_member(project.team))
    with django_assert_num_queries(1):
        assert [hit.title for hit in find_collections(member, "cats small", 6)] == ["cats-small"]
    hits = list(find_collections(member, "Dataset cats", 6))
    assert {hit.title for hit in hits} == {"cats-small", "cats-large"}
    assert hits[0].detail == f"{project.team.name} / {project.name} / dataset"
    assert list(find_collections(member, " ", 6)) == []
    assert list(find_collections(actor(UserFactory()), "cats", 6)) == []


def test_registries_are_found_by_name_description_and_whose_they_are(django_assert_num_queries: Any):
    """UI-1, ART-5: and their collections by the registry's own name."""
    team = TeamFactory(name="vision")
    shared = services.create_registry(
        actor=SYSTEM, organization=team.organization, name="speech", description="What we ship."
    )
    services.create_registry(
        actor=SYSTEM, organization=team.organization, name="speech-secret", everyone_role=""
    )
    version = make_version(ProjectFactory(team=TeamFactory()), "whisper")
    link_version(actor=SYSTEM, version=version, project=shared.project, name="whisper-best")
    member, organization = actor(make_member(team)), shared.project.team.name
    with django_assert_num_queries(1):
        [hit] = find_registries(member, "speech", 6)
    assert (hit.title, hit.url, hit.detail) == ("speech", f"/registry/{organization}/speech", organization)
    assert [hit.title for hit in find_registries(member, f"{organization} ship", 6)] == ["speech"]
    assert list(find_registries(member, " ", 6)) == []
    assert list(find_registries(actor(UserFactory()), "speech", 6)) == []
    [hit] = find_collections(member, "whisper", 6)
    assert hit.detail == f"{organization} / speech / model"
    assert hit.url == f"/{organization}/wandb-registry-speech/artifacts/model/whisper-best"


def test_a_hit_leads_to_the_collection(client: Client):
    project = ProjectFactory()
    make_version(project, "cats", {"a.txt": b"meow"})
    member = make_member(project.team)
    client.force_login(member)
    [hit] = [hit for found in search(actor(member), "cats") for hit in found.hits]
    assert "cats" in client.get(hit.url).content.decode()


def test_entries_of_the_audit_log_lead_to_the_pages(client: Client, django_assert_num_queries: Any):
    project = ProjectFactory()
    gone, kept = make_version(project, "cats"), make_version(project, "dogs")
    update_collection(
        actor=SYSTEM, collection=kept.collection, changes=CollectionChanges(ttl_s=1, has_ttl=True)
    )
    delete_version(actor=SYSTEM, version=gone, with_aliases=True)
    member = make_member(project.team)
    entries = list(AuditEntry.objects.filter(object_type__startswith="artifacts."))
    with django_assert_num_queries(2):
        links = links_of(actor(member), entries)
    assert set(links) == {
        ("artifacts.Version", str(gone.pk)), ("artifacts.Version", str(kept.pk)),
        ("artifacts.Collection", str(kept.collection_id)),
    }  # fmt: skip
    client.force_login(member)
    assert {client.get(url).status_code for url in links.values()} == {200}
    assert links["artifacts.Version", str(gone.pk)].endswith("/artifacts/deleted")
