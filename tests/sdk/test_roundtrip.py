"""What a script logs with the real SDK is what it gets back (RUN-1, RUN-5, RUN-8)."""

import json
import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests import sdks
from tests.installation import Installation
from tests.sdk.people import VERSION, Person
from tests.sdk.wire import Recorder, Run, recording

pytestmark = [pytest.mark.sdk, pytest.mark.dialect]

TYPES = r"""
import json, math, pathlib, sys, time
import numpy, PIL.Image, wandb

pathlib.Path("notes.bin").write_bytes(bytes(range(256)) * 33)
pathlib.Path("empty.txt").write_bytes(b"")
run = wandb.init(
    project="types", name="a näme", notes="why\nso", tags=["b", "a", "ü"], group="g", job_type="train",
    config={"lr": 0.1, "nan": math.nan, "inf": math.inf, "deep": {"a": [1, {"b": None}]}, "text": "é", "n": 2**53 + 1},
)
run.config.update({"later": True})
pixels = numpy.arange(192, dtype="uint8").reshape(8, 8, 3)
PIL.Image.fromarray(pixels).save("pixels.png")
run.log({"nan": math.nan, "inf": math.inf, "minus": -math.inf, "good": 1.5})
run.log({"text": "é 🚀 \" \\ \x00", "yes": True, "no": False, "none": None})
run.log({"one": 1.0, "int": 1, "exact": 2**53, "beyond": 2**53 + 1, "huge": 1e308, "tiny": 5e-324, "zero": -0.0})
run.log({"deep": {"a": {"b": 1, "c": "x", "d": [1, 2, {"e": math.nan}]}}, "list": [1, "two", None, 3.5]})
run.log({"a.b": 1, "a/b": 2, "with space": 3, "ключ": 4, "🚀": 5, "quote\"d": 6, "back\\slash": 7})
run.log({"empty": {}, "empties": []})
run.log({})
run.log({"image": wandb.Image("pixels.png", caption="c"), "histogram": wandb.Histogram([1, 2, 2, 3, math.pi])})
run.log({f"key/{i}": i / 7 for i in range(1000)})
for i in range(40):
    run.log({"loss": 1 / (i + 1), "odd": i} if i % 2 else {"loss": 1 / (i + 1)})
print("to stdout é 🚀")
print("to stderr", file=sys.stderr)
for i in range(20):
    print("line", i)
run.save("notes.bin", policy="now")
run.save("empty.txt", policy="now")
run.summary["by hand"] = 42
where = run.path
patience = time.monotonic() + 60  # the SDK samples in its own time; a short script may end before the first sample
while not wandb.Api().run(where).history(stream="system", pandas=False) and time.monotonic() < patience:
    time.sleep(0.5)
run.finish()

got = wandb.Api().run(where)
media = [file.name for file in got.files() if file.name.startswith("media/")]
for name in ["notes.bin", *media]:
    got.file(name).download(root="down", replace=True)
told = {
    "path": where, "name": got.name, "id": got.id, "state": got.state, "tags": got.tags, "notes": got.notes,
    "group": got.group, "job_type": got.job_type, "config": got.config, "summary": dict(got.summary),
    "scan": list(got.scan_history()), "scan_keys": list(got.scan_history(keys=["loss", "odd"])),
    "scan_page": list(got.scan_history(page_size=7)), "scan_range": list(got.scan_history(min_step=3, max_step=5)),
    "history": got.history(pandas=False), "sampled": got.history(keys=["loss"], samples=10, pandas=False),
    "last_step": got.lastHistoryStep, "metadata": got.metadata, "media": media,
    "files": {file.name: file.size for file in got.files()},
    "log": [(line.content, line.level) for line in got.console_logs()],
    "system": got.history(stream="system", pandas=False), "user": got.user.username, "entity": got.entity,
}
pathlib.Path("told.json").write_text(json.dumps(told, default=str))
"""


class Trip:
    """One run there and back."""

    def __init__(self, folder: Path, recorder: Recorder) -> None:
        self.folder = folder
        self.recorder = recorder
        self.told: dict[str, Any] = json.loads((folder / "told.json").read_text())


@pytest.fixture(scope="module")
def trip(
    server: Installation, ada: Person, tmp_path_factory: pytest.TempPathFactory, sdk: Any
) -> Iterator[Trip]:
    folder = tmp_path_factory.mktemp("types")
    with recording(server.port) as recorder:
        env = {**ada.env, "WANDB_BASE_URL": recorder.url}
        sdks.run_script(sdk(VERSION), TYPES, env=env, cwd=folder)
        yield Trip(folder, recorder)


def in_strict_json(value: Any) -> Any:
    """Return what a row of scan_history has for a value of the wire: NaN and infinities travel by name."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {key: in_strict_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [in_strict_json(item) for item in value]
    return value


def exactly(rows: list[dict[str, Any]]) -> list[str]:
    """Tell 1 from 1.0 and True, which Python calls equal."""
    return [json.dumps(row, sort_keys=True) for row in rows]


def user_keys(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in {"_step", "_timestamp", "_runtime"}}


def test_scan_history_returns_every_line_as_it_was_on_the_wire(trip: Trip) -> None:
    sent = [in_strict_json(json.loads(line)) for line in trip.recorder.lines("wandb-history.jsonl")]
    assert len(sent) == 49
    assert exactly(trip.told["scan"]) == exactly(sent)


def test_scan_history_is_the_same_in_small_pages(trip: Trip) -> None:
    assert exactly(trip.told["scan_page"]) == exactly(trip.told["scan"])


def test_scan_history_takes_a_range_of_steps(trip: Trip) -> None:
    assert [row["_step"] for row in trip.told["scan_range"]] == [3, 4]


@pytest.mark.parametrize(
    ("step", "values"),
    [
        (0, {"nan": "NaN", "inf": "Infinity", "minus": "-Infinity", "good": 1.5}),
        (1, {"text": 'é 🚀 " \\ \x00', "yes": True, "no": False, "none": None}),
        # The SDK's core itself sends 1.0 as 1 and -0.0 as 0.
        (
            2,
            {
                "one": 1,
                "int": 1,
                "exact": 2**53,
                "beyond": 2**53 + 1,
                "huge": 1e308,
                "tiny": 5e-324,
                "zero": 0,
            },
        ),
        (3, {"deep": {"a": {"b": 1, "c": "x", "d": [1, 2, {"e": "NaN"}]}}, "list": [1, "two", None, 3.5]}),
        (4, {"a.b": 1, "a/b": 2, "with space": 3, "ключ": 4, "🚀": 5, 'quote"d': 6, "back\\slash": 7}),
        (5, {"empties": []}),  # the core leaves out an empty object
        (6, {}),
        (8, {f"key/{i}": i / 7 if i % 7 else i // 7 for i in range(1000)}),
    ],
)
def test_values_come_back(trip: Trip, step: int, values: dict[str, Any]) -> None:
    assert exactly([user_keys(trip.told["scan"][step])]) == exactly([values])


def test_media_come_back_in_history_and_as_files(trip: Trip) -> None:
    row = trip.told["scan"][7]
    assert row["histogram"]["_type"] == "histogram"
    assert (row["image"]["_type"], row["image"]["caption"]) == ("image-file", "c")
    assert trip.told["media"] == [row["image"]["path"]]
    downloaded = (trip.folder / "down" / row["image"]["path"]).read_bytes()
    assert downloaded == (trip.folder / "pixels.png").read_bytes()


def test_scan_history_with_keys_returns_rows_that_have_them_all(trip: Trip) -> None:
    expected = [{"_step": 9 + i, "loss": 1 / (i + 1), "odd": i} for i in range(1, 40, 2)]
    assert trip.told["scan_keys"] == expected


def test_history_without_keys_keeps_non_finite_numbers(trip: Trip) -> None:
    first = trip.told["history"][0]
    assert math.isnan(first["nan"])
    assert (first["inf"], first["minus"]) == (math.inf, -math.inf)
    assert len(trip.told["history"]) == 49


def test_history_with_keys_is_evenly_sampled_with_first_and_last(trip: Trip) -> None:
    steps = [row["_step"] for row in trip.told["sampled"]]
    assert (steps[0], steps[-1], len(steps)) == (9, 48, 10)
    assert {b - a for a, b in pairwise(steps)} <= {4, 5}


def test_last_step(trip: Trip) -> None:
    assert trip.told["last_step"] == 48


def test_summary_is_the_last_value_of_every_key(trip: Trip) -> None:
    """RUN-5: and what was set by hand."""
    summary = trip.told["summary"]
    assert math.isnan(summary["nan"])
    assert (summary["inf"], summary["minus"]) == (math.inf, -math.inf)
    sent = json.loads(trip.recorder.lines("wandb-summary.json")[-1])
    assert set(summary) == set(sent)
    picked = ("loss", "beyond", "yes", "text", "key/999", "by hand", "_step")
    wanted = [1 / 40, 2**53 + 1, True, 'é 🚀 " \\ \x00', 999 / 7, 42, 48]
    assert [summary[key] for key in picked] == wanted


def test_config_is_what_the_core_sent(trip: Trip) -> None:
    """The core sends a NaN in the config as null, and infinity as it is."""
    assert trip.told["config"] == {
        "lr": 0.1, "nan": None, "inf": math.inf, "deep": {"a": [1, {"b": None}]}, "text": "é", "n": 2**53 + 1,
        "later": True,
    }  # fmt: skip


def test_names_tags_notes_and_groups_come_back(trip: Trip) -> None:
    """RUN-1."""
    told = trip.told
    assert (told["name"], told["notes"], told["tags"]) == ("a näme", "why\nso", ["b", "a", "ü"])
    assert (told["group"], told["job_type"], told["state"]) == ("g", "train", "finished")
    assert told["path"] == f"{told['entity']}/types/{told['id']}"


def test_files_come_back_as_they_were(trip: Trip) -> None:
    assert (trip.folder / "down" / "notes.bin").read_bytes() == bytes(range(256)) * 33
    files = trip.told["files"]
    assert (files["notes.bin"], files["empty.txt"]) == (8448, 0)
    assert {
        "config.yaml",
        "output.log",
        "requirements.txt",
        "wandb-metadata.json",
        "wandb-summary.json",
    } <= set(files)


def test_metadata_says_where_it_ran(trip: Trip) -> None:
    """RUN-1: host, OS, Python."""
    metadata = trip.told["metadata"]
    assert metadata["python"].startswith("CPython 3.")
    assert metadata["email"] == "sdk-ada@example.com"
    assert metadata["host"]


def test_console_lines_come_back_in_order_with_their_level(trip: Trip) -> None:
    lines = trip.told["log"]
    assert lines[:2] == [["to stdout é 🚀", ""], ["to stderr", "error"]]
    assert lines[2:22] == [[f"line {i}", ""] for i in range(20)]


def test_system_metrics_come_back(trip: Trip) -> None:
    assert any(key.startswith("system.") for key in trip.told["system"][0])


BIG = r"""
import wandb
run = wandb.init(project="types", settings=wandb.Settings(x_disable_stats=True, console="off"))
run.define_metric("big", summary="none")
run.log({"small": 1})
run.log({"big": "x" * 10_000_000})
run.log({"small": 2})
run.finish()
rows = list(wandb.Api().run(run.path).scan_history())
print([row.get("small") for row in rows], [len(row.get("big", "")) for row in rows])
"""


def test_a_line_just_under_the_clients_limit_comes_back(run_script: Any, sdk: Any, ada: Person) -> None:
    """The client drops lines over 10 MiB - 100 KiB itself."""
    ran = run_script(sdk(VERSION), BIG, ada.env)
    assert ran.stdout.splitlines()[-1] == "[1, None, 2] [0, 10000000, 0]"


FAILS = r"""
import sys, pathlib, time, wandb
run = wandb.init(project="ends", settings=wandb.Settings(x_disable_stats=True))
pathlib.Path("path").write_text("/".join([run.entity, run.project, run.id]))
run.log({"a": 1})
time.sleep(1)
sys.exit(3)
"""
"""It sleeps because a script that ends within a millisecond of init can lose the SDK's connection to its own process
(wandb 0.31.0), and then waits for an answer for ever."""


def test_an_exit_code_that_is_not_zero_is_failed(
    run_script: Any, sdk: Any, ada: Person, tmp_path: Path
) -> None:
    """RUN-2."""
    ran = run_script(sdk(VERSION), FAILS, ada.env, check=False)
    assert ran.returncode == 3, ran.stderr
    entity, project, uid = (tmp_path / "path").read_text().split("/")
    found = ada.wire.run(Run(entity, project, uid))
    assert (found["state"], found["exitcode"]) == ("failed", 3)


PLACES = r"""
import json, wandb
told = {}
def where(name, **init):
    try:
        with wandb.init(settings=wandb.Settings(x_disable_stats=True, console="off"), **init) as run:
            told[name] = [run.entity, run.project, run.url]
    except wandb.errors.Error as error:
        told[name] = str(error)
where("default")
where("team", entity="sdk-lab", project="shared")
where("unknown", entity="nobody-here", project="shared")
where("stranger", entity="sdk-bob", project="shared")
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def places(ada: Person, team: str, sdk: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("places")
    ran = sdks.run_script(sdk(VERSION), PLACES, env=ada.env, cwd=folder)
    return dict(json.loads(ran.stdout.splitlines()[-1]))


def test_no_entity_is_the_users_own_and_no_project_is_uncategorized(
    places: dict[str, Any], ada: Person
) -> None:
    assert places["default"][:2] == [ada.name, "uncategorized"]


def test_a_team_is_named_by_argument(places: dict[str, Any], team: str, server: Installation) -> None:
    entity, project, url = places["team"]
    assert (entity, project) == (team, "shared")
    assert url.startswith(f"{server.url}/{team}/shared/runs/")


VARIABLES = """
import wandb
with wandb.init(settings=wandb.Settings(x_disable_stats=True, console="off")) as run:
    print(run.entity, run.project)
"""


def test_a_team_and_a_project_are_named_by_variables(
    run_script: Any, sdk: Any, ada: Person, team: str
) -> None:
    env = {**ada.env, "WANDB_ENTITY": team, "WANDB_PROJECT": "shared"}
    assert run_script(sdk(VERSION), VARIABLES, env).stdout.splitlines()[-1] == f"{team} shared"


@pytest.mark.parametrize("way", ["unknown", "stranger"])
def test_an_entity_that_one_may_not_see_is_refused_with_those_one_has(
    places: dict[str, Any], way: str
) -> None:
    assert "you don’t have access to it" in places[way]
    assert "sdk-ada" in places[way]
    assert "sdk-lab" in places[way]


REFUSED = r"""
import wandb
try:
    wandb.init(settings=wandb.Settings(console="off", silent=True), **{init})
except wandb.errors.Error as error:
    print("REFUSED", error)
"""


def test_a_role_that_may_only_look_is_refused_by_the_actions_name(
    run_script: Any, sdk: Any, bob: Person, team: str
) -> None:
    ran = run_script(
        sdk(VERSION), REFUSED.replace("{init}", repr({"entity": team, "project": "shared"})), bob.env
    )
    assert "REFUSED" in ran.stdout
    assert "log" in ran.stdout.lower()


def test_a_wrong_key_is_refused_with_what_to_do(run_script: Any, sdk: Any, server: Installation) -> None:
    env = server.client_env("ry-" + "x" * 40)
    ran = run_script(sdk(VERSION), REFUSED.replace("{init}", "{}"), env)
    assert "REFUSED" in ran.stdout
    assert "unknown or was revoked" in ran.stdout
