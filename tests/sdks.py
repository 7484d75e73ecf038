"""Unmodified releases of the SDK, each in a virtual environment of its own, and scripts that use them."""

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import psutil

from config.env import ROOT
from tests import environments
from tests.suite.passes import CURRENT, Pass, amount
from tests.waiting import PATIENCE_S

Ran = subprocess.CompletedProcess[str]


def requirements_of(version: str) -> Path:
    """Name the compiled requirement file of a release."""
    return ROOT / "tests" / "sdk" / f"requirements-{version}.txt"


def versions() -> list[str]:
    """Return every release the suite knows, oldest first."""
    names = [
        path.stem.removeprefix("requirements-")
        for path in requirements_of("*").parent.glob("requirements-*.txt")
    ]
    return sorted(names, key=lambda name: tuple(int(part) for part in name.split(".")))


def ends() -> list[str]:
    """Return the oldest and the newest release."""
    every = versions()
    return [every[0], every[-1]]


def tried() -> list[str]:
    """Return the releases that tests train with: the oldest and the newest; on a second database the newest; or all."""
    every = versions()
    usual = every[-1:] if CURRENT is Pass.SECOND else ends()
    return every if amount("SDK releases", len(usual), len(every)) == len(every) else usual


def of_scenarios() -> list[str]:
    """Return the releases of what both passes run whole: the newest; on a second database the oldest; or all.

    What a release asks differs by release, not by what is behind the server.
    """
    every = versions()
    if CURRENT is Pass.ALL:
        return every
    return every[:1] if CURRENT is Pass.SECOND else every[-1:]


def newest() -> list[str]:
    """Return the releases that other tests than the scenarios train with: the newest; or all."""
    every = versions()
    return every if CURRENT is Pass.ALL else every[-1:]


def python_of(version: str) -> Path:
    """Return the Python that has this release.

    Raises:
        RuntimeError: the packages could not be installed.
    """
    return environments.python_of("sdk", version, requirements_of(version))


STARTUP = ROOT / "tests" / "sdk" / "startup"
SERVICE_WAIT_S = "600"
"""How long the SDK waits for its own process, else 30 s: a script that gives up leaves it behind, with the output."""


def script_env(env: dict[str, str], cwd: Path) -> dict[str, str]:
    """Return a clean environment: nothing of the person's own SDK settings, no home but ``cwd``, no reports home."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(cwd),
        "TMPDIR": str(cwd),
        "LANG": "C.UTF-8",
        "PYTHONFAULTHANDLER": "1",  # for `ended`
        "WANDB_ERROR_REPORTING": "false",
        "WANDB_DISABLE_GIT": "true",
        "WANDB_X_SERVICE_WAIT": SERVICE_WAIT_S,
        "WANDB__SERVICE_WAIT": SERVICE_WAIT_S,  # before 0.19
        "WANDB_CACHE_DIR": str(cwd / "cache"),
        "WANDB_CONFIG_DIR": str(cwd / "config"),
        "WANDB_DATA_DIR": str(cwd / "data"),
        **env,
        "PYTHONPATH": os.pathsep.join(filter(None, [env.get("PYTHONPATH"), str(STARTUP)])),
    }


def start_script(python: Path, code: str, *, env: dict[str, str], cwd: Path) -> "subprocess.Popen[str]":
    """Start a script in a process group of its own, for tests that kill it."""
    return subprocess.Popen(
        [str(python), "-u", "-c", code],
        env=script_env(env, cwd),
        cwd=cwd,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def ended(process: "subprocess.Popen[str]") -> str:
    """Return all that a started script printed, once it has ended.

    What it left behind may hold its output open; that is not waited for.

    Raises:
        AssertionError: it does not end; with what its threads, and those of the SDK's own process, are doing.
    """
    try:
        return process.communicate(timeout=PATIENCE_S)[0]
    except subprocess.TimeoutExpired as late:
        printed = bytes(late.output or b"").decode(errors="replace")
        if process.poll() is not None:
            return printed
        raise AssertionError(f"the script has not ended after {PATIENCE_S} s:\n{_stacks(process)}") from None


def _stacks(process: "subprocess.Popen[str]") -> str:
    """End a script and what it has started; return all output, at its end their stacks: Python and Go print these."""
    script = psutil.Process(process.pid)
    for each in (*script.children(recursive=True), script):
        with suppress(psutil.NoSuchProcess):
            each.send_signal(signal.SIGABRT)
    return process.communicate(timeout=PATIENCE_S)[0]


def kill_script(process: "subprocess.Popen[str]") -> None:
    """Kill a started script with all that it has started; it may be over already."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(timeout=PATIENCE_S)
    if process.stdout is not None:
        process.stdout.close()


def run_script(
    python: Path,
    code: str,
    *,
    env: dict[str, str],
    cwd: Path,
    timeout: float = 2 * PATIENCE_S,
    check: bool = True,
) -> Ran:
    """Run a script to its end.

    Raises:
        AssertionError: it failed and ``check`` is set; the message has all it printed.
    """
    done = subprocess.run(
        [str(python), "-c", code],
        env=script_env(env, cwd),
        cwd=cwd,
        text=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=timeout,
        check=False,
    )
    if check and done.returncode:
        raise AssertionError(f"the script ended with status {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done
