"""How cost grows."""

import os
from pathlib import Path

from django.core.management import call_command


def run(home: Path) -> None:
    from bench.growth import runs

    call_command("collectstatic", verbosity=0, interactive=False)
    sizes = tuple(int(s) for s in os.environ.get("GROW", "1000,10000").split(","))
    for _ in runs.grow(sizes):
        pass
