"""The world that all tests of a module ask about, built once."""

from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import connections, transaction
from pytest_django import DjangoDbBlocker

from metrics.ingest import committer
from tests.matrix.world import World, build


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Take the place of pytest-django's: what is committed stays until the module ends, seen by all threads."""
    with django_db_blocker.unblock():
        yield
        call_command("flush", verbosity=0, interactive=False)
        connections.close_all()


@pytest.fixture(scope="module")
def world(db: None) -> Iterator[World]:
    """Build the world once."""
    with transaction.atomic():
        built = build()
    committer.start()
    yield built
    committer.stop()
