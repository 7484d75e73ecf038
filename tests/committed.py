"""What tests have committed is removed after each of them, in milliseconds.

Django's own flush empties three hundred tables one by one and then makes content types, permissions and roles again,
which takes 0.4 s. Here only tables that have rows are emptied, and those that a new installation fills get these rows.
"""

from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper

Rows = list[tuple[Any, ...]]


@dataclass(frozen=True)
class NewInstallation:
    """The tables of a database that has no rows but a new installation's."""

    tables: list[str]
    filled: dict[str, Rows]

    @classmethod
    def of(cls, connection: BaseDatabaseWrapper) -> "NewInstallation":
        """Read them."""
        tables = sorted(connection.introspection.django_table_names(only_existing=True, include_views=False))
        return cls(tables, {table: _rows(connection, table) for table in _with_rows(connection, tables)})

    def restore(self, connection: BaseDatabaseWrapper) -> None:
        """Remove all other rows, and bring these back."""
        found = _with_rows(connection, self.tables)
        changed = [
            table
            for table in found
            if table not in self.filled or _rows(connection, table) != self.filled[table]
        ]
        missing = [table for table in self.filled if table in changed or table not in found]
        if not changed and not missing:
            return
        with ExitStack() as stack:
            stack.enter_context(connection.constraint_checks_disabled())
            # PostgreSQL checks foreign keys when the transaction ends
            stack.enter_context(transaction.atomic(connection.alias))
            cursor = stack.enter_context(connection.cursor())
            while changed:
                for table in changed:
                    cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")  # noqa: S608 - our own tables
                # triggers note in some tables what is deleted from others
                left = _with_rows(connection, self.tables)
                changed = [table for table in left if table not in self.filled]
            for table in missing:
                places = ", ".join(["%s"] * len(self.filled[table][0]))
                statement = f"INSERT INTO {connection.ops.quote_name(table)} VALUES ({places})"  # noqa: S608
                cursor.executemany(statement, self.filled[table])


def _with_rows(connection: BaseDatabaseWrapper, tables: list[str]) -> list[str]:
    quoted = connection.ops.quote_name
    # SQLite takes 500 parts of a UNION
    some = [tables[start : start + 100] for start in range(0, len(tables), 100)]
    found = []
    with connection.cursor() as cursor:
        for part in some:
            asked = (f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {quoted(table)})" for table in part)  # noqa: S608
            cursor.execute(" UNION ALL ".join(asked))
            found += [table for (table,) in cursor.fetchall()]
    return found


def _rows(connection: BaseDatabaseWrapper, table: str) -> Rows:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)} ORDER BY 1")  # noqa: S608
        return [tuple(row) for row in cursor.fetchall()]
