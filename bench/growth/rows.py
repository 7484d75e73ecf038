"""Rows by the hundred thousand."""

from typing import Any

from django.db import connection, models


class Rows:
    """Inserts rows that differ in a few fields; `bulk_create` takes ten times as long, and sets times to now."""

    def __init__(self, like: models.Model) -> None:
        """Take all other fields from one object, which is not saved."""
        self._fields = like._meta.local_concrete_fields
        self._places = {field.attname: place for place, field in enumerate(self._fields)}
        self._like = [
            field.get_db_prep_save(getattr(like, field.attname), connection) for field in self._fields
        ]
        columns = ", ".join(f'"{field.column}"' for field in self._fields)
        places = ", ".join(["%s"] * len(self._fields))
        self._statement = f'INSERT INTO "{like._meta.db_table}" ({columns}) VALUES ({places})'  # noqa: S608 - names

    def row(self, **changed: Any) -> list[Any]:
        """Return a row as the database takes it."""
        row = self._like.copy()
        for name, value in changed.items():
            row[self._places[name]] = value
        return row

    def insert(self, rows: list[list[Any]]) -> None:
        """Insert rows."""
        with connection.cursor() as cursor:
            cursor.executemany(self._statement, rows)
