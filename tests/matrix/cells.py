"""Which cells a row of the matrix has, and whether they answer as expected.

The complete pass asks as everybody, about everything. Otherwise one asks for all who expect the same answer to the same
request, which shows that the row asks for the right action; whom the action lets in is tried by
`tests.permissions.test_access_worlds`. About which thing is asked first rotates with the commits.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import pytest

from tests.matrix.cases import Answer, Case, Thing
from tests.matrix.world import World
from tests.suite.checkout import turn
from tests.suite.passes import amount

Check = Callable[[int], None]
Asker = TypeVar("Asker")

ONE_EACH, EVERYBODY = "one for each answer", "everybody, about everything"
WHO_ASKS = amount("who asks in a row of the access matrix", ONE_EACH, EVERYBODY)
STRONGEST = {"member", "colleague", "admin"}
"""Two members of the team, one of whom has begun the run, and an admin of the team but not of its organization."""
Asked = defaultdict[Any, set[Any]]
"""The answers that one has asked for, by request."""

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
        things = world.things[case.over]
        first = turn("matrix", len(things)) if things else 0
        for thing in [*things[first:], *things[:first]]:
            if not case.without & {thing.visibility, thing.place}:
                yield case, thing


def one_each(
    askers: Iterable[tuple[Asker, Answer]], asked: set[Any], thing: Thing
) -> Iterator[tuple[Asker, Answer]]:
    """Yield the first who expects each answer that was not asked for, with it.

    What is hidden is asked for in each place and visibility. The strongest who are refused ask as well: whatever lets
    too many in lets them in first.
    """
    for asker, answer in askers:
        actor, scope = asker if isinstance(asker, tuple) else (asker, "full")
        request: Any = answer
        if answer is Answer.HIDDEN:
            request = (answer, thing.place, thing.visibility)
        elif answer is Answer.FORBIDDEN and actor in STRONGEST and scope == "full":
            request = (answer, actor)
        if request not in asked:
            asked.add(request)
            yield asker, answer


def telling(
    askers: Iterable[tuple[Asker, Answer]], asked: set[Any], thing: Thing
) -> Iterator[tuple[Asker, Answer]]:
    """Yield who asks, with the answer expected: everybody, or one for each answer."""
    return one_each(askers, asked, thing) if WHO_ASKS == ONE_EACH else iter(askers)
