"""What web and worker need where they are started apart from each other, on one host or on several."""

import os
import sys

from common.server.supervisor import process_env, raise_open_files
from config.env import HOME, SECRET_KEY_FILE, env


class ApartError(Exception):
    """The process cannot be started apart; the message says what to give it."""


def check_shared() -> None:
    """Let pass where the processes can find each other.

    Raises:
        ApartError: they could not; each would start a world of its own.
    """
    if not env.str("RUNYARD_REDIS_URL", default=""):
        raise ApartError(
            "Processes that are started apart need a common Redis: set RUNYARD_REDIS_URL (`serve` starts one itself)."
        )
    if not env.str("RUNYARD_SECRET_KEY", default="") and not SECRET_KEY_FILE.exists():
        raise ApartError(
            "Processes that are started apart need the same secret key: set RUNYARD_SECRET_KEY, or run `prepare` first"
            f" where they share the data folder ({HOME})."
        )


def become(command: list[str]) -> int:
    """Replace this process; return only where that cannot be done."""
    if advice := raise_open_files():
        print(advice, file=sys.stderr)  # noqa: T201 - what a command says
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(command[0], command, process_env(os.environ))  # noqa: S606 - our own command line
