"""Vendors' command-line tools: found, run with a time limit, or kept running and read line by line."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable

from runyard_agent.collecting import Failed


def find(name: str, *folders: str) -> str | None:
    """Return the path of a program on PATH or in one of the folders where its vendor installs it."""
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(folders) or None)


def run_tool(command: Sequence[str], timeout_s: float) -> str:
    """Return what a tool prints.

    Raises:
        Failed: it took too long (it is killed with all it started), or ended with an error.
    """
    with _popen(command, errors=subprocess.PIPE) as process:
        try:
            output, errors = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            _kill(process)
            raise Failed(f"{Path(command[0]).name} gave no answer in {timeout_s:g} s") from None
    if process.returncode:
        lines = (errors or output).strip().splitlines()
        said = f": {lines[-1][:200]}" if lines else ""
        raise Failed(f"{Path(command[0]).name} ended with code {process.returncode}{said}")
    return output


def json_in(text: str) -> Any:
    """Return the first JSON object or list in a text that may begin with warnings.

    Raises:
        Failed: there is none, or it is cut off.
    """
    decoder = json.JSONDecoder()
    for at, character in enumerate(text):
        if character in "{[":
            with contextlib.suppress(ValueError):
                found = decoder.raw_decode(text, at)[0]
                if not isinstance(found, list) or all(isinstance(each, dict) for each in found):
                    return found
    raise Failed("the tool printed no whole JSON")


class Stream:
    """A tool that keeps running and prints a line per sample; the newest one counts.

    Args:
        max_age_s: a line older than this is no longer true, so the tool counts as hung.
    """

    def __init__(
        self, command: Sequence[str], *, max_age_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._name = Path(command[0]).name
        self._max_age_s, self._clock = max_age_s, clock
        self._line, self._at = "", clock()
        self._process = _popen(command)
        threading.Thread(target=self._read, name=f"runyard-{self._name}", daemon=True).start()

    def latest(self) -> str:
        """Return the newest line, or nothing while the first is awaited.

        Raises:
            Failed: the tool ended, or printed nothing for too long.
        """
        code = self._process.poll()
        if code is not None:
            raise Failed(f"{self._name} ended with code {code}")
        if self._clock() - self._at > self._max_age_s:
            raise Failed(f"{self._name} printed nothing for {self._max_age_s:g} s")
        return self._line

    def close(self) -> None:
        _kill(self._process)

    def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - opened as a pipe
        with self._process.stdout as lines:
            for line in lines:
                if line.strip():
                    self._line, self._at = line, self._clock()


def _popen(command: Sequence[str], errors: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
    """Start a tool in a process group of its own, so that Ctrl-C spares it and killing reaches what it started."""
    try:
        return subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise Failed(f"{command[0]} can't be started: {error.strerror}") from None


def _kill(process: subprocess.Popen[str]) -> None:
    """End a tool and what it started."""
    with contextlib.suppress(OSError, AttributeError):  # AttributeError: no process groups on Windows
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
