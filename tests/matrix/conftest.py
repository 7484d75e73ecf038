"""The world that all tests of a module ask about, built once."""

from collections.abc import Iterator

import pytest
from django.db import transaction

from metrics.ingest import committer
from tests.in_process import db
from tests.matrix.world import World, build

__all__ = ["db"]


@pytest.fixture(scope="module")
def world(db: None) -> Iterator[World]:
    """Build the world once."""
    with transaction.atomic():
        built = build()
    committer.start()
    yield built
    committer.stop()
