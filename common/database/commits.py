"""What happens after a commit."""

import logging
from collections.abc import Callable
from typing import Any

from django.db import transaction
from kombu.exceptions import OperationalError
from redis.exceptions import ConnectionError as RedisConnectionError

logger = logging.getLogger(__name__)


def after_commit(act: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Call ``act`` once the transaction is committed; if it fails, that is logged, and what was committed stands.

    Django's own ``on_commit(partial(…), robust=True)`` fails on the name of the partial while it logs (5.2), and so
    turns what was committed into an error.
    """

    def call() -> None:
        try:
            act(*args, **kwargs)
        except (RedisConnectionError, OperationalError) as error:  # Redis is away; a traceback says no more
            logger.warning("After a commit, %s failed: %s", getattr(act, "__qualname__", act), error)
        except Exception:
            logger.exception("After a commit, %s failed", getattr(act, "__qualname__", act))

    transaction.on_commit(call)
