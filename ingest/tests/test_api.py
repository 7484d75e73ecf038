"""REST of logging besides the stream: beginning runs, files, alerts, and who may (AGT-8)."""

import json
from datetime import datetime, timedelta

import pytest
import time_machine
from django.core.cache import cache
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from ingest.key_scopes import LOG_RUNS, READ_ONLY
from runs.bulk_actions import deletion
from runs.lifecycle import services as lifecycle
from runs.models import Project, Pulse, Run, RunAlert
from teams.models import Visibility
from tests.factories import (
    ProjectFactory,
    RunFactory,
    ServiceAccountFactory,
    UserFactory,
    basic,
    make_key,
    make_member,
)

pytestmark = pytest.mark.django_db

WRITER = "0123456789abcdef"


@pytest.fixture(autouse=True)
def _fresh_caches():
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def project():
    return ProjectFactory()


@pytest.fixture
def member(project):
    return make_member(project.team)


class Caller:
    """Somebody's requests."""

    def __init__(self, client, owner, **key):
        self.client, self.headers = client, {"Authorization": basic(make_key(owner, **key))}

    def begin(self, project, uid, **body):
        names = {"entity": project.team.name, "project": project.name, "uid": uid}
        return self.post("runs", json.dumps(names | body))

    def post(self, path, body):
        text = body if isinstance(body, str) else json.dumps(body)
        return self.client.post(
            f"/api/v1/{path}", text, content_type="application/json", headers=self.headers
        )

    def standing(self, run, writer=WRITER):
        return self.client.get(f"/api/v1/{at(run)}/stream", {"writer": writer}, headers=self.headers)


def at(run):
    return f"runs/{run.project.team.name}/{run.project.name}/{run.uid}"


@pytest.fixture
def caller(client, member):
    return Caller(client, member)


def code_of(reply):
    return reply.status_code, reply.json()["error"]["code"]


# -- beginning --------------------------------------------------------------------------------------------------------


def test_a_run_is_made_with_what_is_said_of_it_and_gone_on_with(caller, project, member):
    """AGT-8: the client chooses the id, so that it may ask again."""
    said = {
        "display_name": "First", "notes": "n", "tags": ["a", "b"], "group": "g", "job_type": "train", "host": "h",
        "program": "train.py", "git_remote": "https://example.com/x.git", "git_commit": "abc",
    }  # fmt: skip
    reply = caller.begin(project, "one", **said, config={"lr": 0.1})
    told = reply.json()
    assert (reply.status_code, told["inserted"], told["next_step"], told["state"]) == (
        201,
        True,
        0,
        "running",
    )
    assert told["url"] == f"http://testserver/{project.team.name}/{project.name}/runs/one"
    run = Run.objects.get(project=project, uid="one")
    assert {name: getattr(run, name) for name in said} == said
    assert (run.config_flat, run.user) == ({"lr": 0.1}, member)
    again = caller.begin(project, "one", resume="allow", display_name="")
    assert (again.status_code, again.json()["inserted"], again.json()["display_name"]) == (
        200,
        False,
        "First",
    )
    assert Run.objects.filter(project=project).count() == 1


def test_the_default_entity_and_a_new_project_as_for_the_sdk(client):
    person = UserFactory()
    reply = Caller(client, person).post("runs", {"project": "brand-new", "uid": "one"})
    assert (reply.status_code, reply.json()["entity"]) == (201, person.username)
    assert Project.objects.get(name="brand-new").team.name == person.username


def test_a_configuration_may_have_what_json_has_not(caller, project):
    names = {"entity": project.team.name, "project": project.name, "uid": "odd"}
    text = json.dumps(names)[:-1] + ', "config": {"a": NaN, "b": Infinity}}'
    assert caller.post("runs", text).status_code == 201
    assert Run.objects.get(uid="odd").config_flat == {"a": ["NaN"], "b": ["Infinity"]}


def test_never_and_must_say_so_and_leave_nothing_behind(caller, project):
    """AGT-8."""
    run = RunFactory(project=project, uid="there")
    assert code_of(caller.begin(project, "there", resume="never", notes="mine")) == (409, "conflict")
    assert Run.objects.get(pk=run.pk).notes == ""
    assert code_of(caller.begin(project, "missing", resume="must")) == (404, "not_found")
    missing = {"entity": project.team.name, "project": "no-such", "uid": "a", "resume": "must"}
    assert code_of(caller.post("runs", missing)) == (404, "not_found")
    assert not Run.objects.filter(uid="missing").exists()
    assert not Project.objects.filter(name="no-such").exists()
    assert caller.begin(project, "there", resume="must").status_code == 200
    assert caller.begin(project, "new", resume="never").status_code == 201


@pytest.mark.parametrize("resume", ["allow", "must", "never"])
def test_a_deleted_run_is_gone_for_ever(caller, project, resume):
    """RUN-9."""
    deletion.delete_run(actor=SYSTEM, run=RunFactory(project=project, uid="gone"))
    assert code_of(caller.begin(project, "gone", resume=resume)) == (410, "gone")


def test_an_ended_run_runs_again_unless_one_is_only_attached(caller, project):
    """AGT-2: `attached` leaves the run as it is."""
    run = RunFactory(project=project, uid="ended")
    lifecycle.finish_run(run_id=run.pk, exit_code=0, at=timezone.now())
    before = Pulse.objects.get(run=run).heartbeat_at
    told = caller.begin(project, "ended", attached=True, resume="must", notes="mine").json()
    assert (told["state"], told["inserted"]) == ("finished", False)
    assert (Run.objects.get(pk=run.pk).notes, Pulse.objects.get(run=run).heartbeat_at) == ("", before)
    assert code_of(caller.begin(project, "none", attached=True)) == (404, "not_found")
    assert caller.begin(project, "ended").json()["state"] == "running"


def test_a_run_that_is_sent_later_has_the_times_that_its_client_tells(caller, project):
    """RUN-3: of one that began a moment ago, ahead, or before clocks were set, the server's."""
    now = timezone.now()

    def begun(uid, **ago):
        told = caller.begin(project, uid, started_at=(now - timedelta(**ago)).isoformat()).json()
        return now - datetime.fromisoformat(told["created_at"]) > timedelta(minutes=1), bool(
            told["synced_at"]
        )

    assert begun("offline", days=5) == (True, True)
    assert [begun("soon", seconds=30), begun("ahead", days=-2), begun("unset", days=9000)] == [
        (False, False)
    ] * 3
    run = Run.objects.get(uid="offline")
    lifecycle.finish_run(run_id=run.pk, exit_code=0, at=now, claimed_at=now - timedelta(days=4))
    run.refresh_from_db()
    assert (run.runtime_s, run.duration_s, run.finished_at) == (86_400, 86_400, now - timedelta(days=4))
    caller.begin(project, "offline", started_at=(now - timedelta(days=2)).isoformat())
    lifecycle.finish_run(run_id=run.pk, exit_code=0, at=now, claimed_at=now - timedelta(days=1))
    run.refresh_from_db()
    assert (run.runtime_s, run.duration_s) == (4 * 86_400, 2 * 86_400)
    assert caller.begin(project, "x", started_at="yesterday").status_code == 400


def test_a_process_that_begins_makes_a_preempting_run_running(caller, project):
    """RUN-2."""
    run = RunFactory(project=project, uid="spot")
    lifecycle.revive_run(run_id=run.pk, at=timezone.now(), preempting=True)
    assert caller.begin(project, "spot", attached=True).json()["state"] == "preempting"
    assert caller.begin(project, "spot").json()["state"] == "running"


def test_a_service_account_logs_for_a_member_of_its_team(client, project):
    """TEAM-34."""
    bot, member = ServiceAccountFactory(team=project.team), make_member(project.team, username="ada")
    caller = Caller(client, bot.user)
    told = caller.begin(project, "for-ada", user="ada").json()
    assert (told["user"], told["logged_by"]) == (member.username, bot.user.username)
    stranger = UserFactory()
    assert caller.begin(project, "for-stranger", user=stranger.username).json()["user"] == bot.user.username


def test_a_person_logs_for_nobody_else(caller, project, member):
    other = make_member(project.team)
    assert caller.begin(project, "mine", user=other.username).json()["user"] == member.username


@pytest.mark.parametrize(
    "wrong",
    [{"uid": "a/b"}, {"uid": ""}, {"resume": "maybe"}, {"config": []}, {"tags": "a"}, {"host": "h" * 300}],
    ids=str,
)
def test_what_cannot_be_is_refused(caller, project, wrong):
    body = {"entity": project.team.name, "project": project.name, "uid": "x"} | wrong
    assert code_of(caller.post("runs", body)) == (400, "invalid")
    assert not Run.objects.filter(project=project).exists()


def test_beginning_a_run_takes_few_queries(caller, project, django_assert_max_num_queries):
    with django_assert_max_num_queries(40):
        caller.begin(
            project, "one", tags=[f"tag{n}" for n in range(100)], config={f"k{n}": n for n in range(500)}
        )


# -- who may ----------------------------------------------------------------------------------------------------------


def _asked(caller, run):
    """Return the statuses of all routes but the stream itself."""
    return {
        caller.begin(run.project, run.uid, resume="must").status_code,
        caller.standing(run).status_code,
        caller.post(f"{at(run)}/uploads", {"names": ["a.txt"]}).status_code,
        caller.post(f"{at(run)}/alerts", {"id": "1", "title": "t"}).status_code,
    }


def test_a_key_that_logs_is_enough_and_one_that_reads_is_not(client, member, project):
    """ACC-19: the reach `log`."""
    run = RunFactory(project=project)
    assert _asked(Caller(client, member, scopes=sorted(LOG_RUNS)), run) == {200}
    assert _asked(Caller(client, member, scopes=sorted(READ_ONLY)), run) == {403}


def test_strangers_hear_of_nothing_and_who_may_only_look_is_told(client, project):
    run = RunFactory(project=project)
    assert _asked(Caller(client, UserFactory()), run) == {404}
    assert _asked(Caller(client, make_member(project.team, Preset.VIEW_ONLY)), run) == {403}
    project.visibility = Visibility.PUBLIC
    project.save()
    assert _asked(Caller(client, UserFactory()), run) == {403}


def test_an_open_project_takes_runs_of_anybody_and_only_their_own(client, project):
    """TEAM-24."""
    project.visibility = Visibility.OPEN
    project.save()
    stranger = Caller(client, UserFactory())
    assert stranger.begin(project, "theirs").status_code == 201
    assert _asked(stranger, Run.objects.get(uid="theirs")) == {200}
    assert _asked(stranger, RunFactory(project=project)) == {403}


def test_nobody_is_asked_who_they_are(client):
    run = RunFactory()
    new = {"entity": run.project.team.name, "project": run.project.name, "uid": "x"}
    for path in ("runs", f"{at(run)}/uploads", f"{at(run)}/alerts"):
        reply = client.post(f"/api/v1/{path}", json.dumps(new), content_type="application/json")
        assert code_of(reply) == (401, "unauthenticated")
    assert client.get(f"/api/v1/{at(run)}/stream", {"writer": WRITER}).status_code == 401


def test_a_deleted_run_is_gone_on_every_route(caller, project):
    run = RunFactory(project=project)
    deletion.delete_run(actor=SYSTEM, run=run)
    assert _asked(caller, run) == {410}


# -- files and alerts -------------------------------------------------------------------------------------------------


def test_as_many_addresses_are_given_as_files_are_named(caller, project, django_assert_max_num_queries):
    """AGT-8."""
    run = RunFactory(project=project)
    names = [f"a/{n}.txt" for n in range(100)]
    with django_assert_max_num_queries(12):
        uploads = caller.post(f"{at(run)}/uploads", {"names": names}).json()["uploads"]
    assert [upload["name"] for upload in uploads] == names
    assert all(upload["url"].startswith("http://testserver/storage/put/") for upload in uploads)
    for wrong in ([], ["x"] * 101, ["../x"], ["/etc/passwd"], [""]):
        assert caller.post(f"{at(run)}/uploads", {"names": wrong}).status_code == 400


def test_an_alert_of_one_id_is_sent_once_and_answered_the_same(caller, project):
    """AGT-8, ALR-1: also one that was not sent, whenever it comes again."""
    run = RunFactory(project=project)

    def send(token, **more):
        body = {"id": token, "title": "loss is NaN", "level": "ERROR", "wait_s": 60, **more}
        reply = caller.post(f"{at(run)}/alerts", body)
        assert reply.status_code == 200, reply.content
        return reply.json()["sent"]

    assert [send("a"), send("a"), send("b"), send("b")] == [True, True, False, False]
    with time_machine.travel(timezone.now() + timedelta(minutes=5)):
        assert [send("a"), send("b"), send("c"), send("d", wait_s=0)] == [True, False, True, True]
    assert RunAlert.objects.filter(run=run, is_sent=True).count() == 3
    assert send("a", title="another") is True
    assert not RunAlert.objects.filter(title="another").exists()


def test_runs_have_ids_of_alerts_to_themselves(caller, project):
    runs = [RunFactory(project=project) for _ in range(2)]
    sent = [caller.post(f"{at(run)}/alerts", {"id": "a", "title": "t"}).json()["sent"] for run in runs]
    assert sent == [True, True]


@pytest.mark.parametrize(
    "wrong",
    [{"id": "x" * 65}, {"id": ""}, {"title": ""}, {"level": "LOUD"}, {"wait_s": -1}, {"wait_s": 1e12}],
)
def test_an_alert_that_cannot_be_is_refused(caller, project, wrong):
    run = RunFactory(project=project)
    assert code_of(caller.post(f"{at(run)}/alerts", {"id": "a", "title": "t"} | wrong)) == (400, "invalid")


@pytest.mark.parametrize("writer", ["", "x", "0123456789ABCDEF"])
def test_a_standing_is_asked_for_by_writer(caller, project, writer):
    assert code_of(caller.standing(RunFactory(project=project), writer)) == (400, "invalid")


def test_a_file_named_like_a_route_is_still_a_file(caller, project):
    """The address of run 7's file ``a/stream`` would do for a run, too."""
    run = RunFactory(project=project)
    reply = caller.client.get(f"/api/v1/runs/{run.pk}/files/a/stream", headers=caller.headers)
    assert "has no file “a/stream”" in reply.json()["error"]["message"]


def test_an_entity_that_is_not_there_is_refused_with_those_there_are(caller, member):
    """The review's D4: for programs, too, and without the name of another client's variable."""
    reply = caller.post("runs", {"entity": "nosuch", "project": "p", "uid": "u"})
    error = reply.json()["error"]
    mine = error["detail"]["entities"]
    assert (reply.status_code, error["code"], error["detail"]["entity"]) == (404, "not_found", "nosuch")
    assert member.username in mine
    assert error["message"].endswith(f"You can log to: {', '.join(mine)}.")
