"""Rows from one database into the other: a batch, and how far it leads, in one transaction."""

from collections.abc import Callable, Sequence
from typing import Any

from django.db import DatabaseError, DataError, IntegrityError, connections, transaction
from django.db.models import JSONField

from common.database.moving.progress import Progress, TableProgress
from common.database.moving.tables import Row, Table
from common.errors import Conflict


def copy_rows(table: Table, source: str, target: str, progress: Progress, tell: Callable[[str], None]) -> int:
    """Copy what is missing of a table; returns its rows.

    Raises:
        Conflict: the target does not take a row.
    """
    reached, size = progress.of(table.name), table.batch_size(source)
    while rows := _next(table, source, reached, size):
        reached = TableProgress(rows[-1][table.key_at], reached.rows + len(rows))
        try:
            with transaction.atomic(using=target):
                _write(table, target, rows)
                progress.record(table.name, reached)
        except (DataError, IntegrityError) as error:
            raise Conflict(f"PostgreSQL does not take rows of {table.name}: {error}") from error
        tell(f"{table.name}: {reached.rows} rows copied")
    return reached.rows


def _next(table: Table, source: str, reached: TableProgress, size: int) -> list[Row]:
    rows = table.rows(source)
    if reached.last_key is not None:
        rows = rows.filter(pk__gt=reached.last_key)
    return [table.storable(row) for row in rows[:size]]


def _write(table: Table, target: str, rows: Sequence[Row]) -> None:
    connection: Any = connections[target]
    quoted = connection.ops.quote_name
    columns = ", ".join(quoted(field.column) for field in table.fields)
    trees = [at for at, field in enumerate(table.fields) if isinstance(field, JSONField)]
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY {quoted(table.name)} ({columns}) FROM STDIN") as copy,
    ):
        for row in rows:
            values = list(row)
            for at in trees:  # all other values are as the driver takes them
                values[at] = table.fields[at].get_db_prep_save(values[at], connection)
            copy.write_row(values)


def set_sequences(tables: Sequence[Table], source: str, target: str) -> None:
    """Let each sequence go on where the source would: keys of rows that are gone are not given again."""
    given = _given_keys(source)
    with connections[target].cursor() as cursor:
        for table in tables:
            key = table.model._meta.pk
            if table.name in given:
                cursor.execute(
                    "SELECT setval(pg_get_serial_sequence(%s, %s), %s)",
                    [f'"{table.name}"', str(key.column), given[table.name]],
                )


def _given_keys(source: str) -> dict[str, int]:
    with connections[source].cursor() as cursor:
        cursor.execute("SELECT name, seq FROM sqlite_sequence WHERE seq > 0")
        return dict(cursor.fetchall())


def execute_all(target: str, statements: Sequence[str], then: Callable[[], None]) -> None:
    """Execute statements and what comes with them in one transaction.

    Raises:
        Conflict: the target does not take one.
    """
    try:
        with transaction.atomic(using=target), connections[target].cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            then()
    except DatabaseError as error:
        raise Conflict(f"PostgreSQL refused: {error}") from error
