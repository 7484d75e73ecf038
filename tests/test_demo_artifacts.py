"""The artifacts of the demo, made through the services."""

import json
from typing import Any

import pytest

from access.actor import SYSTEM
from artifacts.models import Alias, Output, Use, Version
from artifacts.registries.selectors import counted, get_registry, registries_of
from automations.models import Automation
from demo.artifacts import make_artifacts
from demo.people import ORGANIZATION
from demo.registries import make_registries
from storage.filesystem import path_of
from tests.factories import (
    OrganizationFactory,
    ProjectFactory,
    RunFactory,
    TeamFactory,
    UserFactory,
    make_member,
)

pytestmark = pytest.mark.django_db


def test_the_demo_shares_models_and_keeps_what_is_in_production(tmp_path, settings):
    settings.BLOB_ROOT = tmp_path / "blobs"
    ada = UserFactory(username="ada")
    organization = OrganizationFactory(name=ORGANIZATION, admin=ada)
    project = ProjectFactory(
        team=TeamFactory(name="vision", organization=organization, admin=ada), name="diffusion"
    )
    for name in ("minseo", "priya", "nadia"):
        make_member(project.team, username=name)
    RunFactory(project=project, uid="diffusion1")
    RunFactory(project=project, uid="diffusion2")
    make_artifacts()
    make_registries()
    rows: list[Any] = list(counted(registries_of(SYSTEM, organization)))
    counts = {one.name: one.version_count for one in rows}
    assert counts == {"dataset": 1, "model": 4, "production-models": 2}
    restricted = get_registry(SYSTEM, ORGANIZATION, "production-models")
    assert restricted.is_restricted
    assert [str(alias) for alias in restricted.protected_aliases.all()] == ["production"]
    assert {str(one.user or one.team): one.role for one in restricted.members.all()} == {
        "ada": "admin", "priya": "admin", "nadia": "restricted_viewer", "vision": "member",
    }  # fmt: skip
    assert Alias.objects.filter(collection__project=restricted.project, name="production").count() == 1
    assert Automation.objects.get().project == restricted.project


def test_the_demo_has_versions_aliases_lineage_a_table_and_a_release(tmp_path, settings):
    settings.BLOB_ROOT = tmp_path / "blobs"
    project = ProjectFactory(team=TeamFactory(name="vision"), name="diffusion")
    make_member(project.team, username="minseo")
    for number in range(4):
        RunFactory(project=project, uid=f"diffusion{number}")
    make_artifacts()
    aliases = Alias.objects.exclude(name="latest").select_related("collection", "membership")
    assert sorted(f"{one.collection}:{one.membership} {one.name}" for one in aliases) == [
        "released-unet:v0 production", "unet:v3 best",
    ]  # fmt: skip
    assert (Use.objects.count(), Output.objects.count()) == (4, 6)
    assert [one.collection.name for one in Version.objects.deleted()] == ["unet"]
    table = Version.objects.live().get(collection__type__name="run_table")
    entries = {entry.path: entry for entry in table.entries.select_related("content__blob")}
    content = entries["samples.table.json"].content
    assert content is not None
    document = json.loads(path_of(content.blob.location).read_bytes())
    assert {row[1]["path"] for row in document["data"]} == entries.keys() - {"samples.table.json"}
