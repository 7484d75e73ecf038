"""What an optimiser has to know of a parameter."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dimension:
    """One parameter in the unit cube; a number has a position from 0 to 1, value ``i`` of ``n`` at (i + 0.5)/n.

    ``choices``: number of unordered options (the coordinate is an index 0..choices-1), None for a number.
    ``steps``: number of equally spaced values (in the unit cube) that a number is rounded to, None if continuous.
    """

    choices: int | None = None
    steps: int | None = None
