"""The program of a real SDK arrives when it asks for it, and not where its team or its author forbids it (TEAM-8)."""

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests import sdks
from tests.installation import Installation
from tests.sdk.people import Person, person
from tests.sdk.wire import Run
from tests.suite.passes import CURRENT, Pass

pytestmark = pytest.mark.sdk

PROGRAM = """
import os, wandb
settings = wandb.Settings(save_code=True) if os.environ.get("ASKS") else None
with wandb.init(project="code", id=os.environ["RUN"], settings=settings) as run:
    run.log({"loss": 1})
"""
BY_PATH = "import runpy; runpy.run_path('train.py', run_name='__main__')"
CODE = {"code/train.py", "diff.patch"}


@pytest.fixture(scope="module")
def ida(server: Installation) -> Iterator[Person]:
    with person(server, "code-ida") as made:
        yield made


def _repository(folder: Path) -> None:
    """Make a repository whose program was changed since its last commit."""
    git = ("git", "-C", str(folder), "-c", "user.name=ida", "-c", "user.email=ida@example.com")
    program = folder / "train.py"
    program.write_text("pass\n")
    for command in (("init", "--quiet"), ("add", "train.py"), ("commit", "--quiet", "-m", "begin")):
        subprocess.run([*git, *command], check=True)
    program.write_text(PROGRAM)


@dataclass(frozen=True)
class Case:
    """What a script asks for, what the person and the team chose, and whether the code arrives."""

    name: str
    asks: dict[str, str] = field(default_factory=dict)
    choice: str = ""
    is_forbidden: bool = False
    arrives: bool = True


USUAL = [Case("asked", {"ASKS": "yes"}), Case("forbidden", {"ASKS": "yes"}, is_forbidden=True, arrives=False)]
CASES = [
    *USUAL,
    Case("by-variable", {"WANDB_SAVE_CODE": "true"}),
    Case("unasked", arrives=False),
    Case("always", choice="always"),
    Case("never", {"ASKS": "yes"}, choice="never", arrives=False),
]


def _choose(server: Installation, who: Person, case: Case) -> None:
    """Store what the person and the team chose: here the personal entity, whose switch has no page."""
    code = (
        "from accounts.models import User; from teams.models import Team;"
        f"User.objects.filter(username={who.name!r}).update(code_saving={case.choice!r});"
        f"Team.objects.filter(name={who.name!r}).update(code_saving_allowed={not case.is_forbidden})"
    )
    server.manage("shell", "--no-imports", "-c", code)


@pytest.fixture(params=sdks.tried())
def python(request: pytest.FixtureRequest, sdk: Callable[[str], Path]) -> Path:
    return sdk(request.param)


@pytest.mark.parametrize("case", CASES if CURRENT is Pass.ALL else USUAL, ids=lambda case: case.name)
def test_code_arrives_where_it_is_asked_for_and_allowed(
    server: Installation, ida: Person, python: Path, tmp_path: Path, case: Case
) -> None:
    """TEAM-8: flags that said false where nobody had chosen overrode what the script asked for."""
    _repository(tmp_path)
    _choose(server, ida, case)
    run = Run(ida.name, "code", uid=python.parents[1].name.replace(".", "-") + case.name)
    env = {**ida.env, **case.asks, "RUN": run.uid, "WANDB_DISABLE_GIT": "false"}
    sdks.run_script(python, BY_PATH, env=env, cwd=tmp_path)
    assert ida.wire.run(run)["state"] == "finished"
    found = ida.wire.files(run)
    assert "config.yaml" in found
    assert found & CODE == (CODE if case.arrives else set())
