"""What is known of a program before it runs: host, Python, command, git. As the SDK's wandb-metadata.json has it."""

from __future__ import annotations

import getpass
import os
import platform
import re
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from runyard_agent.collecting import Facts
from runyard_agent.times import time_now

_GIT_TIMEOUT_S = 5.0


def host_facts() -> Facts:
    """Return what is known of the host and of whoever records."""
    facts: Facts = {
        "host": socket.gethostname(),
        "os": platform.platform(aliased=True),
        "startedAt": time_now(),
    }
    try:
        facts["username"] = getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container may know its user by number alone
        facts["username"] = str(os.getuid())
    return facts


def command_facts(command: Sequence[str], folder: Path) -> Facts:
    """Return what is known of a command in any language that is started in a folder."""
    return {
        **host_facts(),
        "program": command[0],
        "args": list(command[1:]),
        "root": str(folder),
        **_git(folder),
    }


def script_facts(arguments: Sequence[str], folder: Path) -> Facts:
    """Return what is known of the Python program that runs here, by its ``sys.argv``."""
    program = arguments[0] if arguments and arguments[0] not in {"", "-c", "-m"} else "<python>"
    return {
        **command_facts([program, *arguments[1:]], folder),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "executable": sys.executable,
    }


def header_of(facts: Facts) -> dict[str, str]:
    """Return those facts that a run begins with."""
    git = facts.get("git", {})
    found = {
        "host": facts["host"],
        "program": facts.get("program"),
        "git_remote": git.get("remote"),
        "git_commit": git.get("commit"),
    }
    return {name: value for name, value in found.items() if value}


def _git(folder: Path) -> Facts:
    """Return the commit and remote of the repository around a folder; nothing where there is none, or no git."""
    commit = _ask_git(folder, "rev-parse", "HEAD")
    if not commit:
        return {}
    remote = _ask_git(folder, "remote", "get-url", "origin")
    return {"git": {"commit": commit, **({"remote": without_password(remote)} if remote else {})}}


def without_password(url: str) -> str:
    """Return the address of a remote without user and password, which `https://name:token@host` has."""
    return re.sub(r"(?<=://)[^/@]*@", "", url)


def _ask_git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_GIT_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace").strip() if not done.returncode else ""
