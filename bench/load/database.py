"""A PostgreSQL database for one part: rows that an earlier part left would be packed in the middle of the next."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

VARIABLE = "RUNYARD_DATABASE_URL"


def database_name() -> str:
    """Return which database the installation uses, as a chart names it."""
    return "PostgreSQL" if os.environ.get(VARIABLE, "").startswith("postgres") else "SQLite"


@contextmanager
def own_database() -> Iterator[None]:
    """Name a new database in the environment and drop it afterwards; without PostgreSQL do nothing."""
    if database_name() == "SQLite":
        yield
        return
    import psycopg

    given = os.environ[VARIABLE]
    name = f"runyard_load_{uuid4().hex[:8]}"
    with psycopg.connect(given, autocommit=True) as link:
        link.execute(f'CREATE DATABASE "{name}"')
    os.environ[VARIABLE] = urlunsplit(urlsplit(given)._replace(path=f"/{name}"))
    try:
        yield
    finally:
        os.environ[VARIABLE] = given
        with psycopg.connect(given, autocommit=True) as link:
            link.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
