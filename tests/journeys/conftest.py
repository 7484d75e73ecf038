"""Fixtures of the journeys: people sign up in them, and names are never given again."""

from collections.abc import Callable

import pytest

from tests.installation import Installation


@pytest.fixture
def server(
    request: pytest.FixtureRequest, server: Installation, new_server: Callable[..., Installation]
) -> Installation:
    """Give the session's installation; one of its own to a test that is tried again, whose names are taken there."""
    is_first = getattr(request.node, "execution_count", 1) == 1
    return server if is_first else new_server()
