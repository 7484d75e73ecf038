"""Runs that old releases recorded offline, and the newest sends: `old_runs` has what each wrote on its disk.

Recorded on Python 3.11 by a clock of March 2024: five rows with ``x`` and ``loss``, the last with a picture.
"""

import json
import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from tests import sdks
from tests.sdk.people import Person
from tests.sdk.wire import Run

pytestmark = pytest.mark.sdk

RECORDED = Path(__file__).with_name("old_runs")
VERSIONS = sorted(folder.name for folder in RECORDED.iterdir())
SYNC = "import sys, wandb.cli.cli as cli; sys.argv = ['wandb', 'sync', {folder!r}]; cli.cli()"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_run_of_an_old_release_keeps_what_it_says(
    ada: Person, sdk: Callable[[str], Path], tmp_path: Path, version: str
) -> None:
    uid = f"o{version.replace('.', '-')}"
    folder = tmp_path / f"offline-run-20240305_161856-{uid}"
    shutil.copytree(RECORDED / version, folder)
    sdks.run_script(sdk(sdks.versions()[-1]), SYNC.format(folder=str(folder)), env=ada.env, cwd=tmp_path)
    run = Run(ada.name, "old", uid)
    found, rows = ada.wire.run(run), ada.wire.rows(run)
    began_at = datetime.fromisoformat(found["createdAt"])
    clock = rows[0]["_timestamp"] - rows[0]["_runtime"]
    assert abs(began_at.timestamp() - clock) <= 1
    asked = {"entity": ada.name, "project": "old", "uid": uid}
    (told,) = ada.wire.http.get("/api/v1/runs/", params=asked).json()["results"]
    ended_at = datetime.fromisoformat(told["finished_at"])
    assert abs(ended_at.timestamp() - rows[-1]["_timestamp"]) <= 1
    assert told["duration_s"] == told["runtime_s"] > 1
    assert found["state"] == "finished"
    assert [row["x"] for row in rows] == list(range(5))
    summary = json.loads(found["summaryMetrics"])
    assert {key: summary[key] for key in ("x", "loss", "_step")} == {"x": 4, "loss": 0.2, "_step": 4}
    assert summary["img"]["_type"] == "image-file"
    assert {key: one["value"] for key, one in json.loads(found["config"]).items() if key != "_wandb"} == {
        "lr": 0.1, "model": {"layers": 4},
    }  # fmt: skip
    assert rows[4]["img"]["path"] in ada.wire.files(run)
