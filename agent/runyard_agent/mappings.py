"""A run's configuration and summary, as a program reads and changes them."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any, Callable

from runyard_agent.values import plain_config, plain_row


class Config(MutableMapping[str, Any]):
    """The configuration: ``config["lr"]`` and ``config.lr`` are the same. Each change is sent.

    Args:
        send: called with the whole configuration after each change.
    """

    def __init__(self, values: dict[str, Any], send: Callable[[dict[str, Any]], None]) -> None:
        object.__setattr__(self, "_values", values)
        object.__setattr__(self, "_send", send)

    def update(self, *others: Any, **more: Any) -> None:
        """Take all of a dict, or of an object with attributes such as argparse makes."""
        for other in (*others, more):
            self._values.update(plain_config(other))
        self._send(self._values)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.update({name: value})

    def __delitem__(self, name: str) -> None:
        del self._values[name]
        self._send(self._values)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(f"the configuration has no {name!r}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __repr__(self) -> str:
        return f"Config({self._values!r})"


class Summary(MutableMapping[str, Any]):
    """The last value of each key that was logged; one that is set by hand stays as it was set.

    Args:
        send: called with what is set by hand.
    """

    def __init__(self, send: Callable[[dict[str, Any]], None]) -> None:
        self.values_now: dict[str, Any] = {}
        self.by_hand: dict[str, Any] = {}
        self._send = send

    def follow(self, row: dict[str, Any]) -> None:
        """Take what was logged."""
        if self.by_hand:
            row = {key: value for key, value in row.items() if key not in self.by_hand}
        self.values_now.update(row)

    def update(self, *others: Any, **more: Any) -> None:
        """Set values by hand.

        Raises:
            TypeError: as ``log`` does.
        """
        for other in (*others, more):
            given = plain_row(other)
            self.by_hand.update(given)
            self.values_now.update(given)
        self._send(self.by_hand)

    def __getitem__(self, name: str) -> Any:
        return self.values_now[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.update({name: value})

    def __delitem__(self, name: str) -> None:
        raise TypeError("a summary keeps what was logged; set another value instead")

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_now)

    def __len__(self) -> int:
        return len(self.values_now)

    def __repr__(self) -> str:
        return f"Summary({self.values_now!r})"
