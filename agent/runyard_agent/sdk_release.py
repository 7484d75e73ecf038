"""Which release of the wandb SDK a command is about to import."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

_QUESTION = "from importlib.metadata import version; print(version('wandb'))"
_PATIENCE_S = 10.0
_FAILS_ON_HEADERS = ("0.19.", "0.20.")
"""Releases whose `wandb.init` ends with an error where the environment names further headers.

Source: https://github.com/wandb/wandb/pull/10103.
"""


def fails_on_headers(command: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Whether further headers in the environment would end the command; no where its release can't be known."""
    return sdk_release(command, environment).startswith(_FAILS_ON_HEADERS)


def sdk_release(command: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return the release that the command's Python has; "" where there is none, or which Python it is isn't known.

    A command that is no Python program, as a shell script, is taken to call the Python that is first on the path.
    """
    python = _python_of(command[0], environment.get("PATH"))
    if not python:
        return ""
    try:
        asked = subprocess.run(
            [python, "-c", _QUESTION], env=dict(environment), stdin=subprocess.DEVNULL, capture_output=True,
            timeout=_PATIENCE_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    return asked.stdout.decode(errors="replace").strip() if asked.returncode == 0 else ""


def _python_of(program: str, path: str | None) -> str:
    found = shutil.which(program, path=path)
    if found is None:
        return ""
    if Path(found).name.startswith("python"):
        return found
    interpreter = _interpreter_of(found)
    return interpreter or shutil.which("python", path=path) or shutil.which("python3", path=path) or ""


def _interpreter_of(script: str) -> str:
    """Return the Python that a script's first line names by its path; "" for none."""
    try:
        with Path(script).open("rb") as file:
            first = file.readline(512)
    except OSError:
        return ""
    words = first[2:].decode(errors="replace").split() if first.startswith(b"#!") else []
    return words[0] if words and Path(words[0]).name.startswith("python") else ""
