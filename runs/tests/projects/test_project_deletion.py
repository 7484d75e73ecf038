"""Deleting projects and bringing them back (TEAM-21)."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from access.engine import visible, who_may
from common.errors import Conflict, Forbidden, Gone, NotFound
from runs import selectors
from runs.access import ProjectAction, RunAction
from runs.bulk_actions import deletion
from runs.lifecycle import purge
from runs.lifecycle import services as lifecycle
from runs.lifecycle.fields import RunFields
from runs.models import Project, Run, SavedView
from runs.projects.deletion import delete_project, restore_project
from runs.projects.services import ensure_project
from runs.tasks import purge_runs
from tests.factories import ProjectFactory, RunFactory, actor, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return ProjectFactory()


@pytest.fixture
def admin(project):
    return make_member(project.team, Preset.ADMIN)


def test_who_may_delete_projects_is_an_admin(project):
    """TEAM-21: projects: delete, undelete: A O."""
    with pytest.raises(Forbidden):
        delete_project(actor=actor(make_member(project.team)), project=project)
    delete_project(actor=actor(project.team.organization.members.first().user), project=project)


def test_a_deleted_project_and_its_runs_are_seen_by_nobody(project, admin):
    run = RunFactory(project=project)
    delete_project(actor=actor(admin), project=project)
    for who in (actor(admin), SYSTEM):
        with pytest.raises(NotFound):
            selectors.get_project(who, project.team.name, project.name)
    assert not visible(actor(admin), ProjectAction.VIEW, Project.objects.filter(is_registry=False)).exists()
    assert Run.objects.get(pk=run.pk).deleted_at is not None
    assert list(selectors.projects_of(actor(admin), project.team)) == []


def test_a_run_that_begins_meanwhile_hears_that_the_project_is_gone(project, admin):
    delete_project(actor=actor(admin), project=project)
    with pytest.raises(Gone, match="was deleted"):
        lifecycle.log_run(actor=SYSTEM, project=project, uid="late", fields=RunFields())


def test_the_name_is_free_at_once(project, admin):
    delete_project(actor=actor(admin), project=project)
    again = ensure_project(actor=actor(admin), team=project.team, name=project.name)
    assert again.pk != project.pk
    assert selectors.get_project(actor(admin), project.team.name, project.name) == again
    with pytest.raises(Conflict, match="same name"):
        restore_project(actor=actor(admin), project=project)


def test_restoring_brings_back_what_went_with_it_and_no_more(project, admin):
    before, with_it = RunFactory(project=project), RunFactory(project=project)
    deletion.delete_run(actor=actor(admin), run=before)
    delete_project(actor=actor(admin), project=project)
    gone = selectors.deleted_projects_of(actor(admin), project.team).get()
    assert vars(gone)["run_count"] == 1  # an annotation, which mypy does not know
    restore_project(actor=actor(admin), project=project)
    assert Run.objects.live().get() == with_it
    assert visible(actor(admin), RunAction.VIEW, Run.objects.live()).get() == with_it


def test_protected_runs_keep_their_project(project, admin):
    """RUN-7: protected runs cannot be deleted, by their tag neither."""
    RunFactory(project=project, tags=["best"])
    Project.objects.filter(pk=project.pk).update(protected_tags=["best"])
    deletion.protect_runs(actor=actor(admin), run_ids=[RunFactory(project=project).pk])
    with pytest.raises(Conflict, match="2 runs are protected"):
        delete_project(actor=actor(admin), project=project)
    assert Project.objects.live().filter(pk=project.pk).exists()


def test_after_a_week_only_tombstones_are_left(project, admin):
    run = RunFactory(project=project)
    lifecycle.finish_run(run_id=run.pk, exit_code=0, at=timezone.now())
    SavedView.objects.create(project=project, name="mine", spec={})
    Project.objects.filter(pk=project.pk).update(description="secret plans")
    delete_project(actor=actor(admin), project=project)
    purge.purge_runs(10)
    assert Run.objects.get(pk=run.pk).purged_at is None
    with time_machine.travel(timezone.now() + timedelta(days=8)):
        with pytest.raises(Gone, match="no longer be restored"):
            restore_project(actor=actor(admin), project=project)
        assert purge_runs() == 1
    row = Project.objects.get(pk=project.pk)
    assert (row.description, SavedView.objects.count()) == ("", 0)
    assert Run.objects.get(pk=run.pk).purged_at is not None


def test_the_page_asks_for_the_name_and_offers_the_way_back(client, project, admin):
    client.force_login(admin)
    where = f"/{project.team.name}/{project.name}/overview/delete"
    client.post(where, {"name": "another"})
    assert Project.objects.live().filter(pk=project.pk).exists()
    page = client.post(where, {"name": project.name}, follow=True)
    assert f'value="{project.pk}"' in page.content.decode()
    client.post(f"/projects/{project.team.name}/deleted", {"restore": project.pk})
    assert Project.objects.live().filter(pk=project.pk).exists()


def test_the_list_of_deleted_projects_costs_the_same_for_many(
    client, project, admin, django_assert_max_num_queries
):
    for _ in range(5):
        row = ProjectFactory(team=project.team)
        RunFactory(project=row)
        delete_project(actor=actor(admin), project=row)
    client.force_login(admin)
    with django_assert_max_num_queries(12):
        assert client.get(f"/projects/{project.team.name}/deleted").status_code == 200


def test_nobody_may_anything_on_a_deleted_project_but_restore_it(project, admin):
    delete_project(actor=actor(admin), project=project)
    assert not who_may(ProjectAction.VIEW, project).exists()
    assert admin in who_may(ProjectAction.DELETE, project)
