"""``runyard serve``: the whole installation by one command (docs/operate/run.md).

This process only looks after the others for as long as they run, so it imports neither Django nor an app.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from common.server import embedded_redis
from common.server.start_checks import StartError, only_one, require_free_port
from common.server.supervisor import CODE, Child, Supervisor, raise_open_files, web_command, worker_command
from common.telemetry import VARIABLE
from common.telemetry.folder import shared_folder
from config.commands.health import answers
from config.settings import database, redis, security

HELP = "Start the whole installation: web, worker and, without RUNYARD_REDIS_URL, a Redis; Ctrl-C stops it."
NOT_READY_AFTER_S = 60
LOOK_EVERY_S = 0.02


def main(arguments: list[str]) -> int:
    """Start, wait, stop; return the exit status."""
    argparse.ArgumentParser("runyard serve", description=HELP).parse_args(arguments)
    return run(start_web_and_worker)


def run(start: Callable[[Supervisor], Child | None]) -> int:
    """Run an installation until a signal comes; return the exit status.

    Args:
        start: Prepares the installation, starts web and worker, and returns web; None where preparing failed.
    """
    try:
        status = _serve(start, time.monotonic())
    except (StartError, embedded_redis.EmbeddedRedisError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - what a command says
        return 1
    print("Runyard has stopped.", flush=True)  # noqa: T201
    return status


def _serve(start: Callable[[Supervisor], Child | None], begin: float) -> int:
    with ExitStack() as stack:
        stack.enter_context(only_one(database.DATA_FOLDER))
        require_free_port(security.HOST, security.PORT)
        folder = _redis_folder(stack)
        redis_url = embedded_redis.url_of(folder) if folder else redis.REDIS_URL_GIVEN
        measured = str(stack.enter_context(shared_folder(database.DATA_FOLDER)))
        supervisor = Supervisor(env=_environment(redis_url, measured), out=sys.stdout)
        supervisor.listen()
        if advice := raise_open_files():
            supervisor.say(advice)
        stack.callback(supervisor.stop)
        if folder:
            server = supervisor.start("redis", embedded_redis.command(folder), last=True)
            embedded_redis.wait_until_ready(folder, server.started())
        return _supervise(supervisor, start(supervisor), begin)


def _redis_folder(stack: ExitStack) -> Path | None:
    """Return the folder of the embedded Redis; None where one is given."""
    if redis.REDIS_URL_GIVEN:
        return None
    return stack.enter_context(embedded_redis.announced_folder(redis.REDIS_URL_FILE))


def _environment(redis_url: str, measured: str) -> dict[str, str]:
    return {**os.environ, "RUNYARD_REDIS_URL": redis_url, VARIABLE: measured}


def _supervise(supervisor: Supervisor, web: Child | None, begin: float) -> int:
    """Print when web answers, and wait; return the exit status."""
    if web is None:
        return 1
    if not _wait_for_web(supervisor, web, begin):
        if supervisor.stopping:
            return 0
        return 1
    web.is_named = True
    supervisor.print(_banner(time.monotonic() - begin))
    status = supervisor.wait()
    if status:
        supervisor.print("Runyard stopped because one of its processes keeps ending.")
    return status


def start_web_and_worker(supervisor: Supervisor) -> Child | None:
    """Prepare the installation and start web and worker; return web, None where preparing failed."""
    web = web_command(security.HOST, security.PORT)
    if sys.platform == "linux":
        first = [*web[:2], "common.server.first_start", *web[3:]]
        return supervisor.start_together(web, worker_command(), first=first)[0]
    if not prepare(supervisor):
        return None
    supervisor.start("worker", worker_command())
    return supervisor.start("web", web)


def prepare(supervisor: Supervisor) -> bool:
    """Bring the database and the static files up to date; False where that failed."""
    return supervisor.run([sys.executable, str(CODE / "manage.py"), "prepare"]) == 0


def _wait_for_web(supervisor: Supervisor, web: Child, begin: float) -> bool:
    """Wait until web answers; False where it ends instead, or a signal comes."""
    is_late = False
    while not (web.ended() or supervisor.stopping):
        if answers(security.HOST, security.PORT):
            return True
        if not is_late and time.monotonic() - begin > NOT_READY_AFTER_S:
            supervisor.say(f"web has not answered for {NOT_READY_AFTER_S} s; see its lines above.")
            is_late = True
        time.sleep(LOOK_EVERY_S)
    return False


def _banner(seconds: float) -> str:
    """Say where to go, where the data is and how to stop."""
    place = database.DATABASES["default"]
    vendor = "sqlite" if place["ENGINE"].endswith("sqlite3") else "postgresql"
    name = place["NAME"] if vendor == "sqlite" else f"{place['NAME']} on {place['HOST'] or 'localhost'}"
    given = redis.REDIS_URL_GIVEN
    shown_redis = "the one of RUNYARD_REDIS_URL" if given else "embedded, holds nothing that must be kept"
    return (
        f"\n  Runyard is running (ready after {seconds:.1f} s)\n\n"
        f"      open      {security.BASE_URL}\n"
        f"      data      {database.DATA_FOLDER}\n"
        f"      database  {vendor}: {name}\n"
        f"      redis     {shown_redis}\n"
        f"      stop      Ctrl-C\n"
    )
