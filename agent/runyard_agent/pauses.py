"""How long to leave a server alone that does not answer."""

from __future__ import annotations

import random

_FIRST_S, _LONGEST_S = 0.5, 300.0


class Pauses:
    """Grow by each failure, with jitter, so that a fleet of hosts does not come back all at once."""

    def __init__(self, longest_s: float = _LONGEST_S) -> None:
        self._longest_s, self._failures = longest_s, 0
        self._random = random.Random()  # noqa: S311 - no secret; seeded by the system, unlike one that training seeds

    def after_failure(self, wanted_s: float | None = None) -> float:
        """Return the seconds until the next try: what the server wants and some more, or twice the last pause."""
        self._failures += 1
        if wanted_s is not None:
            return wanted_s * self._random.uniform(1.0, 1.1)
        grown = min(_FIRST_S * 2.0 ** min(self._failures - 1, 30), self._longest_s)
        return grown * self._random.uniform(0.5, 1.0)

    def reset(self) -> None:
        """Begin anew after something worked."""
        self._failures = 0
