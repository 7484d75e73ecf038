"""RUN-1: runs with ids of any characters, by the real SDK: logged, resumed, and read by the public API."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from tests import sdks
from tests.installation import Installation
from tests.run_ids import LOGGED
from tests.sdk.people import Person

pytestmark = pytest.mark.sdk

SCRIPT = r"""
import json, pathlib, sys, wandb
told = []
for uid in json.loads(pathlib.Path("ids.json").read_text()):
    pathlib.Path("notes.txt").write_text(uid, encoding="utf-8")
    for part, resume in enumerate(["never", "must"]):
        run = wandb.init(project="ids-" + wandb.__version__, id=uid, resume=resume)
        run.log({"loss": part})
        print("part", part)
        run.save("notes.txt", policy="now")
        url = run.url
        run.finish()
    found = wandb.Api().run(run.path)
    again = wandb.Api().run("/".join(found.path))
    content = found.file("notes.txt").download(root="down", replace=True).read()
    told.append({
        "id": run.id, "found": found.id, "again": again.state, "state": found.state, "file": content, "url": url,
        "loss": [row["loss"] for row in found.scan_history()], "same": found.storage_id == again.storage_id,
    })
pathlib.Path("told.json").write_text(json.dumps(told))
"""
REFUSED = r"""
import wandb
for uid in (".", "..", "50%", "a%41"):
    try:
        wandb.init(project="ids-refused", id=uid)
        print("began", uid)
    except Exception as error:
        print("refused", error)
"""
ENV = {"WANDB_SILENT": "true", "WANDB_X_DISABLE_STATS": "true", "WANDB__DISABLE_STATS": "true"}


@pytest.mark.parametrize("release", sdks.tried())
def test_a_run_of_any_id_is_logged_resumed_and_read(
    server: Installation, ada: Person, sdk: Callable[[str], Path], tmp_path: Path, release: str
) -> None:
    ids = LOGGED if release == sdks.ends()[-1] else LOGGED[:2]  # the oldest takes ten seconds a run
    (tmp_path / "ids.json").write_text(json.dumps(ids))
    sdks.run_script(sdk(release), SCRIPT, env={**ada.env, **ENV}, cwd=tmp_path)
    told: list[dict[str, Any]] = json.loads((tmp_path / "told.json").read_text())
    for uid, run in zip(ids, told, strict=True):
        path = urlsplit(run.pop("url")).path
        assert unquote(path) == f"/{ada.name}/ids-{release}/runs/{uid}"
        assert run == {
            "id": uid, "found": uid, "state": "finished", "again": "finished", "same": True, "file": uid, "loss": [0, 1]
        }  # fmt: skip


@pytest.mark.parametrize("release", [name for name in sdks.newest() if name != sdks.ends()[0]])
def test_ids_that_the_sdk_cannot_stream_to_are_refused(
    ada: Person, sdk: Callable[[str], Path], tmp_path: Path, release: str
) -> None:
    """It would lose history and log, and only warn of it. (0.16 formats the message by its `%` and ends otherwise.)"""
    done = sdks.run_script(sdk(release), REFUSED, env={**ada.env, **ENV}, cwd=tmp_path)
    assert done.stdout.count("cannot send history and log of a run with the ID") == 4
    assert "began" not in done.stdout
