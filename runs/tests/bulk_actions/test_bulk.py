"""Acts on one or many runs (RUN-4, RUN-7, TEAM-22)."""

import pytest
from django.urls import reverse

from access.actor import SYSTEM
from access.models import AuditEntry
from common.errors import Conflict, Forbidden
from runs.bulk_actions import annotations, deletion, moving
from runs.lifecycle.fields import RunFields
from runs.lifecycle.services import log_run
from runs.models import Run
from runs.projects import services as projects
from runs.states import RunState
from storage.services import stored_bytes
from teams.models import Visibility
from tests.factories import ProjectFactory, RunFactory, TeamFactory, actor, add_run_file, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def team():
    return TeamFactory(name="vision")


@pytest.fixture
def project(team):
    return ProjectFactory(team=team, name="digits")


@pytest.fixture
def author(team):
    return make_member(team)


def ended(project, **fields):
    run = RunFactory(project=project, **fields)
    Run.objects.filter(pk=run.pk).update(state=RunState.FINISHED)
    run.refresh_from_db()
    return run


def test_tags_are_added_to_and_taken_from_many_runs(project, author):
    """RUN-7."""
    runs = [RunFactory(project=project, user=author, tags=["a"]) for _ in range(3)]
    ids = [run.pk for run in runs]
    annotations.tag_runs(actor=actor(author), run_ids=ids, tags=["b", "a"])
    assert [run.tags for run in Run.objects.filter(pk__in=ids)] == [["a", "b"]] * 3
    annotations.untag_runs(actor=actor(author), run_ids=ids[:2], tags=["a", "never there"])
    assert [run.tags for run in Run.objects.filter(pk__in=ids).order_by("pk")] == [["b"], ["b"], ["a", "b"]]


def test_what_is_not_possible_on_one_run_does_not_stop_the_others(project, author):
    """TEAM-21: a member deletes own runs; the answer names the others and the reason."""
    own, foreign = RunFactory(project=project, user=author), RunFactory(project=project)
    outcome = deletion.delete_runs(actor=actor(author), run_ids=[own.pk, foreign.pk])
    assert outcome.done == [own.uid]
    assert "“Delete any run”" in outcome.refused[foreign.uid]
    assert Run.objects.live().filter(pk=foreign.pk).exists()
    assert AuditEntry.objects.filter(action="run.delete", object_id=str(own.pk)).count() == 1


def test_a_protected_run_is_not_deleted_until_its_protection_goes(project, author):
    """RUN-7, wish 43."""
    run = RunFactory(project=project, user=author)
    deletion.protect_runs(actor=actor(author), run_ids=[run.pk])
    with pytest.raises(Conflict, match="it is protected"):
        deletion.delete_run(actor=actor(author), run=run)
    deletion.unprotect_runs(actor=actor(author), run_ids=[run.pk])
    assert deletion.delete_run(actor=actor(author), run=run).deleted_at


def test_a_tag_can_protect_from_deletion(project, author):
    """RUN-7, wish 43."""
    run = RunFactory(project=project, user=author, tags=["paper"])
    projects.update_project(actor=actor(author), project=project, protected_tags=["paper"])
    with pytest.raises(Conflict, match="paper"):
        deletion.delete_run(actor=actor(author), run=run)
    annotations.untag_runs(actor=actor(author), run_ids=[run.pk], tags=["paper"])
    deletion.delete_run(actor=actor(author), run=run)


def test_a_run_moves_with_its_bytes_and_its_id(project, author, team):
    """RUN-7, BIL-4."""
    run, target = ended(project, user=author), ProjectFactory(team=team, name="kept")
    size = add_run_file(run, "model.bin", b"x" * 1000).size_bytes
    outcome = moving.move_runs(actor=actor(author), run_ids=[run.pk], project=target)
    assert (outcome.done, outcome.refused) == ([run.uid], {})
    moved = Run.objects.get(pk=run.pk)
    assert (moved.project, moved.uid, moved.number) == (target, run.uid, 1)
    assert (stored_bytes(project_id=project.pk), stored_bytes(project_id=target.pk)) == (0, size)
    assert stored_bytes(team_id=team.pk) == size


def test_the_owner_of_the_target_project_gets_no_right_over_the_run(author, team, project):
    """TEAM-22."""
    owner = make_member(team)
    target = projects.create_project(actor=actor(owner), team=team, name="owned")
    run = ended(project, user=author)
    moving.move_runs(actor=actor(author), run_ids=[run.pk], project=target)
    with pytest.raises(Forbidden):
        deletion.delete_run(actor=actor(owner), run=run)


def test_moving_needs_log_in_the_target(project, author):
    """TEAM-21."""
    far = ProjectFactory(visibility=Visibility.PUBLIC)
    with pytest.raises(Forbidden, match="“Log runs”"):
        moving.move_runs(actor=actor(author), run_ids=[ended(project, user=author).pk], project=far)


def test_a_run_stays_that_still_posts_or_whose_id_is_taken(project, author, team):
    """RUN-7, RUN-9."""
    target = ProjectFactory(team=team)
    running, twice = RunFactory(project=project, user=author), ended(project, user=author, uid="same")
    deletion.delete_run(actor=SYSTEM, run=RunFactory(project=target, uid="same"))
    ids = [running.pk, twice.pk]
    outcome = moving.move_runs(actor=actor(author), run_ids=ids, project=target)
    assert outcome.done == []
    assert "is logging to" in outcome.refused[running.uid]
    assert "or had" in outcome.refused["same"]


def test_nothing_leaves_a_restricted_project(team):
    restricted = ProjectFactory(team=team, visibility=Visibility.RESTRICTED)
    run = ended(restricted)
    outcome = moving.move_runs(actor=SYSTEM, run_ids=[run.pk], project=ProjectFactory(team=team))
    assert "cannot be moved out" in outcome.refused[run.uid]


def test_a_project_numbers_a_run_that_moved_in(project, team):
    target = ProjectFactory(team=team)
    first = RunFactory(project=target)
    moving.move_runs(actor=SYSTEM, run_ids=[ended(project).pk], project=target)
    after, _ = log_run(actor=SYSTEM, project=target, uid="after", fields=RunFields())
    assert (first.number, after.number) == (1, 3)


@pytest.mark.parametrize("act", ["delete", "tag", "protect", "group"])
def test_the_number_of_statements_does_not_grow_with_the_runs(
    client, project, author, act, django_assert_max_num_queries
):
    client.force_login(author)
    uids = [RunFactory(project=project, user=author).uid for _ in range(25)]
    with django_assert_max_num_queries(20):
        answer = client.post(reverse("runs:act", args=["vision", "digits", act]), {"uid": uids, "value": "x"})
    assert answer.json()["done"] == 25


def test_an_act_answers_how_to_undo_it(client, project, author):
    """RUN-7: undo."""
    client.force_login(author)
    run, foreign = RunFactory(project=project, user=author), RunFactory(project=project)
    url = reverse("runs:act", args=["vision", "digits", "delete"])
    answer = client.post(url, {"uid": [run.uid, foreign.uid]}).json()
    assert answer["done"] == 1
    assert answer["undo"] == {"act": "restore", "uid": [run.uid]}
    assert [refusal["uid"] for refusal in answer["refused"]] == [foreign.uid]
    restored = client.post(reverse("runs:act", args=["vision", "digits", "restore"]), {"uid": run.uid})
    assert restored.json()["done"] == 1
    assert Run.objects.live().filter(pk=run.pk).exists()


def test_stopping_many_asks_the_active_ones(client, project, author):
    """RUN-4."""
    client.force_login(author)
    active, over = RunFactory(project=project, user=author), ended(project, user=author)
    url = reverse("runs:act", args=["vision", "digits", "stop"])
    answer = client.post(url, {"uid": [active.uid, over.uid]}).json()
    assert answer["done"] == 1
    assert "has ended" in answer["refused"][0]["reason"]
    assert Run.objects.get(pk=active.pk).stop_requested_at


def test_an_act_on_all_runs_of_a_filter_leaves_out_what_was_unticked(client, project, author):
    """RUN-22: bulk select over all pages."""
    client.force_login(author)
    chosen = [RunFactory(project=project, user=author, group="g") for _ in range(3)]
    other = RunFactory(project=project, user=author)
    url = reverse("runs:act", args=["vision", "digits", "tag"])
    what = {"all": "1", "filter": 'group = "g"', "except": chosen[0].uid, "value": "x"}
    assert client.post(url, what).json()["done"] == 2
    tagged = set(Run.objects.exclude(tags=[]).values_list("pk", flat=True))
    assert tagged == {run.pk for run in chosen[1:]}
    assert other.pk not in tagged
