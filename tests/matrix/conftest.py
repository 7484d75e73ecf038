"""The world that all tests of a module ask about, built once."""

from collections.abc import Iterator

import pytest
from django.db import transaction
from django.test import override_settings

from metrics.ingest import committer
from tests.in_process import db
from tests.matrix.world import World, build

__all__ = ["db"]
DAY_S = 24 * 3600


@pytest.fixture(scope="module")
def world(db: None) -> Iterator[World]:
    """Build the world once; sign-ins stay recent for a day, since its tests may take longer than ten minutes."""
    with transaction.atomic():
        built = build()
    committer.start()
    with override_settings(ACCOUNT_REAUTHENTICATION_TIMEOUT=DAY_S):
        yield built
    committer.stop()
