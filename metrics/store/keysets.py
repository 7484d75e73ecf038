"""Key tuples stored once: ids to keys and back, cached in the process."""

import hashlib
import json
from collections.abc import Iterable

from metrics.models import KeySet

_keys_by_id: dict[int, tuple[str, ...]] = {}
_ids_by_keys: dict[tuple[str, ...], int] = {}


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
        _ids_by_keys[keys] = pk
        _keys_by_id[pk] = keys


def clear_cache() -> None:
    """Empty the cache; for tests, whose database goes back."""
    _ids_by_keys.clear()
    _keys_by_id.clear()


def keys_of(pk: int) -> tuple[str, ...]:
    """Return the key tuple of an id."""
    keys = _keys_by_id.get(pk)
    if keys is None:
        keys = tuple(json.loads(KeySet.objects.values_list("keys", flat=True).get(pk=pk)))
        _keys_by_id[pk] = keys
    return keys
