"""A team that is not there is named by whatever an SDK is asked to do with it, and no error of the SDK's own."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import sdks
from tests.sdk.people import Person

pytestmark = pytest.mark.sdk

SCRIPT = r"""
import json, pathlib, wandb

told, api = {}, wandb.Api()
calls = {
    "team": lambda: api.team("no-such-team").members,
    "projects": lambda: list(api.projects("no-such-team")),
    "init": lambda: wandb.init(project="p", entity="no-such-team"),
}
for name, call in calls.items():
    try:
        told[name] = repr(call())
    except Exception as error:
        told[name] = f"{type(error).__name__}: {error}"
pathlib.Path("told.json").write_text(json.dumps(told))
"""


@pytest.mark.parametrize("version", sdks.tried())
def test_an_unknown_team_is_an_error_that_names_it(
    ada: Person, sdk: Callable[[str], Path], tmp_path: Path, version: str
) -> None:
    sdks.run_script(sdk(version), SCRIPT, env=ada.env, cwd=tmp_path)
    told = json.loads((tmp_path / "told.json").read_text())
    assert set(told) == {"team", "projects", "init"}
    for said in told.values():
        assert "The entity “no-such-team” doesn’t exist" in said
        assert not said.startswith(("KeyError", "AttributeError", "TypeError"))
