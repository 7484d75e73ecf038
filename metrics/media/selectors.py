"""History that is not a number: images, tables, histograms, texts, sounds, by key and step (RUN-42).

A value lies in the history as the SDK's JSON; the bytes it names are files of the run.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
import orjson
from cachetools import LRUCache

from common.formats.lenient_json import clean_tree
from metrics.models import Segment, StreamKind
from metrics.series.selectors import MAX_LISTED
from metrics.store import reads, row_blocks
from metrics.store.fetching import Needed, ahead
from metrics.store.key_stats import type_of
from metrics.store.row_blocks import Block
from runs.models import Run
from runs.secrets.masking import mask_tree
from runs.selectors import files_of
from storage.signed_urls import tickets

NOT_SHOWN = frozenset({"number", "null"})
CACHE_BYTES = 64 * 1024 * 1024
MAX_STEPS = 20_000
"""Of one key; of more, evenly chosen ones are on the slider."""
MOST_SHARED = 1000
"""As MAX_STEPS, of several runs together."""
_ENTRY_BYTES = 200
_MODELS = "media/object3D/"

Entry = tuple[int, int, str, bytes]
"""(row, step, kind, JSON) of one value."""


def _json(value: Any) -> bytes:
    try:
        return orjson.dumps(value)  # NaN becomes null: browsers read no NaN
    except orjson.JSONEncodeError:
        return orjson.dumps(clean_tree(value), default=str)


def _shown(kind: str, value: Any) -> bytes:
    return _json(mask_tree(value)[0] if kind in {"string", "list", "object"} else value)


def _read(block: Block) -> dict[str, list[Entry]]:
    """Return the values of a block by key, rows rising."""
    found = [(row, ".".join(path), type_of(value), value) for row, path, value in block.others()]
    found = [entry for entry in found if entry[2] not in NOT_SHOWN and not entry[1].startswith("_")]
    if not found:
        return {}
    rows = np.array([row for row, *_ in found], np.int64)
    order = np.argsort(rows, kind="stable")
    steps = reads.columns([block], {"_step"})["_step"].at(rows[order])
    steps = np.where(np.isfinite(steps), steps, rows[order]).astype(np.int64)
    entries: dict[str, list[Entry]] = {}
    for position, step in zip(order.tolist(), steps.tolist(), strict=True):
        row, key, kind, value = found[position]
        entries.setdefault(key, []).append((row, step, kind, _shown(kind, value)))
    return entries


def _size_of(entries: dict[str, list[Entry]]) -> int:
    return 1 + sum(len(entry[3]) + _ENTRY_BYTES for some in entries.values() for entry in some)


_cache: LRUCache[str, dict[str, list[Entry]]] = LRUCache(CACHE_BYTES, getsizeof=_size_of)
_lock = Lock()


def _needed(block: Block) -> list[Needed]:
    """Return what `_read` reads of a bucket, unless it is remembered."""
    if not block.is_remote:
        return []
    with _lock:
        if _name_of(block) in _cache:
            return []
    return block.needed_others() + block.needed({"_step"})


def _name_of(block: Block) -> str:
    part = block.part
    return part.name if isinstance(part, Segment) else f"tail {part.pk} {hash(bytes(part.payload))}"


def _entries_in(block: Block) -> dict[str, list[Entry]]:
    """Return a block's values, which are remembered in the process: segments and batches of the tail never change."""
    if block.row0 != block.part.row0:
        return _read(block)
    name = _name_of(block)
    with _lock:
        known = _cache.get(name)
    if known is None:
        known = _read(block)
        with _lock:
            if _size_of(known) <= CACHE_BYTES:
                _cache[name] = known
    return known


def _has_media(block: Block, wanted_key: str | None) -> bool:
    """Say whether a segment has any, under one key or at all; its index tells without reading it."""
    return not isinstance(block.part, Segment) or any(
        stats.type not in NOT_SHOWN and (not key.startswith("_") if wanted_key is None else key == wanted_key)
        for key, stats in block.key_stats().stats().items()
    )


def _all_entries(run_id: int, key: str | None = None) -> Iterator[dict[str, list[Entry]]]:
    blocks = row_blocks.blocks(run_id, StreamKind.HISTORY)
    for block in ahead((block for block in blocks if _has_media(block, key)), _needed):
        yield _entries_in(block)


def entries_of(run_id: int, key: str) -> list[Entry]:
    """Return a key's values, rows rising; segments without the key are not read."""
    return [entry for found in _all_entries(run_id, key) for entry in found.get(key, ())]


@dataclass(slots=True)
class MediaKey:
    """What was logged under a key."""

    key: str
    kinds: list[str] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    """Rising; where several rows have one step, the step once."""
    count: int = 0


def media_keys(run_id: int) -> list[MediaKey]:
    """Return the keys that have values other than numbers, with their steps."""
    found: dict[str, MediaKey] = {}
    kinds: dict[str, set[str]] = {}
    for entries in _all_entries(run_id):
        for key, some in entries.items():
            known = found.setdefault(key, MediaKey(key))
            known.steps += [step for _, step, _, _ in some]
            known.count += len(some)
            kinds.setdefault(key, set()).update(kind for _, _, kind, _ in some)
    for key, known in found.items():
        known.kinds = sorted(kinds[key])
        known.steps = _thinned(sorted(set(known.steps)))
    return sorted(found.values(), key=lambda known: known.key)[:MAX_LISTED]


def steps_of(run_ids: Collection[int], key: str) -> list[int]:
    """Return the steps, rising, at which some of the runs have a value other than a number under a key."""
    return _thinned(
        sorted({entry[1] for run_id in run_ids for entry in entries_of(run_id, key)}), MOST_SHARED
    )


def _thinned(steps: list[int], most: int = MAX_STEPS) -> list[int]:
    if len(steps) <= most:
        return steps
    where = np.linspace(0, len(steps) - 1, most).astype(int)
    return [steps[position] for position in where.tolist()]


def media_at(run_id: int, keys: Collection[str], step: int) -> dict[str, Entry]:
    """Return each key's last value at or before a step; the first one when all are later."""
    best: dict[str, Entry] = {}
    for entries in _all_entries(run_id):
        for key in keys:
            some = entries.get(key)
            if not some:
                continue
            steps = [entry[1] for entry in some]
            until = bisect_right(steps, step) if steps == sorted(steps) else 0
            candidates = (
                [some[until - 1]] if until else [entry for entry in some if entry[1] <= step] or some[:1]
            )
            chosen = max(candidates, key=lambda entry: (entry[1], entry[0]))
            known = best.get(key)
            if known is None or (
                chosen[1] <= step and (known[1] > step or chosen[:2][::-1] >= known[:2][::-1])
            ):
                best[key] = chosen
    return best


def paths_in(value: Any) -> Iterator[str]:
    """Yield the names of files that a value speaks of, masks and boxes among them."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "path" and isinstance(inner, str):
                yield inner
            elif key == "filenames" and isinstance(inner, list):
                yield from (_full_path(name, value) for name in inner if isinstance(name, str))
            else:
                yield from paths_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from paths_in(inner)


def _full_path(name: str, value: dict[str, Any]) -> str:
    """Return a name of a list in full; the SDK writes those of 3D objects relative to their folder."""
    if value.get("_type") == "object3D" and not name.startswith(_MODELS):
        return f"{_MODELS}{name}"
    return name


def links_of(run: Run, paths: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return a signed URL, the size and the type of each file that is there; texts come with secrets masked."""
    path_of = {path.replace("\\", "/"): path for path in paths}  # the SDK on Windows
    files = files_of(run).filter(name__in=sorted(path_of))
    return {
        path_of[file.name]: {
            "url": tickets.get_path(
                file.blob, name=file.name, content_type=file.content_type, is_masked=True
            ),
            "size": file.size_bytes,
            "type": file.content_type,
        }
        for file in files
    }
