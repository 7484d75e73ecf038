"""One column of many runs: nine bytes a value, and the texts."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from runs.query.conditions import double

ABSENT, INTEGER, REAL, NAN, TEXT, BOOLEAN = range(6)
"""Kinds of values. Times are REAL, in seconds since 1970; the tags of a run are one TEXT, a list in JSON."""
_PLACES = np.array([4, 0, 0, 3, 1, 2], np.int8)
"""By kind: numbers come before texts, then booleans, NaN, and nothing."""
NOTHING_FROM = 3
"""The place from which values have no order."""
_EXACT = 2.0**53
"""Integers below are the same as doubles."""
_KINDS = {type(None): ABSENT, int: INTEGER, float: REAL, str: TEXT, bool: BOOLEAN}
_TEXT_BYTES = 60
"""What Python adds to a text."""


Array = npt.NDArray[Any]


class Values:
    """The values of a column, one per run.

    ``kinds`` (uint8) says of which type each is; ``numbers`` (float64) is the number, 1 or 0 of a boolean, or the place
    of a text in ``texts``, where one text may have several.
    """

    def __init__(self) -> None:
        self.kinds = np.zeros(0, np.uint8)
        self.numbers = np.zeros(0, np.float64)
        self.texts: list[str] = []
        self.is_exact = True
        """Whether no integer was too large for a double."""
        self._ranks: Array | None = None
        self._text_bytes = 0

    @property
    def nbytes(self) -> int:
        """About how much memory this takes."""
        return self.kinds.nbytes + self.numbers.nbytes + self._text_bytes

    def has(self, *kinds: int) -> Array:
        """Return where the value is of one of some kinds."""
        found: Array = np.isin(self.kinds, kinds)
        return found

    def where_text(self, is_met: Iterable[bool]) -> Array:
        """Return where the value is a text that meets a condition, given for each of ``texts``."""
        of_texts = np.fromiter(is_met, bool, len(self.texts))
        is_text = self.kinds == TEXT
        if is_text.all():
            everywhere: Array = of_texts[self.numbers.astype(np.int64)] if len(of_texts) else is_text
            return everywhere
        found: Array = np.zeros(len(self.kinds), bool)
        found[is_text] = of_texts[self.numbers[is_text].astype(np.int64)]
        return found

    def ranks(self) -> Array:
        """Return what sorts: the numbers, and of texts their places in the order of code points."""
        if not self.texts:
            return self.numbers
        if self._ranks is None:
            order = sorted(range(len(self.texts)), key=self.texts.__getitem__)
            places = np.empty(len(order), np.float64)
            place, before = -1, None
            for at in order:
                if self.texts[at] != before:
                    place, before = place + 1, self.texts[at]
                places[at] = place
            self._ranks = places
        is_text = self.kinds == TEXT
        found = self.numbers.copy()
        found[is_text] = self._ranks[self.numbers[is_text].astype(np.int64)]
        return found

    def places(self) -> Array:
        """Return where each value comes by its type, before `ranks` decide."""
        found: Array = _PLACES[self.kinds]
        return found

    def finite(self, chosen: Array) -> Array:
        """Return the finite numbers among some values, booleans not."""
        numbers: Array = self.numbers[chosen]
        found: Array = numbers[(_PLACES[self.kinds[chosen]] == 0) & np.isfinite(numbers)]
        return found

    def with_texts(self, change: Callable[[str], str]) -> "Values":
        """Return the same with other texts; an empty one is no value."""
        found = self.chosen(np.arange(len(self.kinds)))
        found.texts = list(map(change, self.texts))
        empty = found.where_text(text == "" for text in found.texts)
        found.kinds[empty], found.numbers[empty] = ABSENT, 0.0
        return found

    def plain(self, at: int) -> Any:
        """Return one value as Python has it; NaN, too. A list of tags stays in JSON."""
        kind, number = self.kinds[at], self.numbers[at]
        if kind == TEXT:
            return self.texts[int(number)]
        if kind == INTEGER:
            return int(number)
        if kind == BOOLEAN:
            return bool(number)
        return None if kind == ABSENT else float(number)

    def extend(self, values: Sequence[Any]) -> None:
        """Add the values of more runs."""
        kinds, numbers = self._read(values)
        self.kinds = np.concatenate([self.kinds, kinds])
        self.numbers = np.concatenate([self.numbers, numbers])

    def put(self, places: Array, values: Sequence[Any]) -> None:
        """Replace the values of some runs."""
        self.kinds[places], self.numbers[places] = self._read(values)
        if len(self.texts) > 2 * len(self.kinds) + 1000:
            self._forget_texts()

    def choose(self, places: Array) -> None:
        """Keep some runs' values, in a new order."""
        self.kinds, self.numbers = self.kinds[places], self.numbers[places]

    def chosen(self, places: Array) -> "Values":
        """Return some runs' values by themselves; what changes in these later does not change those."""
        found = Values()
        found.kinds, found.numbers = self.kinds[places], self.numbers[places]
        found.texts, found.is_exact = self.texts, self.is_exact
        return found

    def overlaps(self, other: "Values") -> bool:
        """Say whether a run has a value in both."""
        return bool(((self.kinds != ABSENT) & (other.kinds != ABSENT)).any())

    def filled(self, other: "Values") -> "Values":
        """Return the same with another column's values where there are none."""
        found = self.chosen(np.arange(len(self.kinds)))
        found.texts = self.texts + other.texts
        found.is_exact = self.is_exact and other.is_exact
        taken = other.kinds != ABSENT
        found.kinds[taken] = other.kinds[taken]
        found.numbers[taken] = other.numbers[taken] + len(self.texts) * (other.kinds[taken] == TEXT)
        return found

    def _read(self, values: Sequence[Any]) -> tuple[Array, Array]:
        """Return kinds and numbers; texts are added."""
        kinds = np.fromiter(map(_KINDS.__getitem__, map(type, values)), np.uint8, len(values))
        if (kinds == TEXT).any() or (kinds == ABSENT).any():
            known: dict[str, int] = {}
            numbers = np.fromiter((self._number(value, known) for value in values), np.float64, len(values))
            if known:
                self.texts.extend(known)
                self._text_bytes += sum(map(len, known)) + _TEXT_BYTES * len(known)
                self._ranks = None
        else:
            numbers = np.fromiter(map(double, values), np.float64, len(values))
        kinds[(kinds == REAL) & np.isnan(numbers)] = NAN
        if (np.abs(numbers[kinds == INTEGER]) >= _EXACT).any():
            self.is_exact = False
        return kinds, numbers

    def _number(self, value: Any, known: dict[str, int]) -> float:
        if value is None:
            return 0.0
        if isinstance(value, str):
            return known.setdefault(value, len(self.texts) + len(known))
        return double(value)

    def _forget_texts(self) -> None:
        """Leave out texts that no run has any more."""
        is_text = self.kinds == TEXT
        used, places = np.unique(self.numbers[is_text].astype(np.int64), return_inverse=True)
        self.texts = [self.texts[at] for at in used]
        self._text_bytes = sum(map(len, self.texts)) + _TEXT_BYTES * len(self.texts)
        self.numbers[is_text] = places
        self._ranks = None
