"""The cache's connections: one pool for a process, not one for each request."""

import contextvars
from typing import Any

from django.core.cache import caches


def pool(cache: Any) -> Any:
    return cache._cache._get_connection_pool(write=True)


def test_every_context_has_the_same_connections():
    pools = {id(contextvars.Context().run(lambda: pool(caches["default"]))) for _ in range(3)}
    assert len(pools) == 1
