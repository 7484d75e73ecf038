"""The sections Storage of people and teams, one of their projects, and the same over REST (ACC-8, TEAM-4, BIL-4)."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from billing.models import Plan
from billing.subscriptions.selectors import subscription_of_team
from runs.bulk_actions import deletion
from runs.models import Run
from runs.projects import deletion as project_deletion
from storage.models import ByteEntry
from storage.services import record_bytes
from teams.models import Team, Visibility
from tests.factories import ProjectFactory, RunFactory, TeamFactory, UserFactory, actor, basic, make_member
from tests.plans import put_on
from usage.storage.selectors import storage_of
from usage.templatetags.storage_pages import decimal_size

pytestmark = pytest.mark.django_db

GB = 10**9


def keeps(run: Run, **sizes: int) -> Run:
    """Enter what a run holds, without storing it."""
    for category, size in sizes.items():
        record_bytes(
            team_id=run.project.team_id, project_id=run.project_id, run_id=run.pk, category=category,
            delta_bytes=size,
        )  # fmt: skip
    return run


def deleted(run: Run, days: int = 0) -> Run:
    deletion.delete_run(actor=SYSTEM, run=run)
    Run.objects.filter(pk=run.pk).update(deleted_at=timezone.now() - timedelta(days=days), state="finished")
    return run


@pytest.fixture
def team() -> Team:
    return TeamFactory(name="vision")


@pytest.fixture
def admin(team: Team, client: Client):
    user = make_member(team, Preset.ADMIN)
    client.force_login(user)
    return user


def test_a_team_is_told_what_it_keeps_largest_project_first(team: Team, admin, client: Client):
    for name, size in (("small", 10 * 10**6), ("large", 7 * GB), ("middle", GB)):
        keeps(RunFactory(project=ProjectFactory(team=team, name=name)), file=size, log=5000)
    page = client.get("/teams/vision/storage")
    assert page.status_code == 200
    text = page.content.decode()
    assert text.index("/teams/vision/storage/large") < text.index("/teams/vision/storage/middle")
    assert text.index("/teams/vision/storage/middle") < text.index("/teams/vision/storage/small")
    assert "8.01 GB" in text
    assert "15.0 kB" in text


def test_the_trash_is_told_apart_with_the_days_on_which_it_is_freed(team: Team, admin, settings):
    settings.DELETED_KEPT_DAYS = 7
    project = ProjectFactory(team=team)
    keeps(RunFactory(project=project), file=100)
    deleted(keeps(RunFactory(project=project), file=30, history=5), days=1)
    deleted(keeps(RunFactory(project=project), file=7), days=3)
    kept = storage_of(actor(admin), team).kept
    assert (kept.total_bytes, kept.live_bytes, kept.trash.size_bytes) == (142, 100, 42)
    assert kept.trash.first is not None
    assert kept.trash.last is not None
    assert (kept.trash.first - timezone.now()).days == 3
    assert (kept.trash.last - timezone.now()).days == 5


def test_restricted_projects_of_others_are_counted_and_not_named(team: Team, admin, client: Client):
    hidden = ProjectFactory(team=team, name="secret-plans", visibility=Visibility.RESTRICTED)
    keeps(RunFactory(project=hidden), file=5 * GB)
    keeps(RunFactory(project=ProjectFactory(team=team)), file=GB)
    member = make_member(team, Preset.ADMIN)
    found = storage_of(actor(member), team)
    assert found.kept.total_bytes == 6 * GB
    assert (found.other_count, found.other.total_bytes) == (1, 5 * GB)
    client.force_login(member)
    assert b"secret-plans" not in client.get("/teams/vision/storage").content
    assert client.get("/teams/vision/storage/secret-plans").status_code == 404


def test_what_is_given_up_is_being_freed_now(team: Team, admin, client: Client):
    """The review's D9: it was told to be erased on the day that it would have been."""
    client.force_login(admin)
    project = ProjectFactory(team=team)
    given_up, waiting = (deleted(keeps(RunFactory(project=project), file=5), days=1) for _ in range(2))
    Run.objects.filter(pk=given_up.pk).update(purge_began_at=timezone.now())
    text = client.get("/teams/vision/storage").content.decode()
    assert "erased on" in text
    assert "some of it is being erased now" in text
    Run.objects.filter(pk=waiting.pk).update(purge_began_at=timezone.now())
    text = client.get("/teams/vision/storage").content.decode()
    assert "being erased now" in text
    assert "erased on" not in text


def test_deleted_projects_are_in_the_trash_by_name(team: Team, admin, client: Client):
    project = ProjectFactory(team=team, name="old-ideas")
    keeps(RunFactory(project=project), file=GB)
    project_deletion.delete_project(actor=SYSTEM, project=project)
    found = storage_of(actor(admin), team)
    assert (found.kept.live_bytes, found.kept.trash.size_bytes) == (0, GB)
    assert b"old-ideas" in client.get("/teams/vision/storage").content


@pytest.mark.parametrize("page", ["usage", "storage"])
@pytest.mark.parametrize("kept", [0, 25 * GB])
def test_a_team_is_told_its_allowance_and_the_way_to_the_plan(
    client: Client, team: Team, page: str, kept: int
):
    """TEAM-9: also while nothing is kept; the plan is the organization's, and its teams share it."""
    assert team.organization is not None
    plan = put_on(team.organization, name="Lab", included_storage_gb=100).plan
    other = TeamFactory(organization=team.organization)
    keeps(RunFactory(project=ProjectFactory(team=other)), file=5 * GB)
    if kept:
        keeps(RunFactory(project=ProjectFactory(team=team)), file=kept)
    client.force_login(make_member(team, Preset.ORGANIZATION_ADMIN))
    text = client.get(f"/teams/vision/{page}").content.decode()
    assert "of 100 GB in the plan" in text.replace("</span>", "").replace(
        '<span title="100,000,000,000 bytes">', ""
    )
    assert f">{plan.name}</span>" in text
    assert reverse("billing:overview", args=[team.organization.name]) in text
    assert "(30%)" in text if kept else "(5%)" in text


def test_who_may_not_see_the_plan_is_told_whom_to_ask(client: Client, team: Team, admin):
    """TEAM-9: a link that is refused helps nobody."""
    text = client.get("/teams/vision/usage").content.decode()
    assert "of unlimited storage" in text
    assert reverse("billing:overview", args=[str(team.organization)]) not in text
    assert "can change the plan" in text


def test_ones_own_allowance_is_there_before_anything_is_kept(client: Client):
    """ACC-8: against the plan's allowance, with a link to plans."""
    user = UserFactory()
    client.force_login(user)
    text = client.get("/settings/storage").content.decode()
    assert "of unlimited storage" in text
    assert 'class="storage-plan"' in text
    assert f'href="{reverse("billing:own")}"' in text
    put_on(user, included_storage_gb=100)
    assert "(0%)" in client.get("/settings/storage").content.decode()


def test_personal_billing_links_the_support_contact(client: Client, settings):
    """ACC-24."""
    settings.SUPPORT_CONTACT = "help@example.com"
    client.force_login(UserFactory())
    assert 'href="mailto:help@example.com"' in client.get("/settings/billing").content.decode()


def test_ones_own_entity_is_told_against_its_plan(client: Client):
    """ACC-8."""
    user = UserFactory()
    personal = Team.objects.get(name=user.username)
    subscription = subscription_of_team(personal)
    subscription.plan = Plan.objects.create(key="small", name="Small", included_storage_gb=100)
    subscription.save()
    keeps(RunFactory(project=ProjectFactory(team=personal)), file=25 * GB)
    client.force_login(user)
    text = client.get("/settings/storage").content.decode()
    assert "100 GB" in text
    assert "(25%)" in text
    Plan.objects.filter(key="small").update(included_storage_gb=None)
    text = client.get("/settings/storage").content.decode()
    assert "100 GB" not in text
    assert "unlimited storage" in text


def test_more_than_the_plan_includes_is_said(client: Client):
    user = UserFactory()
    personal = Team.objects.get(name=user.username)
    subscription = subscription_of_team(personal)
    subscription.plan = Plan.objects.create(key="small", name="Small", included_storage_gb=1)
    subscription.save()
    keeps(RunFactory(project=ProjectFactory(team=personal)), file=2 * GB)
    client.force_login(user)
    assert b"Above the limit" in client.get("/settings/storage").content


@pytest.mark.parametrize("path", ["/settings/storage", "/teams/vision/storage"])
def test_who_keeps_nothing_is_told_what_will_come(team: Team, admin, client: Client, path: str):
    assert b"Nothing stored yet" in client.get(path).content


def test_members_without_the_right_are_refused(team: Team, client: Client):
    client.force_login(make_member(team))
    assert client.get("/teams/vision/storage").status_code == 403
    client.force_login(UserFactory())
    assert client.get("/teams/vision/storage").status_code == 404


def test_a_projects_largest_runs_come_first_and_lead_to_their_files(team: Team, admin, client: Client):
    project = ProjectFactory(team=team, name="p")
    small = keeps(RunFactory(project=project), log=5)
    large = keeps(RunFactory(project=project), file=GB)
    text = client.get("/teams/vision/storage/p").content.decode()
    assert text.index(f'value="{large.uid}"') < text.index(f'value="{small.uid}"')
    assert f"/vision/p/runs/{large.uid}/files" in text
    assert f"/vision/p/runs/{small.uid}/files" not in text


def test_chosen_runs_are_deleted_and_go_into_the_trash(team: Team, admin, client: Client):
    project = ProjectFactory(team=team, name="p")
    one, other = (keeps(RunFactory(project=project), file=GB) for _ in range(2))
    page = client.post("/teams/vision/storage/p", {"uid": [one.uid, "no-such-run"]}, follow=True)
    assert "1 run deleted" in page.content.decode()
    assert "Recently deleted" in page.content.decode()
    one.refresh_from_db()
    other.refresh_from_db()
    assert one.deleted_at is not None
    assert other.deleted_at is None


def test_runs_of_another_project_are_left_alone(team: Team, admin, client: Client):
    ProjectFactory(team=team, name="p")
    other = RunFactory(project=ProjectFactory(team=team, name="q"))
    client.post("/teams/vision/storage/p", {"uid": [other.uid]})
    other.refresh_from_db()
    assert other.deleted_at is None


def test_protected_runs_are_named_and_stay(team: Team, admin, client: Client):
    run = RunFactory(project=ProjectFactory(team=team, name="p"))
    deletion.protect_runs(actor=SYSTEM, run_ids=[run.pk])
    page = client.post("/teams/vision/storage/p", {"uid": [run.uid]}, follow=True)
    assert run.uid in page.content.decode()
    run.refresh_from_db()
    assert run.deleted_at is None


@pytest.mark.parametrize(
    "path", ["/teams/vision/storage", "/teams/vision/storage/p", "/api/v1/storage/projects?entity=vision"]
)
def test_pages_make_no_more_queries_for_more_rows_and_read_no_ledger(
    team: Team, admin, client: Client, path: str
):
    project, counts = ProjectFactory(team=team, name="p"), []
    client.get(path)  # the first of a session writes it
    for _ in range(2):
        for _ in range(4):
            keeps(RunFactory(project=project, user=UserFactory()), file=5, log=6)
            keeps(RunFactory(project=ProjectFactory(team=team)), file=5, history=6)
            deleted(keeps(RunFactory(project=project), file=5))
        with CaptureQueriesContext(connection) as seen:
            assert client.get(path).status_code == 200
        counts.append(len(seen))
        assert not any(ByteEntry._meta.db_table in query["sql"] for query in seen)
    assert counts[0] == counts[1]


def test_long_lists_come_in_pages(team: Team, admin, client: Client):
    project = ProjectFactory(team=team, name="p")
    for size in range(1, 28):
        keeps(RunFactory(project=project), file=size)
    first, second = (client.get(f"/teams/vision/storage/p?page={n}").content.decode() for n in (1, 2))
    assert (first.count('name="uid"'), second.count('name="uid"')) == (25, 2)


@pytest.mark.parametrize(
    ("size", "said"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.00 kB"), (9994, "9.99 kB"), (9996, "10.0 kB"), (99_960, "100 kB"),
     (999_400, "999 kB"), (999_600, "1.00 MB"), (1_210_000_000, "1.21 GB"), (5 * 10**19, "50.0 EB")],
)  # fmt: skip
def test_sizes_are_decimal_with_three_figures(size: int, said: str):
    assert decimal_size(size) == said


# -- REST ------------------------------------------------------------------------------------------------------------


def ask(client: Client, secret: str, path: str):
    return client.get(f"/api/v1/storage{path}", headers={"Authorization": basic(secret)})


def test_rest_tells_totals_projects_and_runs(team: Team, client: Client, api_key):
    user = make_member(team, Preset.ADMIN)
    project = ProjectFactory(team=team, name="p")
    run = keeps(RunFactory(project=project, user=user), file=100, history=20)
    deleted(keeps(RunFactory(project=project), log=3))
    secret = api_key(user)
    sizes = {"file": 100, "history": 20, "log": 0, "artifact": 0}
    totals = ask(client, secret, "?entity=vision").json()
    assert totals["trash_freed_from"] == totals["trash_freed_to"] is not None
    del totals["trash_freed_from"], totals["trash_freed_to"]
    assert totals == {
        "entity": "vision", "total_bytes": 123, "live_bytes": 120, "trash_bytes": 3,
        "artifact_trash_bytes": 0, "artifact_pending_bytes": 0, "artifact_uploading_bytes": 0,
        "by_category": sizes | {"log": 3},
    }  # fmt: skip
    [row] = ask(client, secret, "/projects?entity=vision").json()["results"]
    assert row == {"project": "p", "total_bytes": 123, "by_category": sizes | {"log": 3}}
    [row] = ask(client, secret, "/runs?entity=vision&project=p").json()["results"]
    assert (row["uid"], row["user"], row["total_bytes"], row["by_category"]) == (
        run.uid,
        user.username,
        120,
        sizes,
    )


def test_rest_tells_of_ones_own_without_a_name(client: Client, api_key):
    user = UserFactory()
    keeps(RunFactory(project=ProjectFactory(team=Team.objects.get(name=user.username))), file=7)
    assert ask(client, api_key(user), "").json()["total_bytes"] == 7


def test_rest_pages_by_size_and_refuses_other_cursors(team: Team, client: Client, api_key):
    secret = api_key(make_member(team, Preset.ADMIN))
    project = ProjectFactory(team=team, name="p")
    for size in (3, 9, 9, 9, 1):
        keeps(RunFactory(project=project), file=size)
    url, seen = "/runs?entity=vision&project=p&per_page=2", []
    while url:
        page = ask(client, secret, url).json()
        seen += [row["total_bytes"] for row in page["results"]]
        url = page["next"].partition("/api/v1/storage")[2] if page["next"] else ""
    assert seen == [9, 9, 9, 3, 1]
    assert ask(client, secret, "/runs?entity=vision&project=p&cursor=cD1hYmM%3D").status_code == 404
    assert ask(client, secret, "/runs?entity=vision").status_code == 400
