"""One module per system; each has a class ``Bench`` (see ``bench.peers.system``)."""

import importlib

from bench.peers.system import Place, System

NAMES = ["runyard", "trackio", "mlflow", "aim", "tensorboard", "offline"]


def kind_of(name: str) -> type[System]:
    """Return a system's class."""
    kind: type[System] = importlib.import_module(f"bench.peers.systems.{name}").Bench
    return kind


def made(name: str, place: Place, variant: str) -> System:
    """Return a system in one of its variants."""
    return kind_of(name)(place, variant)
