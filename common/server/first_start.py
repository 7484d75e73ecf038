"""The first start of web and worker: ``python -m common.server.first_start UVICORN'S ARGUMENTS``.

One process imports what both need. The worker is a fork of it and itself is web, so that they share a third of their
memory, and what is most of a start is done once. Another fork prepares the installation meanwhile, and takes along what
only that needs. The worker is left to the supervisor: its parent ends at once, and the supervisor takes orphans in
(`Supervisor.start_together`). Whichever of the two ends later is started again by its own command line.
"""

import gc
import os
import sys
import time
from importlib import import_module
from typing import NoReturn

from common.server.supervisor import WORKER_OUTPUT, begin_group, worker_command

ADOPTED_WITHIN_S = 10


def _prepare(tell: int) -> NoReturn:
    """Prepare the installation, and tell by a byte that all is well."""
    from django.core.management import CommandError, call_command

    status = 1
    try:
        call_command("prepare")
        os.write(tell, b".")
        status = 0
    except CommandError as error:
        print(error, file=sys.stderr)  # noqa: T201 - what a command says
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _leave_to(supervisor: int, output: int) -> None:
    """Go on in a fork of this process that the supervisor takes in; there, print to a file descriptor, first the id."""
    if os.fork():
        os._exit(0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    deadline = time.monotonic() + ADOPTED_WITHIN_S
    while os.getppid() != supervisor and time.monotonic() < deadline:
        time.sleep(0.001)
    begin_group(supervisor)  # it ends where nobody has taken it in
    print(os.getpid(), flush=True)  # noqa: T201 - which the supervisor reads


def _work(is_prepared: int) -> NoReturn:
    """Be a worker, once there are tables."""
    if os.read(is_prepared, 1):
        sys.argv = worker_command()[2:]
        from celery.__main__ import main as work

        work()
    sys.exit()


def main() -> None:
    """Start both."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.prod")
    import django

    django.setup(set_prefix=False)
    app = import_module("config.celery").app
    app.loader.import_default_modules()
    app.finalize()
    for module in ("celery.apps.worker", "celery.beat", "celery.bin.worker", "kombu.transport.redis"):
        import_module(module)
    gc.collect()
    gc.freeze()  # or the first collection of each copies every page
    supervisor, output = os.getppid(), int(os.environ.pop(WORKER_OUTPUT))
    is_prepared, tell = os.pipe()
    preparing = os.fork()
    if not preparing:
        _prepare(tell)
    os.close(tell)
    orphan = os.fork()
    if not orphan:
        _leave_to(supervisor, output)
        _work(is_prepared)
    os.waitpid(orphan, 0)
    for descriptor in (output, is_prepared):
        os.close(descriptor)
    _serve(preparing)


def _serve(preparing: int) -> None:
    """Be web, once the installation is prepared."""
    import uvicorn

    import_module("config.asgi")  # meanwhile
    import_module("config.urls")
    if os.waitpid(preparing, 0)[1]:
        sys.exit(1)
    uvicorn.main()


if __name__ == "__main__":
    main()
