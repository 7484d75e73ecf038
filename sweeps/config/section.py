"""A mapping or list of the configuration, whose values are asked for by kind."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from django.utils.translation import gettext as _

from common.errors import Invalid
from sweeps.config.problems import Path, at, problem
from sweeps.config.yaml_text import number_in
from sweeps.space.numbers import as_number

FARTHEST = 1e300
"""The largest number that a setting takes: sums and differences of two are still finite."""

Key = str | int
"""A key of a mapping, or a position in a list; the empty text is the section itself."""


@dataclass(frozen=True, slots=True)
class Section:
    """One mapping or list, where it is, and the warnings of the whole document. Each reader raises `Invalid`."""

    path: Path
    data: Mapping[Any, Any]
    warnings: list[str] = field(default_factory=list)

    def __contains__(self, key: object) -> bool:
        """Return whether a key has a value; null is none."""
        return self.data.get(key) is not None

    def _path(self, key: Key) -> Path:
        return self.path if key == "" else (*self.path, key)

    def error(self, key: Key, message: str) -> Invalid:
        """Return the error to raise for a key."""
        return problem(self._path(key), message)

    def warn(self, key: Key, message: str) -> None:
        """Note something that is allowed but hardly meant."""
        self.warnings.append(at(self._path(key), message))

    def only(self, keys: Iterable[str]) -> None:
        """Refuse keys other than these."""
        allowed = list(keys)
        for key in self.data:
            if key not in allowed:
                raise self.error(
                    key, _("is unknown here. Available: %(keys)s.") % {"keys": ", ".join(allowed)}
                )

    def section(self, key: Key) -> Self:
        """Return the mapping of a key."""
        if not isinstance(self.data[key], dict):
            raise self.error(key, _("must be a mapping."))
        return type(self)((*self.path, key), self.data[key], self.warnings)

    def items(self, key: Key) -> list[Any]:
        """Return the list of a key."""
        if not isinstance(self.data[key], list):
            raise self.error(key, _("must be a list."))
        return list(self.data[key])

    def elements(self, key: Key) -> Self:
        """Return the list of a key as a section, whose keys are positions."""
        return type(self)((*self.path, key), dict(enumerate(self.items(key))), self.warnings)

    def text(self, key: Key) -> str:
        """Return a text, empty if there is none; numbers turn into text."""
        value = self.data.get(key)
        if value is None:
            return ""
        if isinstance(value, str):
            return value
        if as_number(value) is None:
            raise self.error(key, _("must be text."))
        return str(value)

    def choice(self, key: Key, choices: Collection[str]) -> str:
        """Return one of some texts."""
        value = self.data.get(key)
        if not isinstance(value, str) or value not in choices:
            raise self.error(key, _("must be one of %(choices)s.") % {"choices": ", ".join(choices)})
        return value

    def flag(self, key: Key, *, default: bool) -> bool:
        """Return true or false."""
        value = self.data.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.error(key, _("must be true or false."))
        return value

    def number(self, key: Key, default: float | None = None) -> int | float:
        """Return a number as it is written, whole or not; 1e-3 is one here."""
        value = self.data.get(key)
        if value is None and default is not None:
            return default
        number = number_in(value) if isinstance(value, str) else as_number(value)
        if number is None:
            raise self.error(key, _("must be a number."))
        if not -FARTHEST <= number <= FARTHEST:
            raise self.error(key, _("must be between -1e300 and 1e300."))
        return number

    def above(self, key: Key, low: float, default: float | None = None) -> int | float:
        """Return a number that is greater than ``low``."""
        number = self.number(key, default)
        if number <= low:
            raise self.error(key, _("must be greater than %(low)s.") % {"low": low})
        return number

    def whole(self, key: Key, low: int | None = None) -> int:
        """Return a whole number, at least ``low``."""
        value = self.data.get(key)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.error(key, _("must be a whole number."))
        if low is not None and value < low:
            raise self.error(key, _("must be at least %(low)s.") % {"low": low})
        return value
