"""Service accounts through the unmodified SDK: where their runs go, and whose they are (TEAM-30 to TEAM-34).

Also the ready-made reaches of keys: what a job needs to log, and a script to read.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests import clients, sdks
from tests.installation import Installation
from tests.sdk.people import VERSION

pytestmark = pytest.mark.sdk

SETUP = """
import json
from access.actions import Preset
from access.actor import SYSTEM
from accounts.api_keys.services import create_api_key
from accounts.lifecycle.services import create_user
from ingest.key_scopes import LOG_RUNS, READ_ONLY
from runs.projects.members import add_project_member
from runs.projects.services import create_project
from teams.models import Organization, Team
from teams.roles.builtin import built_in
from teams.service_accounts.services import create_service_account
from teams.members.services import add_member
from teams.organizations.services import create_organization
from teams.teams.services import create_team

def person(name, **more):
    return create_user(actor=SYSTEM, username=name, email=f"{name}@example.com", password=None, **more)

lead, alice, uma = person("robo-lead"), person("robo-alice"), person("robo-uma", is_verified=False)
host, eve = person("robo-host"), person("robo-eve")
ours = create_organization(actor=SYSTEM, name="robotics-org", admin=lead)
theirs = create_organization(actor=SYSTEM, name="robotics-rivals", admin=host)
home = create_team(actor=SYSTEM, name="robo-home", organization=ours, admin=lead)
sibling = create_team(actor=SYSTEM, name="robo-sibling", organization=ours, admin=lead)
away = create_team(actor=SYSTEM, name="robo-away", organization=theirs, admin=host)
for one in (alice, uma):
    add_member(actor=SYSTEM, team=home, user=one, role=built_in(Preset.MEMBER))
rows = {
    f"{team.name}/{name}": create_project(actor=SYSTEM, team=team, name=name, visibility=visibility)
    for team, name, visibility in [
        (home, "private", "team"), (home, "public", "public"), (sibling, "work", "team"),
        (sibling, "sealed", "restricted"), (sibling, "shared", "restricted"),
        (away, "closed", "team"), (away, "open", "open"),
    ]
}
bot = create_service_account(actor=SYSTEM, label="nightly-bot", team=home)
wide = create_service_account(actor=SYSTEM, label="wide", organization=ours, default_team=home)
add_project_member(
    actor=SYSTEM, project=rows["robo-sibling/shared"], user=wide.user, role=built_in(Preset.MEMBER)
)
key = lambda user, scopes=None: create_api_key(actor=SYSTEM, owner=user, scopes=scopes)[1]
print(json.dumps({
    "bot": key(bot.user), "wide": key(wide.user), "alice": key(alice), "log": key(alice, LOG_RUNS),
    "read": key(alice, READ_ONLY), "bot-log": key(bot.user, LOG_RUNS),
}))
"""

LOGGED = """
import json
from runs.models import Run
rows = Run.objects.filter(logged_by__username__startswith="robo").select_related("project__team", "user", "pulse")
print(json.dumps({
    run.uid: [run.project.team.name, run.project.name, run.user.username, run.logged_by.username, run.state,
              "by-hand.txt" in run.files.values_list("name", flat=True)]
    for run in [*rows, *Run.objects.filter(logged_by__service_account__isnull=False)]
}))
"""

SCRIPT = r"""
import json, os, pathlib, wandb

told = {}
pathlib.Path("by-hand.txt").write_text("here")
for case in json.loads(os.environ["CASES"]):
    for name in ("WANDB_ENTITY", "WANDB_USERNAME", "WANDB_USER_EMAIL"):
        os.environ.pop(name, None)
    os.environ.update(case["env"])
    wandb.teardown()
    try:
        run = wandb.init(project=case["project"], id=case["uid"])
        run.log({"loss": 1.0})
        run.save("by-hand.txt", policy="now")
        run.finish()
        told[case["uid"]] = run.path
    except Exception as error:
        told[case["uid"]] = f"{type(error).__name__}: {error}"
wandb.teardown()
pathlib.Path("told.json").write_text(json.dumps(told))
"""


@dataclass(frozen=True)
class Case:
    """One job: with which key and variables it runs, and what becomes of its run."""

    key: str
    project: str
    env: dict[str, str] = field(default_factory=dict)
    team: str = ""
    """Where it is; "" where it is refused."""
    user: str = ""
    """Whose it is."""


BOT, WIDE = "robo-home.nightly-bot", "robotics-org.wide"
CASES = {
    "own-private": Case("bot", "private", {"WANDB_ENTITY": "robo-home"}, "robo-home", BOT),
    "own-public": Case("bot", "public", {"WANDB_ENTITY": "robo-home"}, "robo-home", BOT),
    "no-team": Case("bot", "private", {}, "robo-home", BOT),
    "not-ours": Case("bot", "closed", {"WANDB_ENTITY": "robo-away"}),
    "not-sibling": Case("bot", "work", {"WANDB_ENTITY": "robo-sibling"}),
    "open-for-alice": Case(
        "bot",
        "open",
        {"WANDB_ENTITY": "robo-away", "WANDB_USERNAME": "robo-alice"},
        "robo-away",
        "robo-alice",
    ),
    "wide-home": Case("wide", "private", {}, "robo-home", WIDE),
    "wide-sibling": Case("wide", "work", {"WANDB_ENTITY": "robo-sibling"}, "robo-sibling", WIDE),
    "wide-sealed": Case("wide", "sealed", {"WANDB_ENTITY": "robo-sibling"}),
    "wide-shared": Case("wide", "shared", {"WANDB_ENTITY": "robo-sibling"}, "robo-sibling", WIDE),
    "for-alice": Case("bot", "private", {"WANDB_USERNAME": "robo-alice"}, "robo-home", "robo-alice"),
    "for-address": Case(
        "bot", "private", {"WANDB_USER_EMAIL": "robo-alice@example.com"}, "robo-home", "robo-alice"
    ),
    "for-eve": Case("bot", "private", {"WANDB_USERNAME": "robo-eve"}, "robo-home", BOT),
    "for-unverified": Case("bot", "private", {"WANDB_USER_EMAIL": "robo-uma@example.com"}, "robo-home", BOT),
    "limited": Case("bot-log", "private", {"WANDB_USERNAME": "robo-alice"}, "robo-home", "robo-alice"),
}


OF_OLDER = ("no-team", "not-ours", "open-for-alice", "for-alice", "for-address", "for-eve", "limited")
"""What older SDKs do, too; the rest depends on the server alone."""


@pytest.fixture(scope="module")
def keys(server: Installation) -> dict[str, str]:
    made: dict[str, str] = server.manage("shell", "--no-imports", "-c", SETUP)
    return made


@pytest.fixture(scope="module", params=sdks.newest())
def jobs(
    request: pytest.FixtureRequest,
    server: Installation,
    keys: dict[str, str],
    sdk: Callable[[str], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> "Jobs":
    """Run the cases with each SDK in one process."""
    version = request.param
    names = list(CASES) if version == sdks.versions()[-1] else OF_OLDER
    folder = tmp_path_factory.mktemp("jobs")
    cases = [
        {
            "uid": f"{name}-{version}",
            "project": case.project,
            "env": {**case.env, "WANDB_API_KEY": keys[case.key]},
        }
        for name, case in ((name, CASES[name]) for name in names)
    ]
    env = {**server.client_env(keys["bot"]), "CASES": json.dumps(cases)}
    done = sdks.run_script(sdk(version), SCRIPT, env=env, cwd=folder)
    told = json.loads((folder / "told.json").read_text())
    said = done.stdout + done.stderr
    return Jobs(version, told, said, server.manage("shell", "--no-imports", "-c", LOGGED))


@dataclass(frozen=True)
class Jobs:
    """What the scripts were told, and what the server then has."""

    version: str
    told: dict[str, str]
    """The path of each run, or the error that the script got."""
    said: str
    """What the SDK printed."""
    logged: dict[str, list[Any]]


def test_runs_are_where_and_whose_the_variables_say(jobs: Jobs) -> None:
    """TEAM-31, TEAM-32, TEAM-33, TEAM-34: to the end, with a file."""
    wanted = {
        name: [case.team, case.project, case.user, WIDE if case.key == "wide" else BOT, "finished", True]
        for name, case in CASES.items()
        if case.team and f"{name}-{jobs.version}" in jobs.told
    }
    got = {name: jobs.logged.get(f"{name}-{jobs.version}") for name in wanted}
    assert got == wanted, jobs.told


def test_other_places_are_refused_and_the_sdk_says_why(jobs: Jobs) -> None:
    """TEAM-33: what cannot be logged to, and what can; old SDKs print it, new ones raise it."""
    refused = {
        name: case for name, case in CASES.items() if not case.team and f"{name}-{jobs.version}" in jobs.told
    }
    assert refused
    for name, case in refused.items():
        uid, others = (
            f"{name}-{jobs.version}",
            "robo-home, robo-sibling" if case.key == "wide" else "robo-home",
        )
        said = jobs.told[uid] + jobs.said
        assert uid not in jobs.logged
        assert "CommError" in jobs.told[uid]
        place = f"project {case.env['WANDB_ENTITY']}/{case.project}"
        what = (
            "entity “robo-sibling”" if name == "not-sibling" else place
        )  # which of them the key cannot know of
        assert f"The {what} doesn’t exist, or you don’t have access to it" in said
        assert f"You can log to: {others}. Set WANDB_ENTITY" in said


@pytest.fixture(scope="module")
def alice(server: Installation, keys: dict[str, str]) -> Iterator[httpx.Client]:
    with clients.client(base_url=server.url, auth=("api", keys["alice"])) as http:
        yield http


def test_both_are_told_over_graphql_and_rest(jobs: Jobs, alice: httpx.Client) -> None:
    """TEAM-34: both are kept and shown."""
    uid = f"for-alice-{jobs.version}"
    document = (
        'query Q($n: String!) { project(name: "private", entityName: "robo-home") { run(name: $n) {'
        " user { username name } } } }"
    )
    asked = {"query": document, "variables": {"n": uid}}
    answer = alice.post("/graphql", json=asked).json()
    assert answer["data"]["project"]["run"]["user"]["username"] == "robo-alice"
    rows = alice.get("/api/v1/runs/?entity=robo-home&project=private&per_page=100").json()["results"]
    mine = {row["uid"]: (row["user"], row["logged_by"]) for row in rows}
    assert mine[uid] == ("robo-alice", BOT)
    assert mine[f"no-team-{jobs.version}"] == (BOT, BOT)


def test_what_is_logged_for_a_member_is_the_members_own(jobs: Jobs, alice: httpx.Client) -> None:
    """TEAM-21, TEAM-22: Alice, a plain member, deletes what was logged for her, not what the program logged."""
    document = (
        'query Q($n: String!) { project(name: "private", entityName: "robo-home") { run(name: $n) { id } } }'
    )
    delete = "mutation D($id: ID!) { deleteRun(input: {id: $id}) { clientMutationId } }"

    def delete_run(name: str) -> int:
        variables = {"n": f"{name}-{jobs.version}"}
        found = alice.post("/graphql", json={"query": document, "variables": variables}).json()
        run_id = found["data"]["project"]["run"]["id"]
        return alice.post("/graphql", json={"query": delete, "variables": {"id": run_id}}).status_code

    assert delete_run("for-address") == 200
    assert delete_run("for-eve") == 403


OFFLINE = """
import wandb
run = wandb.init(project="private", id="from-offline", mode="offline")
run.log({"loss": 1.0})
run.finish()
"""


def test_an_offline_run_is_synced_for_a_member(
    server: Installation, keys: dict[str, str], sdk: Callable[[str], Path], tmp_path: Path
) -> None:
    """TEAM-34: `wandb sync` with a service account's key."""
    env = {**server.client_env(keys["bot"]), "WANDB_USERNAME": "robo-alice", "WANDB_ENTITY": "robo-home"}
    python = sdk(VERSION)
    sdks.run_script(python, OFFLINE, env=env, cwd=tmp_path)
    found = next(tmp_path.glob("wandb/offline-run-*"))
    code = f"from wandb.cli.cli import cli; cli(['sync', {str(found)!r}])"
    sdks.run_script(python, code, env=env, cwd=tmp_path)
    logged = server.manage("shell", "--no-imports", "-c", LOGGED)
    assert logged["from-offline"][:4] == ["robo-home", "private", "robo-alice", BOT]


REACHES = r"""
import json, os, pathlib, wandb

told = {}

def attempt(name, act):
    try:
        told[name] = act()
    except Exception as error:
        told[name] = f"{type(error).__name__}: {error}"

def train():
    run = wandb.init(project="private", id="by-log-key", resume="allow", config={"lr": 0.1}, tags=["a"])
    pathlib.Path("kept.txt").write_text("here")
    run.save("kept.txt", policy="now")
    run.log({"loss": 1.0, "image": wandb.Table(columns=["a"], data=[[1]])})
    run.summary["best"] = 1.0
    run.alert("half way", "still going")
    run.finish()
    return run.path

def read():
    run = wandb.Api().run("robo-home/private/by-log-key")
    rows = list(run.scan_history(keys=["loss"]))
    files = sorted(file.name for file in run.files())
    run.file("kept.txt").download(root="down", replace=True)
    return [run.state, rows[0]["loss"], "kept.txt" in files, run.config["lr"]]

def log_artifact(uid):
    made = wandb.Artifact("by-key", "dataset")
    with made.new_file("a.txt") as file:
        file.write("by a key")
    with wandb.init(project="private", id=uid, resume="allow") as run:
        run.log_artifact(made).wait()
        return run.use_artifact("by-key:latest").version

def download():
    made = wandb.Api().artifact("robo-home/private/by-key:v0")
    return (pathlib.Path(made.download(root="artifact", skip_cache=True)) / "a.txt").read_text()

def change():
    made = wandb.Api().artifact("robo-home/private/by-key:v0")
    made.description = "changed"
    made.save()

def delete():
    wandb.Api().run("robo-home/private/by-log-key").delete()

os.environ["WANDB_API_KEY"] = os.environ["LOG_KEY"]
attempt("train", train)
wandb.teardown()
attempt("resume", train)
wandb.teardown()
attempt("artifact", lambda: log_artifact("by-log-key"))
wandb.teardown()
attempt("delete by log", delete)
os.environ["WANDB_API_KEY"] = os.environ["READ_KEY"]
attempt("read", read)
attempt("download", download)
attempt("change by read", change)
attempt("artifact by read", lambda: log_artifact("by-read-key"))
wandb.teardown()
attempt("train by read", lambda: wandb.init(project="private", id="by-read-key").finish())
wandb.teardown()
attempt("train by read elsewhere", lambda: wandb.init(project="new-one", id="by-read-key").finish())
pathlib.Path("told.json").write_text(json.dumps(told))
"""


def test_the_ready_made_reaches_are_enough_and_no_more(
    server: Installation, keys: dict[str, str], sdk: Callable[[str], Path], tmp_path: Path
) -> None:
    """ACC-40: a key that logs runs trains, resumes and uploads; one that reads reads; what is missing is named.

    The same with artifacts: one logs and uses them, the other only downloads.
    """
    env = {
        **server.client_env(keys["log"]), "WANDB_ENTITY": "robo-home", "WANDB_SILENT": "true",
        "LOG_KEY": keys["log"], "READ_KEY": keys["read"],
    }  # fmt: skip
    sdks.run_script(sdk(VERSION), REACHES, env=env, cwd=tmp_path)
    told = json.loads((tmp_path / "told.json").read_text())
    assert told["train"] == told["resume"] == "robo-home/private/by-log-key"
    assert told["read"] == ["finished", 1.0, True, 0.1]
    assert (told["artifact"], told["download"]) == ("v0", "by a key")
    for refused in ("change by read", "artifact by read"):
        assert re.search(r"scopes of the API key do not include \w+\.\w+", told[refused]), told[refused]
    assert re.search(r"scopes of the API key do not include run\.delete", told["delete by log"])
    assert re.search(r"scopes of the API key do not include run\.log", told["train by read"])
    assert re.search(r"scopes of the API key do not include project\.create", told["train by read elsewhere"])
