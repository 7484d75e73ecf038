"""`wandb.Api()` of the real SDK on runs and projects."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.urls import resolve

from tests import sdks
from tests.installation import Installation
from tests.sdk.people import VERSION, Person
from tests.sdk.wire import Recorder, recording

pytestmark = pytest.mark.sdk

SCRIPT = r"""
import json, pathlib, wandb
settings = wandb.Settings(x_disable_stats=True, console="off")
for number in range(3):
    with wandb.init(project="api", id=f"api{number}", config={"n": number}, tags=["x"], settings=settings) as run:
        run.log({"loss": number})
told = {}
api = wandb.Api()
told["viewer"] = api.viewer.username
told["entity"] = api.default_entity
runs = api.runs("api", order="+created_at", per_page=2)
told["count"] = len(runs)
told["ids"] = [run.id for run in runs]
told["newest"] = [run.id for run in api.runs("api", order="-created_at")]
told["full"] = [(run.config["n"], run.summary["loss"]) for run in api.runs("api", lazy=False)]
run = api.run("api/api1")
run.name, run.notes, run.tags, run.group = "renamed", "noted", ["y", "z"], "grouped"
run.config["m"] = 5
run.update()
run.summary["hand"] = 7
run.summary.update()
pathlib.Path("late.txt").write_text("late")
run.upload_file("late.txt")
run = api.run("api/api1")
told["urls"] = [run.url, api.project("api").url]
told["changed"] = [run.name, run.notes, run.tags, run.group, dict(run.config), run.summary["hand"], run.state]
told["files"] = [file.name for file in run.files(["late.txt"])]
told["pattern"] = [file.name for file in run.files(pattern="late%")]
told["missing"] = [(file.name, file.md5, file.size) for file in run.files(["late.txt", "no.h5"])]
try:
    told["restored"] = wandb.restore("no.h5", run_path=f"{run.entity}/api/api1")
except Exception as error:
    told["restored"] = f"{type(error).__name__}: {error}"
try:
    told["not downloaded"] = run.file("no.h5").download(root="down").read()
except Exception as error:
    told["not downloaded"] = type(error).__name__
told["length"] = len(run.files(["no.h5"])) == len(run.files())
told["late url"] = run.file("late.txt").url
told["late"] = run.file("late.txt").download(root="down", replace=True).read()
run.wait_until_finished()
api.run("api/api2").delete()
told["left"] = [run.id for run in wandb.Api().runs("api")]
try:
    wandb.Api().run("api/api2").load()
    told["deleted"] = "there"
except Exception as error:
    told["deleted"] = type(error).__name__
try:
    told["nowhere"] = len(wandb.Api().runs("nobody/nothing"))
except ValueError as error:
    told["nowhere"] = str(error)
pathlib.Path("told.json").write_text(json.dumps(told, default=str))
"""


@pytest.fixture(scope="module")
def asked(
    server: Installation, ada: Person, sdk: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[dict[str, Any], Recorder]]:
    folder = tmp_path_factory.mktemp("api")
    with recording(server.port) as recorder:
        sdks.run_script(sdk(VERSION), SCRIPT, env={**ada.env, "WANDB_BASE_URL": recorder.url}, cwd=folder)
        yield json.loads((folder / "told.json").read_text()), recorder


@pytest.fixture
def told(asked: tuple[dict[str, Any], Recorder]) -> dict[str, Any]:
    return asked[0]


def test_every_operation_was_answered_without_errors(asked: tuple[dict[str, Any], Recorder]) -> None:
    failed = [
        (ask["query"], status, got)
        for ask, status, got in asked[1].answers
        if status != 200 or "errors" in got
    ]
    assert failed == []


def test_these_operations_were_sent(asked: tuple[dict[str, Any], Recorder]) -> None:
    sent = {
        match
        for ask, _, _ in asked[1].answers
        for match in re.findall(r"(?:query|mutation) (\w+)", ask["query"])
    }
    assert {
        "Viewer",
        "Runs",
        "Run",
        "RunFiles",
        "UpsertBucket",
        "CreateRunFiles",
        "RunState",
        "DeleteRun",
    } <= sent


def test_the_viewer_is_who_holds_the_key(told: dict[str, Any], ada: Person) -> None:
    assert (told["viewer"], told["entity"]) == (ada.name, ada.name)


def test_runs_are_paged_counted_and_ordered_by_age(told: dict[str, Any]) -> None:
    assert told["count"] == 3
    assert told["ids"] == ["api0", "api1", "api2"]
    assert told["newest"] == ["api2", "api1", "api0"]


def test_runs_carry_config_and_summary(told: dict[str, Any]) -> None:
    assert told["full"] == [[0, 0], [1, 1], [2, 2]]


def test_a_run_is_renamed_annotated_and_reconfigured_without_being_revived(told: dict[str, Any]) -> None:
    """RUN-5: a summary value set by hand stays."""
    assert told["changed"] == ["renamed", "noted", ["y", "z"], "grouped", {"n": 1, "m": 5}, 7, "finished"]


def test_addresses_of_a_run_and_a_project_are_pages(told: dict[str, Any]) -> None:
    routes = [resolve(urlsplit(url).path).view_name for url in told["urls"]]
    assert routes == ["metrics:run_workspace", "wandb:workspace"]


def test_a_file_is_added_found_and_read_back(told: dict[str, Any]) -> None:
    assert told["files"] == told["pattern"] == ["late.txt"]
    assert told["late"] == "late"


def test_a_file_that_is_not_there_is_answered_as_the_sdk_expects(told: dict[str, Any], ada: Person) -> None:
    """`wandb.restore` knows it by its MD5; a first start of a job that resumes catches that `ValueError`."""
    late, missing = told["missing"]
    assert (late[0], late[2]) == ("late.txt", 4)
    assert missing == ["no.h5", "0", 0]
    assert told["restored"] == f"ValueError: File no.h5 not found in {ada.name}/api/api1."
    assert told["not downloaded"] in {"CommError", "WandbApiFailedError"}
    assert told["length"]


def test_the_address_of_a_file_ends_with_its_name(told: dict[str, Any]) -> None:
    assert told["late url"].endswith("/late.txt")


def test_a_deleted_run_is_gone(told: dict[str, Any]) -> None:
    """RUN-7."""
    assert told["left"] == ["api0", "api1"]
    assert told["deleted"] != "there"


def test_a_project_that_is_not_there_is_told_as_such(told: dict[str, Any]) -> None:
    assert "Could not find project" in told["nowhere"]
