"""How far a copy is, kept in its target: written in the transactions that copy the rows it speaks of.

As long as it is there, the target is not an installation's: `prepare` finishes what was found to be the same, and
refuses anything less.
"""

import json
from dataclasses import dataclass
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

_TABLE = "runyard_move"
_COPIED, _SAME = "(rows and indexes)", "(compared)"
"""Stand among the names of tables once all is copied, and once it was found to be the same."""


@dataclass(frozen=True, slots=True)
class TableProgress:
    """What of a table was copied."""

    last_key: Any = None
    """Of the last row; None before the first."""
    rows: int = 0


class Progress:
    """The table of the target."""

    def __init__(self, target: BaseDatabaseWrapper) -> None:
        self._target = target

    def exists(self) -> bool:
        """Whether a copy is under way there."""
        return _TABLE in self._target.introspection.table_names()

    def create(self) -> None:
        """Begin one."""
        self._execute(f"CREATE TABLE {_TABLE} (name text PRIMARY KEY, last_key text, copied bigint NOT NULL)")

    def drop(self) -> None:
        """End one: the database has become an installation's."""
        self._execute(f"DROP TABLE {_TABLE}")

    def of(self, name: str) -> TableProgress:
        """Return how far a table is."""
        with self._target.cursor() as cursor:
            cursor.execute(f"SELECT last_key, copied FROM {_TABLE} WHERE name = %s", [name])  # noqa: S608
            row = cursor.fetchone()
        return TableProgress(json.loads(row[0]), row[1]) if row else TableProgress()

    def record(self, name: str, reached: TableProgress) -> None:
        """Write how far a table is."""
        self._execute(
            f"INSERT INTO {_TABLE} (name, last_key, copied) VALUES (%s, %s, %s)"  # noqa: S608
            " ON CONFLICT (name) DO UPDATE SET last_key = excluded.last_key, copied = excluded.copied",
            [name, json.dumps(reached.last_key), reached.rows],
        )

    @property
    def is_copied(self) -> bool:
        """Whether all rows are there, and indexes and foreign keys, too."""
        return bool(self.of(_COPIED).rows)

    def record_copied(self) -> None:
        """Write that they are."""
        self.record(_COPIED, TableProgress(rows=1))

    @property
    def is_same(self) -> bool:
        """Whether both databases were found to hold the same."""
        return bool(self.of(_SAME).rows)

    def record_same(self) -> None:
        """Write that they were."""
        self.record(_SAME, TableProgress(rows=1))

    def _execute(self, statement: str, values: Any = None) -> None:
        with self._target.cursor() as cursor:
            cursor.execute(statement, values)
