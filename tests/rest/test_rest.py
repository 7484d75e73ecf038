"""The REST API as a whole: its description, lists, what programs do by it, rates, the documentation (issue 7)."""

import json
import os
import re
import subprocess
import sys
from io import StringIO

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from drf_spectacular.management.commands import spectacular

from access.actions import Preset
from access.models import AuditEntry
from access.openapi import schema
from accounts.models import ApiKey
from common.rate_limits import Pace, spend
from config.env import ROOT
from exports.services import make_next_export
from runs.models import ProjectMember
from teams.invitations.services import invite
from teams.models import Visibility
from teams.roles.builtin import built_in
from tests.factories import (
    ProjectFactory,
    RunFactory,
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    actor,
    add_run_file,
    basic,
    custom_role,
    make_key,
    make_member,
)
from tests.sdk.people import person
from tests.waiting import PATIENCE_S

DOCUMENT = ROOT / "docs" / "use" / "rest.md"


class Caller:
    """Asks as the holder of a key."""

    def __init__(self, user, **key):
        self.user = user
        self.headers = {"Authorization": basic(make_key(user, **key))}

    def __call__(self, method, path, body=None):
        return Client().generic(
            method, f"/api/v1/{path}", "" if body is None else json.dumps(body),
            content_type="application/json", headers=self.headers,
        )  # fmt: skip


@pytest.fixture
def team(db):
    return TeamFactory(name="vision")


@pytest.fixture
def admin(team):
    return Caller(team.memberships.get().user)


@pytest.fixture
def chief(team):
    return Caller(team.organization.members.get(role=built_in(Preset.ORGANIZATION_ADMIN)).user)


# The description


def test_the_description_is_made_without_a_warning():
    """Issue 7: OpenAPI (drf-spectacular), valid and complete."""
    call_command(spectacular.Command(), validate=True, fail_on_warn=True, stdout=StringIO())


def test_the_description_in_the_repository_is_current():
    """Issue 7: `make schemas` writes it anew."""
    assert json.loads(schema.FILE.read_text()) == json.loads(schema.document_text()), "run `make schemas`"


def test_every_operation_says_what_it_does_and_how_it_refuses():
    """Issue 7: one error shape, declared everywhere."""
    for path, methods in schema.document()["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], f"{method} {path}"
            refused = {status for status, answer in operation["responses"].items() if "$ref" in answer}
            assert {"400", "401", "403", "404", "429"} <= refused, f"{method} {path}"


@pytest.mark.django_db
def test_the_documentation_has_every_operation_and_no_script_of_its_own(client):
    """Issue 7: a docs page served locally, under the content security policy."""
    page = client.get("/api/docs")
    shown = set(re.findall(r'class="api-operation" id="(\w+)"', page.content.decode()))
    assert shown == {
        one["operationId"] for path in schema.document()["paths"].values() for one in path.values()
    }
    assert "unsafe-inline" not in page.headers["Content-Security-Policy"]
    assert client.get("/api/v1/openapi.yaml").headers["Content-Type"] == "application/yaml"


@pytest.mark.django_db
def test_the_documentation_is_written_once_for_each_language(client):
    """700 KB of HTML took a second for each request; the frame with its nonce is each viewer's."""

    def ask(language):
        page = client.get("/api/docs", headers={"Accept-Language": language})
        return page, {template.name for template in page.templates}

    first, _ = ask("ko")
    client.force_login(UserFactory())
    again, rendered = ask("ko")
    assert "api/docs.html" in rendered
    assert "api/operation.html" not in rendered
    assert first.headers["Content-Security-Policy"] != again.headers["Content-Security-Policy"]
    english, _ = ask("en")
    assert ["복사" in page.content.decode() for page in (first, english)] == [True, False]
    packed = client.get("/api/docs", headers={"Accept-Encoding": "gzip"})
    assert len(packed.content) < len(english.content) / 4


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["json", "yaml"])
def test_the_description_is_sent_packed_and_once(client, kind):
    """Its 300 KB are the same until the next release."""
    reply = client.get(f"/api/v1/openapi.{kind}", headers={"Accept-Encoding": "gzip"})
    assert reply.headers["Content-Encoding"] == "gzip"
    again = client.get(f"/api/v1/openapi.{kind}", headers={"If-None-Match": reply.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/api/v1/nothing/", "/api/v1/runs/1/nothing", "/api/v2/runs/"])
def test_where_there_is_no_endpoint_the_refusal_has_the_one_shape(client, path):
    """Issue 7: one error shape."""
    for method in ("get", "post"):
        reply = getattr(client, method)(path)
        assert (reply.status_code, reply.json()["error"]["code"]) == (404, "not_found")


# Lists


def _fill(team, admin, count):
    """Give each list so many more rows."""
    restricted = ProjectFactory(team=team, visibility=Visibility.RESTRICTED)
    run = RunFactory(project=ProjectFactory(team=team))
    for number in range(count):
        user = make_member(team)
        ProjectMember.objects.create(project=restricted, user=user, role=built_in(Preset.MEMBER))
        RunFactory(project=run.project, user=user)
        ProjectFactory(team=team)
        TeamFactory(organization=team.organization, admin=admin)
        add_run_file(run, f"{number}.txt")
        custom_role(team.organization, ["run.view"])
        ServiceAccountFactory(team=team)
        invite(actor=actor(admin), team=team, role=built_in(Preset.MEMBER), email=f"{number}@example.com")
        make_key(admin)
    return {"restricted": restricted.pk, "run": run.pk}


LISTS = [
    "keys/", "users/", "organizations/vision-org/members/", "teams/", "teams/vision/members/",
    "teams/vision/invitations/", "organizations/vision-org/roles/", "service-accounts/", "projects/",
    "projects/{restricted}/members/", "runs/", "runs/{run}/files/", "me/",
]  # fmt: skip


@pytest.mark.django_db
def test_no_list_asks_the_database_more_for_more_rows(settings):
    """Issue 7: no query per row, with 1 and with 20."""
    counts = []
    for rows in (1, 20):
        team = TeamFactory()
        chief = team.organization.members.get(role=built_in(Preset.ORGANIZATION_ADMIN)).user
        names = _fill(team, chief, rows)
        ask, counted = Caller(chief), {}
        for path in LISTS:
            where = (
                path.format(**names)
                .replace("vision-org", team.organization.name)
                .replace("vision", team.name)
            )
            ask("GET", where)  # the key notes its use
            with CaptureQueriesContext(
                connection,
            ) as queries:
                reply = ask("GET", where)
            assert reply.status_code == 200, (path, reply.content)
            assert path == "me/" or len(reply.json()["results"]) >= rows, path
            counted[path] = len(queries)
        counts.append(counted)
    assert counts[1] == counts[0]


# People, organizations, teams


def test_a_program_makes_a_team_and_fills_it(chief, team):
    """TEAM-2, TEAM-3, TEAM-5: what pages do, programs do."""
    made = chief("POST", "teams/", {"name": "speech", "organization": team.organization.name})
    assert (made.status_code, made.json()["kind"]) == (201, "work")
    again = chief("POST", "teams/", {"name": "speech", "organization": team.organization.name})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "conflict")
    colleague = make_member(team, username="colleague")
    added = chief("POST", "teams/speech/members/", {"username": "colleague", "role": "view-only"})
    assert (added.status_code, added.json()["role"]) == (201, "view-only")
    stranger = chief("POST", "teams/speech/members/", {"username": UserFactory().username})
    assert stranger.status_code == 400
    path = f"teams/speech/members/{colleague.username}/"
    assert chief("PATCH", path, {"role": "Admin"}).json()["role"] == "admin"
    assert chief("PATCH", path, {"role": "boss"}).status_code == 400
    assert Caller(chief.user)("DELETE", path).status_code == 204
    assert chief("DELETE", path).status_code == 404
    told = chief("POST", "teams/speech/invitations/", {"people": ["new@example.com", "nobody-here"]}).json()
    assert (told["invited"], [one["who"] for one in told["refused"]]) == (
        ["new@example.com"],
        ["nobody-here"],
    )


def test_a_deleted_team_comes_back(chief):
    """TEAM-21: deleting again finds nothing; restoring brings it back."""
    assert chief("DELETE", "teams/vision/").status_code == 204
    assert chief("DELETE", "teams/vision/").status_code == 404
    assert [row["name"] for row in chief("GET", "teams/?deleted=true").json()["results"]] == ["vision"]
    assert chief("POST", "teams/vision/restore/").json()["name"] == "vision"
    assert chief("GET", "teams/vision/").status_code == 200


def test_an_organization_decides_about_keys_and_privacy_and_ends(chief):
    """TEAM-2, TEAM-8, ACC-40: what its settings pages do."""
    name = chief.user.organization_memberships.get().organization.name
    changed = chief(
        "PATCH", f"organizations/{name}/", {"api_keys_limited": True, "api_key_max_days": 30}
    ).json()
    assert (changed["api_keys_allowed"], changed["api_keys_limited"], changed["api_key_max_days"]) == (
        True,
        True,
        30,
    )
    assert chief("PATCH", f"organizations/{name}/", {"api_key_max_days": 0}).status_code == 400
    assert chief("GET", f"organizations/{name}/").json()["display_name"] == changed["display_name"]
    assert set(chief("GET", f"organizations/{name}/privacy/").json().values()) == {None}
    decided = chief("PATCH", f"organizations/{name}/privacy/", {"is_hidden": True}).json()
    assert (decided["is_hidden"], decided["members_may_invite"]) == (True, None)
    assert chief("PATCH", "teams/vision/privacy/", {"is_hidden": False}).status_code == 409
    assert chief("PATCH", f"organizations/{name}/privacy/", {"is_hidden": None}).json()["is_hidden"] is None
    refused = chief("DELETE", f"organizations/{name}/")
    assert (refused.status_code, "vision" in refused.json()["error"]["message"]) == (409, True)
    chief("DELETE", "teams/vision/")
    assert chief("DELETE", f"organizations/{name}/").status_code == 204
    assert chief("GET", f"organizations/{name}/").status_code == 404
    acts = set(AuditEntry.objects.values_list("action", flat=True))
    assert {"organization.change_settings", "organization.enforce_privacy", "organization.delete"} <= acts


def test_an_organization_tells_addresses_to_whoever_manages_its_members(chief, team):
    """TEAM-1: as on its page."""
    bob = make_member(team, username="bob", email="robert@hidden.example")
    path = f"organizations/{team.organization.name}/members/"

    def told(caller):
        listed = {row["username"]: row["email"] for row in caller("GET", path).json()["results"]}
        found = caller("GET", f"{path}?search=hidden.example").json()["results"]
        return listed["bob"], caller("GET", f"{path}bob/").json()["email"], found

    assert told(chief) == ("robert@hidden.example", "robert@hidden.example", [])
    assert told(Caller(bob)) == ("", "", [])
    changed = chief("PATCH", f"{path}bob/", {"models_access": "view_only"}).json()
    assert changed["email"] == "robert@hidden.example"


def test_an_export_is_asked_for_followed_and_downloaded(admin, team):
    """TEAM-12: as on the Export page; nobody else sees it."""
    made = admin("POST", "exports/", {"entity": "vision"})
    assert made.status_code == 201
    path = f"exports/{made.json()['id']}/"
    while make_next_export():
        pass
    done = admin("GET", path).json()
    assert (done["state"], done["entity"], done["error"]) == ("done", "vision", "")
    assert [each["id"] for each in admin("GET", "exports/?entity=vision").json()["results"]] == [done["id"]]
    found = admin("GET", f"{path}download/")
    assert (found.status_code, "/storage" in found["Location"]) == (302, True)
    assert admin("POST", f"{path}cancel/").json()["state"] == "done"
    assert Caller(make_member(team, Preset.ADMIN))("GET", path).status_code == 404
    assert Caller(make_member(team))("POST", "exports/", {"entity": "vision"}).status_code == 403


def test_somebody_leaves_and_the_last_admin_stays(team, admin):
    """TEAM-5: deleting one's own place is leaving."""
    member = Caller(make_member(team))
    assert member("DELETE", f"teams/vision/members/{member.user.username}/").status_code == 204
    assert admin("DELETE", f"teams/vision/members/{admin.user.username}/").status_code == 409


def test_the_invited_answers_and_a_limited_key_does_not(team, admin):
    """TEAM-3, ACC-40: joining a team is named by no scope."""
    guest = UserFactory()
    assert admin("POST", "teams/vision/invitations/", {"people": [guest.username]}).status_code == 201
    [row] = Caller(guest)("GET", "invitations/").json()["results"]
    limited = Caller(guest, scopes=["team.view"])
    assert limited("POST", f"invitations/{row['id']}/accept/").status_code == 403
    assert Caller(guest)("POST", f"invitations/{row['id']}/accept/").json()["role"] == "member"
    assert Caller(guest)("POST", f"invitations/{row['id']}/accept/").status_code == 404


def test_one_changes_oneself(team):
    """ACC-1, ACC-5: profile and preferences, each alone."""
    member = Caller(make_member(team))
    assert member("PATCH", "me/", {"bio": "Trains.", "theme": "dark"}).json()["theme"] == "dark"
    assert member("PATCH", "me/", {"code_saving": "never"}).json()["code_saving"] == "never"
    member("PATCH", "me/", {"institution": "Lab", "links": [{"label": "", "url": "x"}]})
    assert member("PATCH", "me/", {"institution": "Lab"}).status_code == 200
    told = member("GET", f"users/{member.user.username}/").json()
    assert (told["bio"], told["institution"], told["links"]) == ("Trains.", "Lab", [])
    me = member("GET", "me/").json()
    assert me["default_entity"] == member.user.username
    assert me["teams"] == [{"name": "vision", "role": "member"}]
    assert me["key"]["scopes"] is None


def test_a_key_is_made_named_and_ended(team):
    """ACC-40: the secret is shown once; a limited key makes no wider one."""
    member = Caller(make_member(team))
    made = member("POST", "keys/", {"label": "ci", "scopes": ["run.view", "project.view"]}).json()
    row = ApiKey.objects.get(pk=made["id"])
    assert made["secret"].startswith(f"ry-{row.prefix}")
    assert "secret" not in member("GET", f"keys/{row.pk}/").json()
    assert member("PATCH", f"keys/{row.pk}/", {"label": "other"}).json()["label"] == "other"
    assert member("POST", "keys/", {"scopes": ["no.such"]}).json()["error"]["detail"]["scopes"]
    limited = Caller(member.user, scopes=["api_key.create"])
    assert limited("POST", "keys/", {}).status_code == 403
    assert member("DELETE", f"keys/{row.pk}/").status_code == 204
    assert member("DELETE", f"keys/{row.pk}/").status_code == 404


# Projects and runs


def test_a_project_is_made_changed_deleted_and_restored(admin, team):
    """TEAM-21, TEAM-24: what fails changes nothing of the rest."""
    made = admin("POST", "projects/", {"entity": "vision", "name": "mnist"})
    path = f"projects/{made.json()['id']}/"
    assert admin("POST", "projects/", {"entity": "vision", "name": "mnist"}).status_code == 409
    hidden = ProjectFactory(team=team, visibility="restricted").pk
    changed = admin("PATCH", f"projects/{hidden}/", {"visibility": "restricted", "pinned": True})
    assert changed.status_code == 404, "whoever is not invited does not see it, so nothing is changed"
    assert not AuditEntry.objects.filter(action="project.change_visibility").exists()
    changed = admin("PATCH", path, {"visibility": "restricted", "pinned": True})
    assert changed.status_code == 200, "whoever restricts it stays in it"
    changed = admin(
        "PATCH", path, {"visibility": "public", "protected_tags": ["keep"], "pinned": True}
    ).json()
    assert (changed["visibility"], changed["protected_tags"]) == ("public", ["keep"])
    assert admin("DELETE", path).status_code == 204
    assert admin("GET", path).status_code == 404
    assert admin("POST", path + "restore/").json()["name"] == "mnist"


def test_a_run_is_annotated_protected_deleted_and_restored(admin, team):
    """RUN-7: by a program as by a person."""
    run = RunFactory(project=ProjectFactory(team=team))
    path = f"runs/{run.pk}/"
    changed = admin("PATCH", path, {"tags": ["a"], "is_protected": True}).json()
    assert (changed["tags"], changed["is_protected"]) == (["a"], True)
    assert admin("DELETE", path).status_code == 409
    assert admin("PATCH", path, {"is_protected": False}).status_code == 200
    assert admin("DELETE", path).status_code == 204
    assert admin("DELETE", path).status_code == 404
    assert admin("POST", path + "restore/").json()["uid"] == run.uid
    names = {"entity": "vision", "project": run.project.name, "uids": [run.uid]}
    assert admin("POST", "runs/act/", names | {"act": "tag", "values": ["b"]}).json()["done"] == [run.uid]
    viewer = Caller(make_member(team, Preset.VIEW_ONLY))
    told = viewer("POST", "runs/act/", names | {"act": "delete"}).json()
    assert (told["done"], [one["uid"] for one in told["refused"]]) == ([], [run.uid])


def test_logs_and_files_are_read_and_files_deleted(admin, team):
    """RUN-41: lines by window; a file by its path."""
    run = RunFactory(project=ProjectFactory(team=team))
    add_run_file(run, "media/a b.txt")
    assert admin("GET", f"runs/{run.pk}/logs/").json() == {"total": 0, "masked": 0, "lines": []}
    assert admin("GET", f"runs/{run.pk}/logs/?start=-1").status_code == 400
    assert admin("GET", f"runs/{run.pk}/logs/search/?text=x").json()["lines"] == []
    [row] = admin("GET", f"runs/{run.pk}/files/?prefix=media/").json()["results"]
    path = f"runs/{run.pk}/files/{row['name'].replace(' ', '%20')}"
    assert admin("GET", path).headers["Location"].startswith("/storage/")
    assert admin("DELETE", path).status_code == 204
    assert admin("DELETE", path).status_code == 404


def test_a_session_needs_the_csrf_token(team, admin):
    """ACC-23: another site's form changes nothing."""
    run = RunFactory(project=ProjectFactory(team=team))
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(admin.user)
    reply = browser.post(f"/api/v1/runs/{run.pk}/stop/")
    assert (reply.status_code, reply.json()["error"]["code"]) == (403, "permission_denied")


# Rates


@pytest.fixture
def _fresh_cache():
    cache.clear()
    yield
    cache.clear()


@pytest.mark.usefixtures("_fresh_cache")
@pytest.mark.parametrize(
    ("setting", "method", "path"), [("API_RATE", "get", "/api/v1/me/"), ("GRAPHQL_RATE", "post", "/graphql")]
)
def test_answers_say_what_is_left_and_one_too_many_is_429(setting, method, path, settings, admin):
    """ACC-23, semantics section 9: RateLimit headers, Retry-After, and a message with the limit; per account."""
    setattr(settings, setting, 2)

    def ask(caller):
        return getattr(Client(), method)(
            path, '{"query": "{ viewer { id } }"}' if method == "post" else None,
            content_type="application/json", headers=caller.headers,
        )  # fmt: skip

    left = [ask(admin).headers["RateLimit-Remaining"] for _ in range(2)]
    refused = ask(admin)
    assert (left, refused.status_code) == (["1", "0"], 429)
    assert refused.headers["RateLimit-Limit"] == "2"
    assert 0 < int(refused.headers["RateLimit-Reset"]) == int(refused.headers["Retry-After"]) <= 61
    assert "2 requests in a minute" in refused.content.decode()
    assert f"RUNYARD_{setting}" in refused.content.decode()
    assert ask(Caller(admin.user)).status_code == 429, "an account with many keys has no more requests"
    assert ask(Caller(UserFactory())).status_code == 200, "another account has requests of its own"


def test_without_redis_nothing_is_limited(settings):
    """ACC-23: working goes before slowing down."""
    url = "redis://127.0.0.1:1/0"
    settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": url}}
    assert spend("rest", "somebody", limit=1, window_s=60) is None


def test_a_pace_saves_up_and_then_holds(monkeypatch):
    """Semantics section 9: many at once, then a steady rate; what is refused costs nothing."""
    now = [0.0]
    monkeypatch.setattr("common.rate_limits.time.monotonic", lambda: now[0])
    pace = Pace(saved_s=10.0)
    assert sum(pace.wait_s("run", 2) == 0 for _ in range(100)) == 20
    assert pace.wait_s("run", 2) == 1
    assert pace.wait_s("other", 2) == 0
    assert pace.wait_s("run", 0) == 0
    now[0] = 3.0
    assert sum(pace.wait_s("run", 2) == 0 for _ in range(100)) == 6


# The documentation's examples


@pytest.mark.processes
def test_the_examples_of_the_documentation_work(server):
    """Issue 7: what docs/use/rest.md shows is run as it stands there."""
    shell, python = (
        "\n".join(re.findall(rf"```{kind}\n(.*?)```", DOCUMENT.read_text(), re.DOTALL))
        for kind in ("sh", "python")
    )
    entity = "restdocs"
    with person(server, entity) as somebody:
        lines = ['{"loss": 0.5, "_step": 0}']
        where = somebody.wire.begin("mnist", "first", config='{"lr": {"value": 0.1}}')
        somebody.wire.http.post(
            where.stream, json={"files": {"wandb-history.jsonl": {"offset": 0, "content": lines}}}
        )
        key = somebody.key
    env = {**os.environ, "WANDB_BASE_URL": server.url, "WANDB_ENTITY": entity, "WANDB_API_KEY": key}
    said = subprocess.run(
        ["sh", "-ec", shell], env=env, capture_output=True, text=True, timeout=PATIENCE_S, check=True
    )
    answers = [json.loads(text) for text in re.split(r"(?<=\})(?=\{)", said.stdout)]
    assert answers[0]["username"] == entity
    assert [row["uid"] for row in answers[2]["results"]] == ["first"]
    assert not any("error" in answer for answer in answers)
    told = subprocess.run(
        [sys.executable, "-c", python],
        env=env,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert "{'done': ['first'], 'refused': [], 'kept': []}" in told.stdout
