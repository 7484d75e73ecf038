"""The order of test files: those that take longest first."""

from collections import defaultdict
from collections.abc import Callable, Sequence

import pytest

from tests.suite import passes

COST_S = {"faults": 20.0, "sdk": 3.0, "browser": 8.0, "processes": 4.0, "django_db": 0.1}
"""What a test with a mark takes, roughly, as `make test-times` tells; the first that fits counts."""
LEAST_COST_S = 0.01


def _cost_s(item: pytest.Item) -> float:
    if takes := item.get_closest_marker("takes"):
        return float(takes.args[0])
    for mark, cost_s in COST_S.items():
        if item.get_closest_marker(mark):
            return cost_s
    return 1.0 if passes.is_real(item) else LEAST_COST_S


def key(items: Sequence[pytest.Item]) -> Callable[[pytest.Item], tuple[bool, float, str]]:
    """Return the key that sorts tests by the cost of their file, and leaves each file in one piece.

    Files that drive a browser come last.
    """
    costs: dict[str, float] = defaultdict(float)
    for item in items:
        costs[passes.file_of(item)] += _cost_s(item)
    with_browser = {passes.file_of(item) for item in items if item.get_closest_marker("browser")}

    def place(item: pytest.Item) -> tuple[bool, float, str]:
        return passes.file_of(item) in with_browser, -costs[passes.file_of(item)], passes.file_of(item)

    return place
