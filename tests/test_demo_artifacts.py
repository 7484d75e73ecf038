"""The artifacts of the demo, made through the services."""

import json

import pytest

from artifacts.models import Alias, Output, Use, Version
from demo.artifacts import make_artifacts
from storage.filesystem import path_of
from tests.factories import ProjectFactory, RunFactory, TeamFactory, make_member

pytestmark = [pytest.mark.django_db, pytest.mark.portable]


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
