"""The agent as a training host starts it, beside a real installation."""

import os
import subprocess
import sys

from config.env import ROOT
from tests.installation import Installation


def environment_of(server: Installation, key: str, **more: str) -> dict[str, str]:
    """Return the variables of an agent that has a key and no other settings but these."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RUNYARD_", "WANDB_"))}
    own = {"RUNYARD_URL": server.url, "RUNYARD_API_KEY": key, "RUNYARD_CONFIG": "/none", "NETRC": "/none"}
    return {**kept, "PYTHONPATH": str(ROOT / "agent"), **own, **more}


def agent(server: Installation, key: str, *command: str, **more: str) -> "subprocess.Popen[str]":
    """Start Python with a command; what it prints and its errors are one stream."""
    return subprocess.Popen(
        [sys.executable, *command], env=environment_of(server, key, **more),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
