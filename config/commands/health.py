"""``runyard health``: whether the process of this host or container works, for what would start it again."""

import argparse
import http.client
import sys

HELP = "Exit with 0 where web (or, by `health worker`, the worker) of this host answers."
WEB_TIMEOUT_S = 2
WORKER_TIMEOUT_S = 10


def main(arguments: list[str]) -> int:
    """Ask, and say what is wrong; return the exit status."""
    parser = argparse.ArgumentParser("runyard health", description=HELP)
    parser.add_argument("process", nargs="?", choices=("web", "worker"), default="web")
    name = parser.parse_args(arguments).process
    if _worker_answers() if name == "worker" else _web_answers():
        return 0
    print(f"{name} does not answer.", file=sys.stderr)  # noqa: T201 - what a command says
    return 1


def answers(host: str, port: int) -> bool:
    """Whether a web process answers /healthz."""
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
    try:
        link = http.client.HTTPConnection(reachable, port, timeout=WEB_TIMEOUT_S)
        link.request("GET", "/healthz", headers={"Host": "localhost", "Connection": "close"})
        return link.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False


def _web_answers() -> bool:
    from config.settings import security

    return answers(security.HOST, security.PORT)


def _worker_answers() -> bool:
    """Whether the worker of this host name takes messages."""
    from celery.utils.nodenames import default_nodename
    from kombu.exceptions import OperationalError

    from config.celery import app

    try:
        return bool(app.control.ping([default_nodename("")], timeout=WORKER_TIMEOUT_S, limit=1))
    except OperationalError:
        return False
