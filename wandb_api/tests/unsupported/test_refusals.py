"""A real SDK that uses what this server does not do loses nothing of its run, and is told so."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests import sdks
from tests.installation import Installation
from tests.sdk.people import Person, person

pytestmark = pytest.mark.sdk

SCRIPT = r"""
import json, pathlib, sys, time, wandb

told, version = {}, sys.argv[1]

def ask(name, call):
    began = time.monotonic()
    try:
        told[name] = repr(call())
    except Exception as error:
        told[name] = f"{type(error).__name__}: {error}"
    told[name + " s"] = time.monotonic() - began

pathlib.Path("saved.txt").write_text("saved")
run = wandb.init(project="refused", id="r" + version.replace(".", ""), settings=wandb.Settings(_disable_stats=True))
for number in range(10):
    run.log({"loss": number})
run.log({"table": wandb.Table(columns=["a"], data=[[1], [2]])})
wandb.save("saved.txt")
run.log({"loss": 99})
began = time.monotonic()
run.finish()
told["finish s"] = time.monotonic() - began
api = wandb.Api()
mine = api.run("refused/" + run.id)
told["id"], told["state"] = run.id, mine.state
told["losses"] = [row["loss"] for row in mine.history(pandas=False) if row.get("loss") is not None]
told["files"] = sorted(file.name for file in mine.files())
sweep = {"method": "random", "parameters": {"a": {"values": [1]}}, "controller": {"type": "local"}}
ask("sweep", lambda: wandb.sweep(sweep, project="refused"))
pathlib.Path("told.json").write_text(json.dumps(told))
"""


@pytest.fixture(scope="module")
def eve(server: Installation) -> Iterator[Person]:
    with person(server, "refused-eve") as made:
        yield made


@pytest.fixture(scope="module")
def told_by(
    eve: Person, sdk: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, Any]]:
    """Run the script with all releases at once: most of its time is waiting."""

    def run(version: str) -> dict[str, Any]:
        folder = folders[version]
        code = SCRIPT.replace("sys.argv[1]", repr(version))
        sdks.run_script(sdk(version), code, env=eve.env, cwd=folder)  # which says that it ended with 0
        return dict(json.loads((folder / "told.json").read_text()))

    folders = {
        version: tmp_path_factory.mktemp(f"refused-{version}") for version in sdks.newest()
    }  # by one thread
    with ThreadPoolExecutor() as pool:
        return dict(zip(sdks.newest(), pool.map(run, sdks.newest()), strict=True))


@pytest.fixture(params=sdks.newest())
def told(request: pytest.FixtureRequest, told_by: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return told_by[request.param]


def test_the_run_is_finished_with_all_it_logged(told: dict[str, Any]) -> None:
    assert (told["state"], told["losses"]) == ("finished", [*range(10), 99])


def test_its_files_are_there_the_table_s_too(told: dict[str, Any]) -> None:
    assert "saved.txt" in told["files"]
    assert any(name.startswith("media/table/table_") for name in told["files"])


def test_the_feature_is_named_where_the_script_asks_for_it(told: dict[str, Any]) -> None:
    assert "the local controller is not supported" in told["sweep"]


def test_nothing_is_tried_again(told: dict[str, Any]) -> None:
    """A refusal that the SDK retries would cost minutes."""
    assert {name: took for name, took in told.items() if name.endswith(" s") and took > 10} == {}
