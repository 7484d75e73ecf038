"""``make dev``: the installation as `serve` runs it, where a change of any source is seen after reloading the page."""

import os
import shlex
import sys
from pathlib import Path

os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.dev"  # before settings are read

from common.server.supervisor import Child, Supervisor, web_command, worker_command
from config.commands import serve
from config.env import ROOT
from config.settings import security

WATCHED = sorted({str(file.parent) for file in ROOT.glob("*/apps.py")} | {str(ROOT / "config")})
"""The folders whose Python modules restart web and worker."""


def start(supervisor: Supervisor) -> Child | None:
    """Start web, worker and the build of the front end, each again when one of its sources changes."""
    if not serve.prepare(supervisor):
        return None
    supervisor.start("assets", [str(Path(sys.executable).parent / "node"), "assets/build.mjs", "--watch"])
    worker = shlex.join(worker_command())
    supervisor.start("worker", [sys.executable, "-m", "watchfiles", "--filter", "python", worker, *WATCHED])
    reload = [part for folder in WATCHED for part in ("--reload-dir", folder)]
    web = [
        *web_command(security.HOST, security.PORT),
        "--reload",
        *reload,
        "--timeout-graceful-shutdown",
        "1",
    ]
    return supervisor.start("web", web)


if __name__ == "__main__":
    if security.HOST not in {"127.0.0.1", "localhost", "::1"}:
        sys.exit("`make dev` shows tracebacks, so only to this machine: unset RUNYARD_HOST.")
    os.chdir(ROOT)
    sys.exit(serve.run(start))
