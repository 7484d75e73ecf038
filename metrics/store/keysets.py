"""Key tuples stored once: ids to keys and back, cached in the process within a bound."""

import hashlib
import json
from collections.abc import Collection, Iterable

from metrics.models import KeySet

_MOST_KEYS = 1_000_000
"""In remembered tuples together: 10,000 kinds of rows of 100 keys."""
_MOST_COUNTED = 500_000
_keys_by_id: dict[int, tuple[str, ...]] = {}
_ids_by_keys: dict[tuple[str, ...], int] = {}
_size = 0
_counted: dict[int, set[int]] = {}
"""By stream, which tuples and which keys of what is no number count among its keys (`metrics.ingest.key_limit`)."""


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def ids_of(keysets: Iterable[tuple[str, ...]]) -> dict[tuple[str, ...], int]:
    """Return ids, storing new tuples; call inside the ingest's transaction.

    The process remembers an id only by `remember`, after the commit: a rolled-back insert is never relied on.
    """
    ids = {keys: _ids_by_keys.get(keys) for keys in keysets}
    unknown = {keys: json.dumps(keys) for keys, pk in ids.items() if pk is None}  # ASCII: no lone surrogates
    if unknown:
        rows = [KeySet(hash=_hash(text), keys=text) for text in sorted(unknown.values())]  # one order for all
        KeySet.objects.bulk_create(rows, ignore_conflicts=True)
        stored = dict(KeySet.objects.filter(hash__in=[row.hash for row in rows]).values_list("hash", "pk"))
        ids.update({keys: stored[_hash(text)] for keys, text in unknown.items()})
    return {keys: pk for keys, pk in ids.items() if pk is not None}


def remember(ids: dict[tuple[str, ...], int]) -> None:
    """Cache committed ids in the process."""
    for keys, pk in ids.items():
        _keep(pk, keys)


def counted_of(stream: int) -> Collection[int]:
    """Return the hashes, by Python, of what is known to be counted of a stream."""
    return _counted.get(stream, frozenset())


def remember_counted(stream: int, hashes: Iterable[int]) -> None:
    """Cache what is committed of a stream's keys."""
    if sum(map(len, _counted.values())) > _MOST_COUNTED:
        _counted.clear()
    _counted.setdefault(stream, set()).update(hashes)


def _keep(pk: int, keys: tuple[str, ...]) -> None:
    global _size  # noqa: PLW0603 - of the caches beside it
    if pk in _keys_by_id and keys in _ids_by_keys:
        return
    if _size + len(keys) > _MOST_KEYS:
        _forget_keys()
    _size += len(keys)
    _ids_by_keys[keys] = pk
    _keys_by_id[pk] = keys


def _forget_keys() -> None:
    global _size  # noqa: PLW0603 - of the caches beside it
    _size = 0
    _ids_by_keys.clear()
    _keys_by_id.clear()


def clear_cache() -> None:
    """Empty the caches; for tests, whose database goes back."""
    _forget_keys()
    _counted.clear()


def keys_of(pk: int) -> tuple[str, ...]:
    """Return the key tuple of an id."""
    keys = _keys_by_id.get(pk)
    if keys is None:
        keys = tuple(json.loads(KeySet.objects.values_list("keys", flat=True).get(pk=pk)))
        _keep(pk, keys)
    return keys
