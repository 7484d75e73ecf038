"""Parquet history with the SDK's own reader: the files are used, and say what is read live (MET-3)."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests import sdks
from tests.installation import Installation
from tests.sdk.people import person
from tests.sdk.wire import recording

VERSIONS = [version for version in sdks.newest() if version in {"0.29.0", "0.31.0"}]
"""The releases that have `download_history_exports`."""

SCRIPT = """
import json, math, pathlib, wandb

def train(run, steps, extra=lambda step: {}):
    for step in steps:
        run.log({"loss": 1 / (step + 1) if step != 7 else math.nan, "n": step, "t": f"é {step}", **extra(step)})
    run.finish()

def read(path):
    run = wandb.Api().run(path)
    told = {
        "scan": list(run.scan_history()), "range": list(run.scan_history(min_step=5, max_step=9)),
        "keys": list(run.scan_history(keys=["loss", "n"])),
    }
    told["files"] = []
    result = run.download_history_exports(f"exports-{run.id}-{len(told['scan'])}")
    told["files"] = [str(path) for path in result.paths]
    return told

told = {}
run = wandb.init(project="parquet", id="dense")
train(run, range(2500))
told["dense"] = read(run.path)
run = wandb.init(project="parquet", id="dense", resume="must")
train(run, range(2500, 2600))
told["resumed"] = read(run.path)
run = wandb.init(project="parquet", id="sparse")
train(run, range(100), lambda step: {"val": step} if step % 10 == 0 else {})
told["sparse"] = read(run.path)
run = wandb.init(project="parquet", id="media")
mixed = lambda step: {"mixed": step / 2 if step % 3 else step, "vast": 2**53 + step if step % 2 else 0.5}
train(run, range(10), lambda step: {"histogram": wandb.Histogram([1, 2, step]), "at": {"depth": step}, **mixed(step)})
told["media"] = read(run.path)
run = wandb.init(project="parquet", id="empty")
run.finish()
told["empty"] = read(run.path)
pathlib.Path("told.json").write_text(json.dumps(told))
"""


@dataclass(frozen=True)
class Told:
    """What the script read, and what it had sent, by run."""

    read: dict[str, Any]
    sent: dict[str, list[dict[str, Any]]]
    folder: Path


def by_name(value: Any) -> Any:
    """Return what a live read has for a number that JSON has not: its name."""
    return str(value).replace("nan", "NaN") if isinstance(value, float) and math.isnan(value) else value


def named(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: by_name(value) for key, value in row.items()} for row in rows]


def exactly(rows: list[dict[str, Any]]) -> list[str]:
    return [json.dumps(row, sort_keys=True) for row in named(rows)]


@pytest.fixture(scope="module", params=VERSIONS)
def told(
    request: pytest.FixtureRequest, server: Installation, tmp_path_factory: pytest.TempPathFactory, sdk: Any
) -> Told:
    folder = tmp_path_factory.mktemp("parquet")
    name = "parquet-" + request.param.replace(".", "-")
    with person(server, name) as reader, recording(server.port) as recorder:
        env = {**reader.env, "WANDB_BASE_URL": recorder.url, "WANDB_CACHE_DIR": str(folder / "cache")}
        sdks.run_script(sdk(request.param), SCRIPT, env=env, cwd=folder)
        lines = {}
        for uid in ("dense", "sparse", "media"):
            lines[uid] = [json.loads(line) for line in recorder.lines("wandb-history.jsonl", uid)]
    return Told(json.loads((folder / "told.json").read_text()), lines, folder)


def test_a_scan_over_files_returns_every_line_as_it_was_sent(told: Told) -> None:
    assert exactly(told.read["dense"]["scan"]) == exactly(told.sent["dense"][:2500])
    assert [row["_step"] for row in told.read["dense"]["range"]] == [5, 6, 7, 8]
    assert [row["n"] for row in told.read["dense"]["keys"]] == list(range(2500))


def test_a_resumed_run_adds_a_file_beside_the_one_the_sdk_keeps(told: Told) -> None:
    assert exactly(told.read["resumed"]["scan"]) == exactly(told.sent["dense"])
    assert [len(told.read[name]["files"]) for name in ("dense", "resumed")] == [1, 2]


def test_a_downloaded_file_holds_the_whole_history(told: Told) -> None:
    [name] = told.read["dense"]["files"]
    assert named(pq.read_table(told.folder / name).to_pylist()) == named(told.sent["dense"][:2500])


@pytest.mark.parametrize("uid", ["sparse", "media"])
def test_a_history_that_files_would_change_is_read_live_by_a_scan(told: Told, uid: str) -> None:
    assert exactly(told.read[uid]["scan"]) == exactly(told.sent[uid])
    assert [row["_step"] for row in told.read[uid]["range"]] == [5, 6, 7, 8]


def table_of(told: Told, uid: str) -> dict[str, list[Any]]:
    [name] = told.read[uid]["files"]
    return dict(pq.read_table(told.folder / name).to_pydict())


def test_a_download_has_null_where_a_row_lacks_a_key(told: Told) -> None:
    table = table_of(told, "sparse")
    assert table["val"] == [row.get("val") for row in told.sent["sparse"]]
    assert [by_name(value) for value in table["loss"]] == [
        by_name(row["loss"]) for row in told.sent["sparse"]
    ]
    assert table["t"] == [row["t"] for row in told.sent["sparse"]]


def test_a_download_holds_numbers_exactly_and_media_as_json(told: Told) -> None:
    table, sent = table_of(told, "media"), told.sent["media"]
    assert table["mixed"] == [row["mixed"] for row in sent]
    assert table["at.depth"] == [row["at"]["depth"] for row in sent]
    assert [json.loads(text) for text in table["vast"]] == [row["vast"] for row in sent]
    assert [json.loads(text) for text in table["histogram"]] == [row["histogram"] for row in sent]


def test_an_empty_run_is_complete_without_files(told: Told) -> None:
    assert (told.read["empty"]["scan"], told.read["empty"]["files"]) == ([], [])
