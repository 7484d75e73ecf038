"""The end of deleted versions, of drafts and of contents; and the ledger, which says what is left."""

from datetime import timedelta

import pytest
import time_machine
from django.core.management import call_command
from django.utils import timezone

from access.actor import SYSTEM
from artifacts.contents import contents_named
from artifacts.models import ClientId, Content, Entry, PartsUpload, Pin, Version
from artifacts.retention import collector, drafts, ledger, purge
from artifacts.tests.factories import hold_bytes, make_draft, make_version, md5_of
from artifacts.versions.deletion import delete_version, restore_version
from common.errors import Gone
from runs.models import Project, Run
from runs.projects.deletion import delete_project, restore_project
from storage import filesystem
from storage.models import Blob, Holding
from storage.services import stored_bytes
from tests.factories import ProjectFactory, RunFactory

pytestmark = pytest.mark.django_db

KEPT_FOR = timedelta(days=8)


@pytest.fixture
def project() -> Project:
    return ProjectFactory()


def delete(version: Version) -> None:
    delete_version(actor=SYSTEM, version=version, with_aliases=True)


def later(days: float) -> time_machine.travel:
    return time_machine.travel(timezone.now() + timedelta(days=days))


def recount() -> dict[int, tuple[int, int]]:
    """Return how many live and how many deleted versions name each content, counted one by one."""
    found = {pk: [0, 0] for pk in Content.objects.values_list("pk", flat=True)}
    for version in Version.objects.filter(state="committed", purge_began_at=None):
        named = set(
            Entry.objects.filter(version=version, content__isnull=False).values_list("content", flat=True)
        )
        for pk in named | {version.manifest_id or 0}:
            found[pk][version.deleted_at is not None] += 1
    return {pk: (live, trash) for pk, (live, trash) in found.items()}


def counts() -> dict[int, tuple[int, int]]:
    rows = Content.objects.values_list("pk", "live_count", "trash_count")
    return {pk: (live, trash) for pk, live, trash in rows}


def test_a_deleted_version_is_purged_once_nobody_can_restore_it(project: Project) -> None:
    version = make_version(project, files={"a": b"a", "b": b"b"}, client_id="c1", tags=["t"])
    delete(version)
    assert purge.purge_versions(60) == 0
    with later(8):
        assert purge.purge_versions(60) == 1
        assert purge.purge_versions(60) == 0
        with pytest.raises(Gone):
            restore_version(actor=SYSTEM, version=version)
    version.refresh_from_db()
    assert version.manifest is None
    assert not Entry.objects.exists()
    assert not ClientId.objects.exists()
    assert not version.tags.exists()
    assert set(counts().values()) == {(0, 0)}


def test_a_purge_that_was_cut_off_goes_on_and_counts_nothing_twice(project: Project) -> None:
    shared = {"a": b"shared"}
    gone = make_version(project, "one", {**shared, "b": b"own"})
    make_version(project, "two", shared)
    delete(gone)
    with later(8):
        purge.begin_purge(gone.pk)
        purge.begin_purge(gone.pk)
        assert Entry.objects.filter(version=gone).count() == 2
        assert counts() == recount()
        assert purge.purge_versions(60) == 1
    assert counts() == recount()
    assert not Entry.objects.filter(version=gone).exists()


def test_entries_under_way_out_keep_their_contents_from_the_collector(project: Project) -> None:
    gone = make_version(project)
    delete(gone)
    with later(8):
        collector.collect_contents(60)  # what was read at the commit
        purge.begin_purge(gone.pk)
    with later(20):
        assert collector.collect_contents(60).count == 0
        assert purge.purge_versions(60) == 1
    with later(30):
        assert collector.collect_contents(60).count == 2
    assert not Content.objects.exists()


@pytest.mark.parametrize(("days", "purged"), [(6.9, 0), (8, 1)])
def test_live_versions_go_with_their_project_after_the_undo(
    project: Project, days: float, purged: int
) -> None:
    make_version(project)
    delete_project(actor=SYSTEM, project=project)
    with later(days):
        assert purge.purge_versions(60) == purged
        assert counts() == recount()


def test_a_restored_project_keeps_its_artifacts(project: Project) -> None:
    version = make_version(project)
    delete_project(actor=SYSTEM, project=project)
    restore_project(actor=SYSTEM, project=project)
    with later(8):
        assert purge.purge_versions(60) == 0
    assert Version.objects.live().get() == version


def test_a_team_that_is_given_up_waits_for_nothing(project: Project) -> None:
    make_version(project)
    purge.purge_of_team(project.team)
    assert purge.purge_versions(60) == 1
    assert set(counts().values()) == {(0, 0)}


def test_a_draft_is_removed_after_a_week_with_all_that_came_for_it(project: Project) -> None:
    draft = make_draft(project)
    PartsUpload.objects.create(version=draft, key="0" * 32, md5=md5_of(b"x"), path="x")
    assert drafts.sweep_drafts() == 0
    with later(8):
        assert drafts.sweep_drafts() == 1
        assert not Version.objects.exists()
        assert not Pin.objects.exists()
        assert collector.collect_contents(60).count == 2
    assert stored_bytes(project_id=project.pk) == 0


def test_a_draft_of_an_active_run_is_kept(project: Project) -> None:
    run = RunFactory(project=project)
    make_draft(project, run=run)
    Run.objects.filter(pk=run.pk).update(state="running")
    with later(8):
        assert drafts.sweep_drafts() == 0
        Run.objects.filter(pk=run.pk).update(state="finished")
        assert drafts.sweep_drafts() == 1


def test_a_draft_that_was_given_up_is_removed_at_once(project: Project) -> None:
    delete(make_draft(project))
    assert drafts.sweep_drafts() == 1


def test_the_collector_takes_what_nobody_names_after_a_day(project: Project) -> None:
    version = make_version(project)
    kept = hold_bytes(project, b"pinned", pinned_by=make_draft(project, "other"))
    loose = hold_bytes(project, b"loose!")
    assert collector.preview_collection() == collector.Collected()
    with later(1.5):
        assert collector.preview_collection() == collector.Collected(1, 6)
        assert collector.collect_contents(60) == collector.Collected(1, 6)
    assert not Content.objects.filter(pk=loose).exists()
    assert Content.objects.filter(pk=kept).exists()
    assert counts() == recount()
    assert Version.objects.live().get() == version


def test_a_dry_run_frees_nothing(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    hold_bytes(project, b"loose!")
    with later(1.5):
        call_command("collect_artifacts", "--dry-run")
        assert Content.objects.count() == 1
        call_command("collect_artifacts")
    assert [' "bytes": 6' in line for line in capsys.readouterr().out.splitlines()].count(True) == 2
    assert not Content.objects.exists()


def test_what_was_renewed_after_the_first_look_stays(project: Project) -> None:
    pk = hold_bytes(project, b"loose!")
    with later(1.5):
        hold_bytes(project, b"loose!")
        assert collector._free([pk]) == collector.Collected()
    assert contents_named(project.pk, [md5_of(b"loose!")])


def store() -> dict[str, int]:
    """Return the size of each file in the store."""
    until = timezone.now().timestamp() + 3600
    return {location: filesystem.path_of(location).stat().st_size for location in filesystem.locations(until)}


def test_live_trash_and_pending_are_what_lies_in_the_store(project: Project) -> None:
    before = store()
    make_version(project, "live", {"a": b"live" * 10})
    delete(make_version(project, "trash", {"a": b"trash" * 10}))
    hold_bytes(project, b"pending" * 10)
    delete(make_version(project, "gone", {"a": b"gone" * 10}))
    Version.objects.filter(collection__name="gone").update(deleted_at=timezone.now() - KEPT_FOR)
    purge.purge_versions(60)
    parts = {
        "live": Content.objects.filter(live_count__gt=0),
        "trash": Content.objects.filter(live_count=0, trash_count__gt=0),
        "pending": Content.objects.filter(live_count=0, trash_count=0),
    }
    sizes = {name: sum(rows.values_list("size_bytes", flat=True)) for name, rows in parts.items()}
    assert all(sizes.values())
    stored = {location: size for location, size in store().items() if location not in before}
    assert stored.keys() == set(Blob.objects.values_list("location", flat=True))
    assert (
        sum(sizes.values())
        == sum(stored.values())
        == stored_bytes(project_id=project.pk, category="artifact")
    )


def test_the_ledger_is_repaired_where_it_differs(project: Project) -> None:
    make_version(project)
    other = ProjectFactory()
    assert ledger.settle() == 0
    right = stored_bytes(project_id=project.pk)
    Holding.objects.filter(project_id=project.pk).update(size_bytes=1)
    assert ledger.settle() == 1
    assert stored_bytes(project_id=project.pk) == right
    Project.objects.filter(pk=project.pk).update(team=other.team)
    project.refresh_from_db()
    assert ledger.settle(project) == 1
    assert stored_bytes(team_id=other.team_id) == right
    assert list(Holding.objects.values_list("team_id", flat=True)) == [other.team_id]
