"""``runyard web``: the web processes alone, beside a worker elsewhere."""

import argparse
import subprocess
import sys

from common.server.start_checks import StartError, require_free_port
from common.server.supervisor import CODE, web_command
from config.commands.apart import ApartError, become, check_shared

HELP = "Start only web, WEB_CONCURRENCY processes of it; `prepare` comes first."


def main(arguments: list[str]) -> int:
    """Collect the static files where they changed, and become the server; return the status of a failure."""
    parser = argparse.ArgumentParser("runyard web", description=HELP)
    parser.add_argument("--host", help="address to listen on, instead of RUNYARD_HOST")
    parser.add_argument("--port", type=int, help="port to listen on, instead of RUNYARD_PORT")
    given = parser.parse_args(arguments)
    try:
        check_shared()  # before the settings are read, which make a secret key where there is none
        from config.settings import security

        host, port = given.host or security.HOST, given.port or security.PORT
        require_free_port(host, port)
    except (ApartError, StartError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - what a command says
        return 1
    if status := subprocess.call([sys.executable, str(CODE / "manage.py"), "prepare", "--static"]):
        return status
    return become(web_command(host, port))
