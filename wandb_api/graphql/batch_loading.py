"""The rows of one page: what one needs is read for all of them together, in as many queries as for one."""

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class Siblings:
    """Runs, or projects, that an answer lists together."""

    def __init__(self) -> None:
        self._ids: list[int] = []
        self._answers: dict[tuple[Any, ...], Any] = {}

    def add(self, row_id: int) -> None:
        """Add a row; all are added before the first question."""
        self._ids.append(row_id)

    def ask(self, question: Callable[..., T], *details: Any) -> T:
        """Return the answer of ``question(ids, *details)``, asked once."""
        key = (question, *details)
        if key not in self._answers:
            self._answers[key] = question(self._ids, *details)
        answer: T = self._answers[key]
        return answer
