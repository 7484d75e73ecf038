"""The first start of web and worker: ``python -m common.server.first_start uvicorn|celery ARGUMENTS``.

Both import what they need at the same time, which is most of a start. Then web prepares the installation and serves;
the worker begins when it is told so by a line on its standard input, since there may be no tables before.
"""

import os
import sys
from collections.abc import Sequence


def as_first(command: Sequence[str]) -> list[str]:
    """Return the command line of a process of ours, for its first start."""
    python, module_option, *rest = command
    return [python, module_option, "common.server.first_start", *rest]


def _serve() -> None:
    import django
    from django.core.management import CommandError, call_command

    django.setup(set_prefix=False)
    try:
        call_command("prepare")
    except CommandError as error:
        sys.exit(str(error))
    import uvicorn

    uvicorn.main()


def _work() -> None:
    from celery.__main__ import main

    from config.celery import app

    app.loader.import_default_modules()
    if sys.stdin.readline():  # nothing: whoever would have told it has ended
        main()


def main() -> None:
    """Run the program that is named first."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.prod")
    program = sys.argv.pop(1)
    sys.argv[0] = program  # which their help names
    {"uvicorn": _serve, "celery": _work}[program]()


if __name__ == "__main__":
    main()
