"""A project's overview, deleted runs and comparison (RUN-20, RUN-7, RUN-29)."""

import pytest
from django.urls import reverse

from runs.bulk_actions import deletion
from runs.lifecycle.purge import purge_runs
from runs.models import Project, Run
from teams.models import Visibility
from tests.factories import ProjectFactory, RunFactory, TeamFactory, actor, make_member

pytestmark = pytest.mark.django_db
NAMES = ["vision", "digits"]


@pytest.fixture
def member(client):
    team = TeamFactory(name="vision")
    member = make_member(team)
    ProjectFactory(team=team, name="digits")
    client.force_login(member)
    return member


@pytest.fixture
def project(member):
    return Project.objects.get(name="digits")


def page(client, name, **query):
    return client.get(reverse(f"runs:{name}", args=NAMES), query).content.decode()


def test_the_overview_shows_description_totals_and_people(client, project, member):
    """RUN-20."""
    RunFactory(project=project, user=member, display_name="first-light")
    text = "# Aim\n\n**Digits** <script>alert(1)</script> [out](javascript:alert(1)) ![x](https://far.example/x.png)"
    client.post(reverse("runs:project_update", args=NAMES), {"description": text})
    shown = page(client, "project_overview")
    assert "<strong>Digits</strong>" in shown
    assert "<script>alert" not in shown
    assert 'href="javascript' not in shown
    assert "far.example" not in shown.split('class="prose"')[1].split("</section>")[0]
    assert "first-light" in shown
    assert member.username in shown


def test_who_may_not_edit_sees_no_button_and_is_refused(client, project):
    client.force_login(make_member(TeamFactory()))
    Project.objects.filter(pk=project.pk).update(visibility=Visibility.PUBLIC)
    assert "description-dialog" not in page(client, "project_overview")
    assert client.post(reverse("runs:project_update", args=NAMES), {"description": "x"}).status_code == 403


def test_the_overview_asks_a_fixed_number_of_questions(
    client, project, member, django_assert_max_num_queries
):
    for _ in range(10):
        RunFactory(project=project, user=make_member(project.team))
    with django_assert_max_num_queries(22):
        page(client, "project_overview")


def test_deleted_runs_are_listed_restored_and_given_up(client, project, member):
    """RUN-7: undo for seven days, purge from the page (wish 47)."""
    kept, gone = (RunFactory(project=project, user=member, display_name=name) for name in ("kept", "gone"))
    Run.objects.update(state="finished")
    deletion.delete_runs(actor=actor(member), run_ids=[kept.pk, gone.pk])
    shown = page(client, "deleted")
    assert "kept" in shown
    # the review's D9: only the button of a dialog does it, which says how many and what goes
    before, dialog = shown.split('id="purge-runs"')
    assert 'value="purge"' not in before
    assert 'data-opens="purge-runs"' in before
    assert 'data-count-of="uid"' in dialog
    client.post(reverse("runs:deleted", args=NAMES), {"uid": kept.uid, "act": "restore"})
    client.post(reverse("runs:deleted", args=NAMES), {"uid": gone.uid, "act": "purge"})
    assert Run.objects.live().get().pk == kept.pk
    assert "being erased" in page(client, "deleted")
    assert purge_runs(budget_s=10) == 1
    assert "Nothing deleted" in page(client, "deleted")


def test_nobody_sees_deleted_runs_that_they_could_not_restore(client, project):
    run = RunFactory(project=project, display_name="not mine")
    deletion.delete_run(actor=actor(project.team.memberships.get(role__preset="A").user), run=run)
    assert "not mine" not in page(client, "deleted")


def test_the_visibility_is_changed_by_an_admin(client, project):
    """TEAM-24."""
    url = reverse("runs:project_visibility", args=NAMES)
    assert client.post(url, {"visibility": "public"}).status_code == 403
    client.force_login(project.team.memberships.get(role__preset="A").user)
    assert "visibility-dialog" in page(client, "project_settings")
    client.post(url, {"visibility": "public"})
    assert Project.objects.get(pk=project.pk).visibility == Visibility.PUBLIC
