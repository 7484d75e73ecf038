"""The indexes that this process keeps, within a bound."""

import threading
from collections import OrderedDict

from django.db import connection

from runs.column_index.project_index import ProjectIndex

MOST_BYTES = 128 << 20
"""Of all columns of all projects, in each process."""

_kept: OrderedDict[int, ProjectIndex] = OrderedDict()
_lock = threading.Lock()


def index_of(project_id: int) -> ProjectIndex | None:
    """Return a project's index; None within a transaction, whose changes may be taken back."""
    blocks = connection.atomic_blocks
    # as Django itself tells the transaction of a test
    if blocks and not getattr(blocks[-1], "_from_testcase", False):
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
