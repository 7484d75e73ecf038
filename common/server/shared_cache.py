"""Django's Redis cache, with one pool of connections for the whole process.

Django keeps a cache, and its connections, for each context. Each request of a server has one of its own, so each would
connect anew.
"""

from functools import cached_property
from typing import Any

from django.core.cache.backends.redis import RedisCache, RedisCacheClient

_clients: dict[str, RedisCacheClient] = {}


class SharedRedisCache(RedisCache):
    """What differs is who holds the connections."""

    _servers: list[str]
    _class: type[RedisCacheClient]
    _options: dict[str, Any]

    @cached_property
    def _cache(self) -> Any:
        server = self._servers[0]
        if server not in _clients:  # of two threads at once, the later one's is kept
            _clients[server] = self._class(self._servers, **self._options)
        return _clients[server]
