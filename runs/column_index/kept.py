"""The indexes that this process keeps, within a bound."""

import os
import threading
from collections import OrderedDict

from runs.column_index.changes import is_committed
from runs.column_index.project_index import ProjectIndex

MOST_BYTES = min(512 << 20, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 16)
"""Of all columns of all projects in each process; a column of numbers of a million runs takes 9 MB."""

_kept: OrderedDict[int, ProjectIndex] = OrderedDict()
_lock = threading.Lock()


def index_of(project_id: int) -> ProjectIndex | None:
    """Return a project's index; None within a transaction, whose changes may be taken back."""
    if not is_committed():
        return None
    with _lock:
        found = _kept.setdefault(project_id, ProjectIndex(project_id))
        _kept.move_to_end(project_id)
        return found


def trim() -> None:
    """Let go what was not used for longest, until the bound is met; of the last used project, single columns."""
    with _lock:
        sizes = {project_id: index.nbytes for project_id, index in _kept.items()}
        while len(_kept) > 1 and sum(sizes.values()) > MOST_BYTES:
            sizes.pop(_kept.popitem(last=False)[0])
        (last,) = list(_kept.values())[-1:]
    if sum(sizes.values()) > MOST_BYTES:
        last.forget(MOST_BYTES)


def clear() -> None:
    """Forget everything: another database has taken its place."""
    with _lock:
        _kept.clear()
