"""The runs with the smallest or largest number of a key."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from metrics.aggregates.numbers_query import ask
from metrics.aggregates.sources import sources
from metrics.models import Stream, StreamKind


@dataclass(frozen=True, slots=True)
class Best:
    """A run and its smallest, or largest, finite number of a key."""

    run_id: int
    value: float


def best_of(run_ids: Iterable[int], key: str, *, is_largest: bool, limit: int) -> list[Best]:
    """Return the best runs, best first; of runs without a finite number of the key none.

    Raises:
        Invalid: too much lies outside ClickHouse.
        StorageUnavailable: ClickHouse does not answer.
    """
    names: list[str] = []
    values: dict[int, float] = {}
    for source in sources(run_ids, StreamKind.HISTORY):
        names += source.names
        for run_id, _stream_id, block in source.blocks:
            stats = block.key_stats().stats().get(key)
            if stats is not None and stats.max is not None and stats.min is not None:
                _keep(values, run_id, stats.max if is_largest else stats.min, is_largest=is_largest)
    for run_id, value in _best_there(names, key, is_largest=is_largest, limit=limit).items():
        _keep(values, run_id, value, is_largest=is_largest)
    order = sorted(values.items(), key=lambda found: (-found[1] if is_largest else found[1], found[0]))
    return [Best(run_id, value) for run_id, value in order[:limit]]


def _keep(values: dict[int, float], run_id: int, value: float, *, is_largest: bool) -> None:
    known = values.get(run_id, value)
    values[run_id] = max(known, value) if is_largest else min(known, value)


def _best_there(names: Sequence[str], key: str, *, is_largest: bool, limit: int) -> Mapping[int, float]:
    """Return the best runs by what lies in ClickHouse. A run that is not among them is not by its other rows alone."""
    value, order = ("max(high)", "DESC") if is_largest else ("min(low)", "ASC")
    rows = ask(
        f"SELECT stream, {value} AS value FROM {{numbers}} WHERE finite > 0 AND {{wanted}}"  # noqa: S608 - words above
        f" GROUP BY stream ORDER BY value {order}, stream LIMIT {{limit:UInt32}}",
        names,
        key,
        limit=limit,
    )
    found = {int(stream): float(value) for stream, value in rows}
    run_of = dict(Stream.objects.filter(pk__in=[*found]).values_list("pk", "run_id"))
    return {run_of[stream]: value for stream, value in found.items() if stream in run_of}
