"""Contents that no row names: what uploads, deletions and sweeps left that crashed."""

from collections.abc import Callable, Collection, Iterable
from itertools import islice

_AT_ONCE = 500
"""SQLite takes a condition of at most 1,000 parts."""


def remove_orphans(
    names: Iterable[str],
    *,
    named: Callable[[Collection[str]], Iterable[str]],
    remove: Callable[[Collection[str]], None],
) -> int:
    """Remove contents that no row names; returns how many.

    Args:
        names: Of contents old enough that no transaction under way can still name them.
        named: Returns those of some names that rows have.
        remove: Removes contents.
    """
    removed = 0
    old = iter(names)
    while some := set(islice(old, _AT_ONCE)):
        orphans = some - set(named(some))
        remove(orphans)
        removed += len(orphans)
    return removed
