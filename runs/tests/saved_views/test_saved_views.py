"""Saved views: one's own and the shared ones, and the working state that saves itself (RUN-21, RUN-26)."""

import pytest

from access.actions import Preset
from access.models import AuditEntry
from runs.models import Project, SavedView
from runs.saved_views import selectors as saved_views
from runs.saved_views import services
from tests.factories import (
    ServiceAccountFactory,
    UserFactory,
    actor,
    basic,
    make_key,
    make_member,
)

pytestmark = pytest.mark.django_db

SPEC = {"runs": {"filter": "config.lr > 0.1"}, "panels": {"sections": []}}


@pytest.fixture
def ask(client, project):
    """Ask as a user, with their key: ``ask(user, "get", "views/", name="x")``."""

    def send(user, method, path, query="", **body):
        is_named = method != "get" or path in {"views/", "views/working"}
        names = f"?entity={project.team.name}&project={project.name}{query}" if is_named else ""
        headers = {"Authorization": basic(make_key(user))} if user else {}
        more = {"data": body, "content_type": "application/json"} if method != "get" else {}
        return getattr(client, method)(f"/api/v1/{path}{names}", headers=headers, **more)

    return send


def names(reply):
    return [row["name"] for row in reply.json()["results"]]


def test_ones_own_views_are_seen_by_nobody_else(ask, project):
    """RUN-21: saved per user and project."""
    ann, ben = make_member(project.team), make_member(project.team)
    made = ask(ann, "post", "views/", name="mine", spec=SPEC)
    assert made.status_code == 201
    assert made.json()["spec"] == SPEC
    assert (made.json()["user"], made.json()["shared"]) == (ann.username, False)
    assert names(ask(ann, "get", "views/")) == ["mine"]
    assert names(ask(ben, "get", "views/")) == []
    path = f"views/{made.json()['id']}/"
    assert ask(ann, "get", path).json()["spec"] == SPEC
    for method in ("get", "patch", "delete"):
        assert ask(ben, method, path).status_code == 404
    assert ask(ann, "patch", path, name="renamed", spec={}).json()["name"] == "renamed"
    assert ask(ann, "delete", path).status_code == 204
    assert not SavedView.objects.exists()


def test_shared_views_are_read_by_all_and_written_by_who_may_edit_the_project(ask, project):
    """RUN-26: saved views per user and a shared default."""
    member, viewer = make_member(project.team), make_member(project.team, Preset.VIEW_ONLY)
    made = ask(member, "post", "views/", name="ours", spec=SPEC, shared=True).json()
    assert made["shared"] is True
    assert names(ask(viewer, "get", "views/")) == ["ours"]
    assert ask(viewer, "patch", f"views/{made['id']}", name="theirs").status_code == 403
    assert ask(viewer, "post", "views/", name="too", spec=SPEC, shared=True).status_code == 403
    assert ask(viewer, "post", "views/", name="ours", spec=SPEC).status_code == 201
    assert sorted(names(ask(viewer, "get", "views/"))) == ["ours", "ours"]
    [entry] = AuditEntry.objects.filter(action="project.update", object_id=str(project.pk))
    assert entry.after == {"view": "ours", "done": "created"}


def test_the_working_state_is_merged_part_by_part_over_the_shared_default(ask, project):
    """RUN-21: saved per user and project, shared with the Workspace's run selector."""
    ann, ben = make_member(project.team), make_member(project.team)
    assert ask(ann, "get", "views/working").json() == {"spec": {}, "version": 0, "edited": False}
    ask(ben, "patch", "views/working", "&shared=1", runs={"order": "-summary.acc"}, panels={"a": 1})
    ask(ann, "patch", "views/working", runs={"order": "name"})
    ask(ann, "patch", "views/working", selector={"hidden": ["x"]})
    assert ask(ann, "get", "views/working").json()["spec"] == {
        "runs": {"order": "name"}, "selector": {"hidden": ["x"]}, "panels": {"a": 1},
    }  # fmt: skip
    assert ask(ben, "get", "views/working").json()["spec"] == {
        "runs": {"order": "-summary.acc"},
        "panels": {"a": 1},
    }
    assert ask(ann, "patch", "views/working", runs=None).json()["spec"]["runs"] == {"order": "-summary.acc"}
    assert names(ask(ann, "get", "views/")) == []


def test_who_is_not_signed_in_reads_shared_views_of_public_projects_only(ask, project):
    Project.objects.update(visibility="public")
    services.create_view(
        actor=actor(make_member(project.team)), project=project, name="ours", spec=SPEC, shared=True
    )
    assert names(ask(None, "get", "views/")) == ["ours"]
    assert ask(None, "get", "views/working").status_code == 200
    assert ask(None, "post", "views/", name="mine", spec=SPEC).status_code == 401
    assert ask(None, "patch", "views/working", runs={}).status_code == 401
    stranger = UserFactory()
    assert ask(stranger, "patch", "views/working", runs={"order": "name"}).status_code == 200


def test_views_go_out_of_sight_with_their_project(ask, project):
    ann = make_member(project.team)
    made = ask(ann, "post", "views/", name="mine", spec=SPEC).json()
    ann.memberships.filter(team=project.team).delete()
    assert ask(ann, "get", f"views/{made['id']}").status_code == 404
    assert ask(ann, "get", "views/").status_code == 404


def test_service_accounts_have_views_of_their_own(ask, project):
    bot = ServiceAccountFactory(team=project.team).user
    assert ask(bot, "post", "views/", name="nightly", spec=SPEC).status_code == 201
    assert names(ask(bot, "get", "views/")) == ["nightly"]
    assert names(ask(make_member(project.team), "get", "views/")) == []


def test_names_are_unique_for_an_owner_in_a_project(ask, project):
    ann, ben = make_member(project.team), make_member(project.team)
    for user, shared, status in [
        (ann, False, 201),
        (ann, False, 409),
        (ben, False, 201),
        (ann, True, 201),
        (ben, True, 409),
    ]:
        reply = ask(user, "post", "views/", name=" lr ", spec=SPEC, shared=shared)
        assert reply.status_code == status
    told_why = ask(ann, "post", "views/", name="lr", spec=SPEC).json()["error"]["message"]
    assert "already have a view named “lr”" in told_why


@pytest.mark.parametrize(
    ("spec", "status", "message"),
    [
        ([], 400, "an object whose parts are objects"),
        ({"runs": 1}, 400, "an object whose parts are objects"),
        ({str(number): {} for number in range(21)}, 400, "at most 20 parts"),
        ({"panels": {"x": "y" * 300_000}}, 413, "at most 256 KiB; this one has 293"),
    ],
)
def test_limits_are_told(ask, project, spec, status, message):
    reply = ask(make_member(project.team), "post", "views/", name="x", spec=spec)
    assert reply.status_code == status
    assert message in reply.json()["error"]["message"]


def test_a_name_has_a_limit_and_so_has_the_number_of_views(ask, project, monkeypatch):
    ann = make_member(project.team)
    assert ask(ann, "post", "views/", name="x" * 129, spec=SPEC).status_code == 400
    assert ask(ann, "post", "views/", name="", spec=SPEC).status_code == 400
    monkeypatch.setattr(services, "MAX_VIEWS", 1)
    assert ask(ann, "post", "views/", name="one", spec=SPEC).status_code == 201
    assert "at most 1 views" in ask(ann, "post", "views/", name="two", spec=SPEC).json()["error"]["message"]


@pytest.mark.parametrize(
    "body", ["[" * 100_000, '{"name": "x", "spec": ' + '{"a":' * 500 + "1" + "}" * 501, "{", "[]"]
)
def test_what_is_no_json_object_is_refused(client, project, body):
    header = {"Authorization": basic(make_key(make_member(project.team)))}
    for method, path in [("post", "views/"), ("patch", "views/working/")]:
        url = f"/api/v1/{path}?entity={project.team.name}&project={project.name}"
        assert getattr(client, method)(url, body, "application/json", headers=header).status_code == 400


def test_nul_and_lone_surrogates_are_replaced(project):
    ann = actor(make_member(project.team))
    spec = {"runs": {"search": "a\x00b", "filter": "\ud800"}}
    view = services.create_view(actor=ann, project=project, name="a\x00b", spec=spec)
    view = saved_views.get_view(ann, view.pk)
    assert (view.name, view.spec) == ("a�b", {"runs": {"search": "a�b", "filter": "?"}})


def test_the_list_needs_a_project(client, project):
    header = {"Authorization": basic(make_key(make_member(project.team)))}
    assert client.get("/api/v1/views/", headers=header).status_code == 400
    assert client.get("/api/v1/views/x/", headers=header).status_code == 404
