"""The GPUs of a machine, as SDK and agent tell of them in a run's metadata."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_LISTS = ("gpu_nvidia", "gpu_amd", "gpuNvidia", "gpuAmd")
_UUIDS = ("uuid", "unique_id", "uniqueId")
_NAMES = ("name", "series", "model")
_SIZES = ("memory_total", "memoryTotal")
MOST = 256
"""Of one machine; more are nonsense."""


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU; it is the same wherever its UUID is seen."""

    index: int
    uuid: str = ""
    name: str = ""
    memory_bytes: int | None = None


def gpus_in(metadata: dict[str, Any]) -> list[Gpu]:
    """Return the GPUs that an environment names, by index; without a list, as many as it counts."""
    for list_name in _LISTS:
        cards = metadata.get(list_name)
        if isinstance(cards, list) and cards:
            return [_gpu(index, card) for index, card in enumerate(cards[:MOST]) if isinstance(card, dict)]
    count = whole(metadata.get("gpu_count")) or 0
    name = metadata.get("gpu")
    return [Gpu(index, name=str(name)[:128]) for index in range(min(count or 1, MOST))] if name else []


def counted_names(names: Iterable[str]) -> str:
    """Return how many of which: ``8 × NVIDIA H100``."""
    counts = Counter(name or "GPU" for name in names)
    return ", ".join(f"{count} × {name}" for name, count in counts.items())


def whole(value: Any) -> int | None:
    """Return a number of bytes or things, which the SDK also writes as text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = int(float(value))
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number < 2**63 else None


def _gpu(index: int, card: dict[str, Any]) -> Gpu:
    def first(names: tuple[str, ...]) -> Any:
        return next((card[name] for name in names if card.get(name)), "")

    given = whole(card.get("index"))
    return Gpu(
        index=index if given is None else given,
        uuid=str(first(_UUIDS))[:128],
        name=str(first(_NAMES))[:128],
        memory_bytes=whole(first(_SIZES)),
    )
