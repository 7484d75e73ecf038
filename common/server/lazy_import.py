"""Libraries that few requests need: imported when one of their names is first used, so that no start waits for them.

``if TYPE_CHECKING: import stripe`` tells mypy what it is, ``else: stripe = LazyModule("stripe")`` gives it. Such a
module has ``from __future__ import annotations``: an annotation that is evaluated imports, too.
"""

from importlib import import_module
from typing import Any


class LazyModule:
    """Stands for a module; safe in threads, as imports are."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)
