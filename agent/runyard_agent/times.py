"""Times as they travel, in ISO 8601 and UTC."""

from __future__ import annotations

import time
from datetime import datetime, timezone

_RECENT_S = 60.0


def time_now() -> str:
    """Return the present: ``2026-11-22T10:00:00.000000Z``."""
    return datetime.now(timezone.utc).isoformat(timespec="microseconds").replace("+00:00", "Z")


def is_recent(told: str | None) -> bool:
    """Say whether a time is about now, so that the server's clock tells it better than this host's, or is none."""
    if told is None:
        return True
    at = datetime.fromisoformat(told.replace("Z", "+00:00")).timestamp()
    return time.time() - at < _RECENT_S
