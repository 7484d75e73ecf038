"""Artifacts on the storage pages and in REST: in use, in the trash, waiting to be erased; and what takes most."""

from typing import Any

import pytest
from django.test import Client

from access.actions import Preset
from access.actor import SYSTEM
from artifacts.lineage.services import use_version
from artifacts.models import Content, PartsUpload
from artifacts.tests.factories import hold_bytes, make_draft, make_version
from artifacts.versions.deletion import delete_version
from runs.projects.deletion import delete_project
from storage import parts
from storage.filesystem import Incoming
from tests.factories import ProjectFactory, RunFactory, actor
from usage.storage.selectors import storage_of, stored_in_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(member_of: Any) -> Any:
    """A project with one live version, a deleted one, and bytes that nothing names."""
    project = ProjectFactory()
    make_version(project, "live", {"a": b"l" * 100})
    gone = make_version(project, "gone", {"a": b"g" * 1000})
    delete_version(actor=SYSTEM, version=gone, with_aliases=True)
    hold_bytes(project, b"p" * 10_000)
    return project


def sums() -> tuple[int, int, int]:
    """Return the bytes in use, in the trash and pending, added up one by one."""
    rows = list(Content.objects.all())
    live = sum(row.size_bytes for row in rows if row.live_count)
    trash = sum(row.size_bytes for row in rows if not row.live_count and row.trash_count)
    return live, trash, sum(row.size_bytes for row in rows) - live - trash


def test_what_is_live_in_the_trash_and_pending_is_told_apart(project: Any, member_of: Any) -> None:
    live, trash, pending = sums()
    admin = actor(member_of(project.team, Preset.ADMIN))
    for kept in (stored_in_project(project), storage_of(admin, project.team).kept):
        assert (kept.artifact_live_bytes, kept.artifact_trash_bytes, kept.artifact_pending_bytes) == (
            live, trash, pending,
        )  # fmt: skip
        assert (kept.trash.size_bytes, kept.trash.freeing_bytes) == (trash + pending, pending)
        assert kept.live_bytes == live
        assert kept.trash.first is not None


def test_parts_of_files_that_are_not_complete_are_told_beside_the_rest(
    project: Any, member_of: Any, client: Client
) -> None:
    draft = make_draft(project, "large")
    for content, key in ((b"x" * 700, "a" * 32), (b"y" * 7, "b" * 32)):
        with Incoming() as incoming:
            incoming.write(content)
            parts.keep(key, 1, "", incoming.finish())
    PartsUpload.objects.create(version=draft, key="a" * 32, md5="m", path="large.bin")
    admin = member_of(project.team, Preset.ADMIN)
    live, trash, pending = sums()
    for kept in (stored_in_project(project), storage_of(actor(admin), project.team).kept):
        assert kept.artifact_uploading_bytes == 700
        assert kept.sizes["artifact"] == live + trash + pending
    client.force_login(admin)
    assert ">700 B</span> of files being uploaded" in (
        client.get(f"/teams/{project.team.name}/storage/{project.name}").content.decode()
    )


def test_all_versions_of_a_deleted_project_are_in_the_trash(project: Any, member_of: Any) -> None:
    live, trash, pending = sums()
    delete_project(actor=SYSTEM, project=project)
    kept = storage_of(actor(member_of(project.team, Preset.ADMIN)), project.team).kept
    assert (kept.artifact_live_bytes, kept.artifact_trash_bytes) == (0, live + trash)
    assert kept.artifact_pending_bytes == pending


def test_the_page_of_a_project_shows_what_takes_most(project: Any, member_of: Any, client: Client) -> None:
    used = make_version(project, "used", {"a": b"u" * 50})
    run = RunFactory(project=project)
    use_version(actor=SYSTEM, run=run, version=used)
    client.force_login(member_of(project.team, Preset.ADMIN))
    shown = client.get(f"/teams/{project.team.name}/storage/{project.name}")
    page = shown.content.decode()
    largest, unused = (places for _heading, places in shown.context["version_lists"])
    assert [place.collection.name for place in largest] == ["live", "used"]
    assert [place.collection.name for place in unused] == ["live"]
    assert [one.name for one in shown.context["largest_collections"]] == ["live", "used"]
    assert f"/{project.team.name}/{project.name}/artifacts/model/live/v0" in page
    assert "gone:v0" not in page


def test_rest_says_what_of_the_trash_is_artifacts(project: Any, member_of: Any, client: Client) -> None:
    _live, trash, pending = sums()
    client.force_login(member_of(project.team, Preset.ADMIN))
    answer = client.get(f"/api/v1/storage/?entity={project.team.name}").json()
    assert (answer["artifact_trash_bytes"], answer["artifact_pending_bytes"]) == (trash, pending)
