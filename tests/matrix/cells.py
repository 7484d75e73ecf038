"""Which cells a row of the matrix has, and whether they answer as expected.

The complete pass asks as everybody. Otherwise one asks for all who expect the same answer to the same request: who it
is changes a number in the queries and not the queries; `tests.permissions.test_access_worlds` tells whom these let in.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import pytest

from tests.matrix.cases import Answer, Case, Thing
from tests.matrix.world import World
from tests.suite.passes import amount

Check = Callable[[int], None]
Asker = TypeVar("Asker")

ONE_EACH, EVERYBODY = "one for each answer", "everybody"
WHO_ASKS = amount("who asks in a row of the access matrix", ONE_EACH, EVERYBODY)

BROKEN: dict[str, str] = {}
"""Routes that are known to answer wrongly, and why; mend the route, then take it out here."""


def rows(routes: Iterable[str]) -> list[Any]:
    """Return a parameter for each route."""

    def marks(route: str) -> list[Any]:
        return [pytest.mark.xfail(strict=True, reason=BROKEN[route])] if route in BROKEN else []

    return [pytest.param(route, marks=marks(route)) for route in sorted(routes)]


def _wrong(cells: Sequence[tuple[str, Answer, Answer]]) -> str:
    return "\n".join(
        f"{cell}: answers {got}, expected {want}" for cell, got, want in cells if got is not want
    )


def compare(checked: Check, cells: Sequence[tuple[str, Answer, Answer]]) -> None:
    """Fail with every cell that differs."""
    assert cells, "a row without cells checks nothing"
    checked(len(cells))
    wrong = _wrong(cells)
    assert not wrong, f"\n{wrong}"


def cells_of(world: World, cases: list[Case]) -> Iterator[tuple[Case, Thing]]:
    """Yield each case with each thing that it is asked about."""
    for case in cases:
        for thing in world.things[case.over]:
            if not case.without & {thing.visibility, thing.place}:
                yield case, thing


def one_each(askers: Iterable[tuple[Asker, Answer]]) -> Iterator[tuple[Asker, Answer]]:
    """Yield the first who expects each answer, with it."""
    first = dict[Answer, Asker]()
    for asker, answer in askers:
        first.setdefault(answer, asker)
    for answer, asker in first.items():
        yield asker, answer


def telling(askers: Iterable[tuple[Asker, Answer]]) -> Iterator[tuple[Asker, Answer]]:
    """Yield who asks, with the answer expected: everybody, or one for each answer."""
    return one_each(askers) if WHO_ASKS == ONE_EACH else iter(askers)
