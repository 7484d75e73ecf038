"""``runyard worker``: a worker alone, of as many as one likes."""

import argparse
import sys

from common.server.supervisor import WORKER_THREADS, worker_command
from config.commands.apart import ApartError, become, check_shared

HELP = "Start only a worker; of several, one keeps the schedule."


def main(arguments: list[str]) -> int:
    """Become the worker; return the status of a failure."""
    parser = argparse.ArgumentParser("runyard worker", description=HELP)
    parser.add_argument(
        "--threads", type=int, default=WORKER_THREADS, help="tasks at once (default: %(default)s)"
    )
    given = parser.parse_args(arguments)
    try:
        check_shared()
    except ApartError as error:
        print(error, file=sys.stderr)  # noqa: T201 - what a command says
        return 1
    return become(worker_command(given.threads))
