"""What settings, the schedule, build files and start commands name by strings: a move must not leave one behind."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings

from common.server.supervisor import web_command, worker_command
from config.env import ROOT
from config.settings import base, prod
from config.settings import test as for_tests

DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+(:[A-Za-z_]\w*)?")
NO_NAMES = re.compile(".*(HOSTS?|DOMAINS|CHECKS)|AUTH_USER_MODEL|DATABASES|ENVIRONMENT")
"""Settings whose dots are those of hosts, of checks or of a model; of databases Django reads the engine itself."""
SERVER = tomllib.loads((ROOT / "pyproject.toml").read_text())
AGENT = tomllib.loads((ROOT / "agent" / "pyproject.toml").read_text())
IMPORTS = SERVER["tool"]["importlinter"]
PYTEST = SERVER["tool"]["pytest"]["ini_options"]
TASK = "@shared_task"


def strings_in(value: Any) -> Iterator[str]:
    """Yield every string below a value, but no key of a dictionary."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from strings_in(list(value.values()))
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from strings_in(one)


def dotted_in(value: Any) -> set[str]:
    return {text for text in strings_in(value) if DOTTED.fullmatch(text)}


def missing(names: Iterable[str]) -> list[str]:
    """Return those names that cannot be imported, with the reason."""
    found = []
    for name in sorted(names):
        try:
            resolve_name(name)
        except (ImportError, AttributeError) as error:
            found.append(f"{name}: {error}")
    return found


@pytest.mark.parametrize("module", [base, prod, for_tests])
def test_every_name_in_settings_can_be_imported(module: Any):
    values = {name: value for name, value in vars(module).items() if name.isupper()}
    names = dotted_in([value for name, value in values.items() if not NO_NAMES.fullmatch(name)])
    assert len(names) > 100
    assert missing(names) == []
    assert apps.get_model(settings.AUTH_USER_MODEL)


@pytest.mark.processes
def test_a_worker_knows_every_task_and_all_that_the_schedule_names():
    """It imports `tasks` of each app alone: a task in any other module would wait for ever."""
    code = (
        "import json; from config.celery import app; app.loader.import_default_modules();"
        "print(json.dumps({name: task.__module__ for name, task in app.tasks.items()}))"
    )
    env = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings.test"}
    output = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=env, check=True, capture_output=True, text=True
    ).stdout
    known: dict[str, str] = json.loads(output.splitlines()[-1])
    scheduled = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert scheduled - known.keys() == set()
    assert modules_with_tasks() - set(known.values()) == set()


def modules_with_tasks() -> set[str]:
    files = [file for name in IMPORTS["root_packages"] for file in (ROOT / name).rglob("*.py")]
    found = {
        ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for file in files
        if TASK in file.read_text() and "tests" not in file.parts
    }
    assert len(found) > 5
    return found


def test_the_start_commands_name_what_is_there():
    assert missing(dotted_in([web_command("localhost", 1), worker_command()])) == []


def test_modules_that_the_makefile_runs_are_there():
    names = set(re.findall(r"python -m ([\w.]+)", (ROOT / "Makefile").read_text()))
    assert "common.catalogues" in names
    assert {name for name in names if find_spec(name) is None} == set()


def test_pytest_looks_wherever_there_are_tests():
    folders = {path.parent.name for path in ROOT.glob("*/tests")} | {"tests"}
    assert set(PYTEST["testpaths"]) == {name for name in folders if any((ROOT / name).rglob("test_*.py"))}
    assert missing([*dotted_in(PYTEST["addopts"]), PYTEST["DJANGO_SETTINGS_MODULE"]]) == []


def test_every_app_is_in_a_layer():
    """The one above them all, `config`, is there by its modules."""
    [contract] = IMPORTS["contracts"]
    layers = {name for line in contract["layers"] for name in line.split(" | ")}
    ours = {app.name for app in apps.get_app_configs() if Path(app.path).parent == ROOT}
    assert missing(layers) == []
    assert set(IMPORTS["root_packages"]) == ours == {name.partition(".")[0] for name in layers}
    assert ours <= set(SERVER["tool"]["ruff"]["lint"]["isort"]["known-first-party"])


def test_modules_that_mypy_is_told_of_are_there():
    """Of the agent's tests, which are no package, it knows the names of the files."""
    [ours] = [one for one in SERVER["tool"]["mypy"]["overrides"] if "tests.*" in one["module"]]
    files = {file.stem for file in (ROOT / "agent" / "tests").rglob("*.py")}
    assert {name for name in ours["module"] if "*" not in name} - files == set()
    assert missing([SERVER["tool"]["django-stubs"]["django_settings_module"]]) == []


@pytest.mark.parametrize(("folder", "build"), [(ROOT, SERVER), (ROOT / "agent", AGENT)])
def test_files_that_linters_are_told_of_are_there(folder: Path, build: dict[str, Any]):
    patterns = build["tool"]["ruff"]["lint"]["per-file-ignores"]
    assert [pattern for pattern in patterns if not any(folder.glob(pattern))] == []


@pytest.mark.parametrize(("folder", "build"), [(ROOT, SERVER), (ROOT / "agent", AGENT)])
def test_what_wheels_are_built_of_is_there(folder: Path, build: dict[str, Any]):
    hatch = build["tool"]["hatch"]
    wheel = hatch["build"]["targets"]["wheel"]
    paths = [hatch["version"]["path"]]
    for chosen in ("packages", "include", "force-include"):
        paths += wheel.get(chosen, [])
    assert [path for path in paths if not (folder / path.removeprefix("/")).exists()] == []
    assert missing(build["project"]["scripts"].values()) == []
