"""What a post to the server is made of: records as they lie in the spool, and what acts ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from runyard_agent.spool import Batch, Spool
from runyard_agent.spool.records import to_json
from runyard_agent.times import is_recent

ROWS = {"history": "rows", "system": "rows", "log": "lines"}
"""The streams that the server counts, and what a post calls their records."""


class Acts:
    """What was read of the acts and is not yet confirmed; those that a post carries.

    Args:
        is_attached: the run is another's: it is neither described nor ended.
    """

    def __init__(self, *, is_attached: bool) -> None:
        self.next = 0
        """Number of the next act to read."""
        self._ignored = {"config", "summary", "preempting", "finish"} if is_attached else set()
        self._parts: dict[str, Any] = {}
        self._waits: dict[str, int] = {}

    def take(self, number: int, act: Mapping[str, Any]) -> None:
        """Keep what an act asks for; a later one of the same kind takes its place."""
        kind = act["act"]
        if kind in self._ignored:
            return
        self._waits.setdefault(kind, number)
        if kind == "finish":
            self._parts[kind] = {"exit_code": act["exit_code"]}
            if "at" in act and not is_recent(act["at"]):
                self._parts[kind]["ended_at"] = act["at"]
        else:
            self._parts[kind] = act.get(kind, True)

    def parts(self, *, with_finish: bool) -> dict[str, Any]:
        """Return what the next post carries."""
        return {kind: value for kind, value in self._parts.items() if with_finish or kind != "finish"}

    def forget(self, parts: Mapping[str, Any]) -> None:
        """Take parts as confirmed."""
        for kind in parts:
            del self._parts[kind], self._waits[kind]

    def confirmed(self) -> int:
        """Return the number of the first act that still matters."""
        return min(self._waits.values(), default=self.next)


class Post(NamedTuple):
    """A body, and what it has."""

    body: bytes
    batches: dict[str, Batch]
    parts: dict[str, Any]
    is_full: bool
    """There may be more."""


def gather(spool: Spool, expected: Mapping[str, int], limit_bytes: int) -> tuple[dict[str, Batch], bool]:
    """Return what waits in each stream, up to a size, and whether more does."""
    batches, is_full = {}, False
    ends = spool.ends()
    for name, number in expected.items():
        if number < ends[name]:
            batches[name] = spool.read(name, number, limit_bytes // len(expected))
            is_full |= batches[name].end < ends[name]
    return batches, is_full


def body_of(
    header: Mapping[str, Any],
    batches: Mapping[str, Batch],
    expected: Mapping[str, int],
    parts: Mapping[str, Any],
) -> bytes:
    """Return the JSON of a post; records are not parsed."""
    pieces = [b'{"writer":' + to_json(header["writer"])]
    if header.get("attached"):
        pieces.append(b'"attached":true')
    for name, batch in batches.items():
        lost = ',"lost_before":true' if batch.first > expected[name] else ""
        head = f'"{name}":{{"offset":{batch.first}{lost},"{ROWS[name]}":['
        pieces.append(head.encode() + b",".join(batch.payloads) + b"]}")
    for name, value in parts.items():
        pieces.append(to_json(name) + b":" + to_json(value))
    return b",".join(pieces) + b"}"
