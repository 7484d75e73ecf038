"""What becomes of artifacts with their runs, and with accounts that become one."""

from typing import Any

import pytest
from django.urls import reverse

from access.actions import Preset
from access.actor import SYSTEM
from accounts.lifecycle.participants import account_participants
from artifacts.models import Collection, Version
from artifacts.retention import policy
from artifacts.tests.factories import make_version
from artifacts.versions.deletion import restore_version
from common.errors import Conflict
from runs.bulk_actions.catalogue import BULK_ACTIONS
from runs.bulk_actions.deletion import delete_run, delete_runs, restore_run
from runs.models import Run
from runs.projects.deletion import delete_project
from storage.models import Holding
from storage.services import stored_bytes
from teams.account_merge import personal_team
from teams.teams.deletion import delete_team
from tests.factories import ProjectFactory, RunFactory, UserFactory, actor, make_member

pytestmark = pytest.mark.django_db


def names_left() -> set[str]:
    return {version.collection.name for version in Version.objects.live()}


@pytest.fixture
def run() -> Run:
    return RunFactory()


@pytest.mark.parametrize(("values", "left"), [((), {"mine"}), (("artifacts",), set())])
def test_artifacts_of_a_deleted_run_stay_unless_they_are_to_go(run: Run, values: Any, left: set[str]) -> None:
    make_version(run.project, "mine", run=run)
    result = BULK_ACTIONS["delete"](SYSTEM, [run.pk], values)
    assert (result.done, result.kept) == ([run.uid], [])
    assert names_left() == left


def test_what_another_run_logged_too_stays_until_the_last_is_deleted(run: Run) -> None:
    other = RunFactory(project=run.project)
    for each in (run, other):
        make_version(run.project, "shared", run=each)
    delete_run(actor=SYSTEM, run=run, with_artifacts=True)
    assert names_left() == {"shared"}
    delete_run(actor=SYSTEM, run=other, with_artifacts=True)
    assert names_left() == set()


def test_what_another_project_or_nobody_logged_stays(run: Run) -> None:
    make_version(run.project, "nobodys")
    delete_run(actor=SYSTEM, run=run, with_artifacts=True)
    assert names_left() == {"nobodys"}


def test_a_protected_version_is_kept_and_said_to_be(run: Run) -> None:
    version = make_version(run.project, "kept", run=run)
    Version.objects.filter(pk=version.pk).update(is_protected=True)
    result = delete_runs(actor=SYSTEM, run_ids=[run.pk], with_artifacts=True)
    assert result.done == [run.uid]
    assert result.kept == ["kept:v0: This version is protected from deletion; remove the protection first."]
    assert names_left() == {"kept"}


@pytest.mark.parametrize("protects_collection", [False, True])
def test_what_is_protected_keeps_its_project_and_its_team(run: Run, *, protects_collection: bool) -> None:
    version = make_version(run.project, "kept")
    rows = (
        Collection.objects.filter(pk=version.collection_id) if protects_collection else Version.objects.all()
    )
    rows.update(is_protected=True)
    for delete in (
        lambda: delete_project(actor=SYSTEM, project=run.project),
        lambda: delete_team(actor=SYSTEM, team=run.project.team, typed=run.project.team.name),
    ):
        with pytest.raises(Conflict, match="1 artifact version is protected"):
            delete()
    rows.update(is_protected=False)
    delete_project(actor=SYSTEM, project=run.project)
    assert names_left() == set()


def test_what_would_go_is_counted_as_far_as_it_is_seen(client: Any, run: Run) -> None:
    moved = ProjectFactory(name="elsewhere")
    make_version(moved, "hidden", run=run)
    for name, content in {"one": b"1" * 1000, "two": b"2" * 24}.items():
        make_version(run.project, name, {"a.txt": content}, run=run)
    other = RunFactory(project=run.project)
    make_version(run.project, "shared", run=run)
    make_version(run.project, "shared", run=other)
    member = make_member(run.project.team, Preset.ADMIN)
    client.force_login(member)
    address = reverse("runs:outputs", args=[run.project.team.name, run.project.name])
    assert client.get(address, {"uid": run.uid}).json() == {"text": "2 versions, 1.00 KiB"}
    assert client.get(address, {"uid": f"{run.uid},{other.uid}"}).json()["text"].startswith("3 versions")
    assert client.get(address, {"uid": "nothing"}).json() == {"text": "None"}
    result = delete_runs(actor=actor(member), run_ids=[run.pk], with_artifacts=True)
    assert result.kept == []
    assert names_left() == {"hidden", "shared"}


def test_the_storage_page_deletes_artifacts_with_runs_when_it_is_asked_to(client: Any, run: Run) -> None:
    make_version(run.project, "mine", run=run)
    client.force_login(make_member(run.project.team, Preset.ADMIN))
    page = reverse("usage:team_storage_project", args=[run.project.team.name, run.project.name])
    assert 'value="artifacts"' in client.get(page).content.decode()
    client.post(page, {"uid": run.uid, "value": "artifacts"})
    assert names_left() == set()


def test_artifacts_of_a_protected_run_stay(run: Run) -> None:
    make_version(run.project, "mine", run=run)
    Run.objects.filter(pk=run.pk).update(is_protected=True)
    assert delete_runs(actor=SYSTEM, run_ids=[run.pk], with_artifacts=True).done == []
    assert names_left() == {"mine"}


def test_a_restored_run_does_not_bring_its_artifacts_back_but_they_can_be(run: Run) -> None:
    version = make_version(run.project, "mine", run=run)
    restore_run(actor=SYSTEM, run=delete_run(actor=SYSTEM, run=run, with_artifacts=True))
    assert names_left() == set()
    restore_version(actor=SYSTEM, version=version)
    assert names_left() == {"mine"}


def test_rest_deletes_artifacts_with_their_run(client: Any, member_of: Any, run: Run) -> None:
    make_version(run.project, "mine", run=run)
    client.force_login(member_of(run.project.team, Preset.ADMIN))
    answer = client.delete(f"/api/v1/runs/{run.pk}/?delete_artifacts=true")
    assert answer.status_code == 204
    assert names_left() == set()


def test_a_merged_account_brings_its_versions_and_their_bytes() -> None:
    source, target = UserFactory(), UserFactory()
    project = ProjectFactory(team=personal_team(source))
    version = make_version(project, by=actor(source))
    size = stored_bytes(project_id=project.pk)
    policy.set_team_policy(actor=SYSTEM, team=personal_team(target), ttl_s=86_400)
    for participant in account_participants():
        participant.merge(source, target)
    version.refresh_from_db()
    assert version.created_by == target
    assert version.expires_at is not None
    assert stored_bytes(team_id=personal_team(target).pk) == size > 0
    assert not Holding.objects.filter(team_id=personal_team(source).pk).exists()
