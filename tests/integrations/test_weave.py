"""Weave, which is not here: a script that logs an `EvalTable` goes on with a table, as docs/use/sdk.md says.

The SDK itself refuses the table in `run.log`, whatever a server answers, before it has sent anything of its rows.
"""

import json
from pathlib import Path

import pytest

from tests import sdks
from tests.installation import Installation
from tests.integrations.frameworks import python_of
from tests.sdk.people import person

pytestmark = [pytest.mark.sdk, pytest.mark.exhaustive("installs one more framework")]

SCRIPT = """
import json, pathlib, wandb

rows = {"columns": ["question", "score"], "data": [["a", 1], ["b", 2]]}
told = {"refused": ""}
with wandb.init(project="evaluated") as run:
    run.log({"before": 1})
    try:
        run.log({"answers": wandb.EvalTable(**rows)})
    except (wandb.UsageError, ImportError) as refused:
        told["refused"] = str(refused)
        run.log({"answers": wandb.Table(**rows)})
    run.log({"after": 2})
ended = wandb.Api().run(run.path)
[table] = [version for version in ended.logged_artifacts() if version.type == "run_table"]
told["run"] = [ended.state, ended.summary["before"], ended.summary["after"]]
told["rows"] = table.get("answers").data
pathlib.Path("told.json").write_text(json.dumps(told))
"""
OFF, NOT_ASKED = {"WEAVE_DISABLED": "true"}, {"WANDB_DISABLE_WEAVE": "true"}


@pytest.mark.parametrize("switches", [{}, OFF, NOT_ASKED, OFF | NOT_ASKED], ids=" ".join)
def test_the_rows_of_an_eval_table_are_kept_as_a_table(
    server: Installation, tmp_path: Path, switches: dict[str, str]
) -> None:
    name = f"evaluates-{len(switches)}-{next(iter(switches), 'none').lower().replace('_', '-')}"
    with person(server, name) as somebody:
        ran = sdks.run_script(python_of("weave"), SCRIPT, env={**somebody.env, **switches}, cwd=tmp_path)
    told = json.loads((tmp_path / "told.json").read_text())
    assert told["run"] == ["finished", 1, 2]
    assert told["rows"] == [["a", 1], ["b", 2]]
    assert "Weave" in told["refused"] or "weave" in told["refused"]
    if not switches:
        assert "weave.is.not.part.of.runyard" in ran.stdout + ran.stderr
