"""How many keys a stream may have: a row that would bring one more is set aside.

Each key is a column in every segment and a line in every list of keys. Of a stream's keys eight bytes of a hash each
are stored, read when rows come whose keys this process does not know, and written when one is new. Runs that are older
than this count are counted by what they bring from then on.
"""

from collections.abc import Callable, Collection, Iterable
from hashlib import blake2b
from itertools import chain

import numpy as np
import numpy.typing as npt
from django.conf import settings

from metrics.models import StreamKeys
from metrics.store import keysets
from metrics.store.codec import Batch, Group, row_numbers
from metrics.store.key_stats import shown_key

Hashes = npt.NDArray[np.uint64]


def excess_reason() -> str:
    """Say why a row is set aside."""
    return f"its run would have more than {settings.RUN_MAX_KEYS:,} keys (setting RUNYARD_RUN_MAX_KEYS)"


def _hashes(names: Iterable[str]) -> Hashes:
    found = b"".join(blake2b(name.encode(errors="surrogatepass"), digest_size=8).digest() for name in names)
    return np.unique(np.frombuffer(found, np.uint64))


class KeyCounter:
    """The keys of the streams of one group of posts; the caller has locked their runs."""

    def __init__(self) -> None:
        self._stored: dict[int, Hashes] = {}
        self._changed: set[int] = set()
        self._counted: dict[int, set[int]] = {}

    def load(self, batches: Collection[tuple[int, Batch]]) -> None:
        """Read, by one query, what is stored of the streams to which some of these batches may bring keys."""
        streams = {
            stream for stream, batch in batches if any(self._unseen(stream, batch))
        } - self._stored.keys()
        if streams:
            found = StreamKeys.objects.filter(stream__in=streams).values_list("stream", "hashes")
            stored = {stream: np.frombuffer(bytes(hashes), np.uint64) for stream, hashes in found}
            self._stored |= {stream: stored.get(stream, _hashes(())) for stream in streams}

    def excess(self, stream: int, batch: Batch) -> list[int]:
        """Count the keys of a batch; return the rows that would bring more than a stream may have."""
        groups, names = self._unseen(stream, batch)
        if not groups and not names:
            return []
        self.load([(stream, batch)])
        found = np.union1d(
            _hashes(map(shown_key, chain.from_iterable(g.keys for g in groups))), _hashes(names)
        )
        known = self._stored[stream]
        new = np.setdiff1d(found, known, assume_unique=True)
        if new.size and known.size + new.size > settings.RUN_MAX_KEYS:
            return self._excess_by_row(stream, batch, groups, names)
        self._keep(stream, np.union1d(known, new) if new.size else known)
        self._counted.setdefault(stream, set()).update(map(hash, chain((g.keys for g in groups), names)))
        return []

    def _unseen(self, stream: int, batch: Batch) -> tuple[list[Group], set[str]]:
        """Return the groups, and the names of what is no number, that have not been counted."""
        seen = keysets.counted_of(stream)
        counted: Collection[int] = self._counted.get(stream, frozenset())
        groups = [g for g in batch.groups if (one := hash(g.keys)) not in seen and one not in counted]
        names = {".".join(path) for _, path, _ in batch.other}
        return groups, {name for name in names if (one := hash(name)) not in seen and one not in counted}

    def _excess_by_row(
        self, stream: int, batch: Batch, groups: Collection[Group], names: Collection[str]
    ) -> list[int]:
        """Count the keys of the rows in turn, for as long as there is room."""
        brought: dict[int, list[frozenset[int]]] = {}
        for group in groups:
            of_group = frozenset(_hashes(map(shown_key, group.keys)).tolist())
            for row in row_numbers(group, batch.row_count).tolist():
                brought.setdefault(row, []).append(of_group)
        hash_of = {name: frozenset(_hashes([name]).tolist()) for name in names}
        for row, path, _ in batch.other:
            name = ".".join(path)
            if name in hash_of:
                brought.setdefault(row, []).append(hash_of[name])
        known = set(self._stored[stream].tolist())
        refused = []
        for row in sorted(brought):
            new = set().union(*brought[row]) - known
            if new and len(known) + len(new) > settings.RUN_MAX_KEYS:
                refused.append(row)
            else:
                known |= new
        self._keep(stream, np.array(sorted(known), np.uint64))
        return refused

    def _keep(self, stream: int, hashes: Hashes) -> None:
        if hashes.size > self._stored[stream].size:
            self._stored[stream] = hashes
            self._changed.add(stream)

    def flush(self) -> Callable[[], None]:
        """Write what is new; return what to call after the commit."""
        if self._changed:
            StreamKeys.objects.bulk_create(
                [StreamKeys(stream_id=pk, hashes=self._stored[pk].tobytes()) for pk in sorted(self._changed)],
                update_conflicts=True, unique_fields=["stream"], update_fields=["hashes"],
            )  # fmt: skip
        return self._remember

    def _remember(self) -> None:
        for stream, counted in self._counted.items():
            keysets.remember_counted(stream, counted)
