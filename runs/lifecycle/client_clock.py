"""What a client's own clock says of its run: for how long it ran, and of a run that was sent later, when.

Of a run that the server hears of while it runs, the server's clock is believed: clients' may be hours off. One that was
recorded out of reach is only known by its own. SDKs say which it was: their telemetry, which no setting leaves out,
tells that the run was offline, or that `wandb sync` sent it.
"""

import math
from datetime import UTC, datetime, timedelta
from typing import Any

from common.formats.lenient_json import decode
from runs.config.flatten import environments_in, sdk_part

EARLIEST = datetime(2010, 1, 1, tzinfo=UTC)
"""Clocks that tell an earlier time were never set."""
MAX_CLOCK_S = int(timedelta(days=366).total_seconds())
"""What a run's own clock may tell: one that was set wrong, or filled with something else, must not cost years."""
_SENT_LATER = frozenset({4, 42, 76})
"""Features in the SDK's telemetry (`wandb_telemetry.proto`): offline, sync, sync2."""

_Object = dict[str, Any]


def was_sent_later(sdk: _Object) -> bool:
    """Say by the SDK's part of a config whether its run was recorded first and sent afterwards."""
    telemetry = sdk.get("t")
    features = telemetry.get("3") if isinstance(telemetry, dict) else None
    return isinstance(features, list) and any(type(one) is int and one in _SENT_LATER for one in features)


def begins_in(sdk: _Object) -> set[datetime]:
    """Return when the processes of a run began, as the SDK's part of its config says; unlikely times are left out."""
    begins = [time_of(one.get("startedAt")) for one in environments_in(sdk)]
    return {
        at
        for at in (*begins, time_of(sdk.get("start_time")))  # the latter before SDK 0.19
        if at is not None
    }


def began_another(config_before: str, config_text: str) -> bool:
    """Say whether a config is of a process that began after the one whose config was there before.

    A process of SDK 0.31 tells when it began only in the second config that it sends.
    """
    known, begins = begins_in(sdk_part(config_before)), begins_in(sdk_part(config_text))
    return bool(known) and (not begins or bool(begins - known))


def clock_of(summary_text: str) -> int:
    """Return the whole seconds that a run's own clock tells in its summary: at its last line, or at its end.

    The SDK writes ``_runtime`` with each line and ``_wandb.runtime`` when the run ends; the later one counts.
    """
    summary = _object(summary_text)
    return int(max(_seconds(summary.get("_runtime")), _seconds(_own(summary).get("runtime"))))


def span_of(sdk: _Object, summary_text: str, *, goes_on: bool) -> tuple[set[datetime], datetime | None]:
    """Return when a run's processes began and when it ended by their clocks, None where that is not told.

    Args:
        sdk: The SDK's part of the config.
        summary_text: It has the time of the last line, and for how long the run had been running at its end.
        goes_on: The latter counts from another begin, as after a resume and in forks: then the last line is the end.
    """
    begins, summary, seconds = begins_in(sdk), _object(summary_text), clock_of(summary_text)
    logged_at = time_of(summary.get("_timestamp"))
    if logged_at is not None and not begins:
        begins = {max(EARLIEST, logged_at - timedelta(seconds=seconds))}
    if goes_on or not begins or not seconds:
        return begins, logged_at
    ended_at = min(begins) + timedelta(seconds=seconds)
    return begins, max(logged_at or ended_at, ended_at)


def _object(text: str) -> _Object:
    try:
        value = decode(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _own(summary: _Object) -> _Object:
    own = summary.get("_wandb")
    return own if isinstance(own, dict) else {}


def _seconds(value: Any) -> float:
    """Return seconds of what may be anything."""
    if type(value) not in (int, float) or not math.isfinite(value):
        return 0.0
    return max(0.0, float(min(value, MAX_CLOCK_S)))


def time_of(value: Any) -> datetime | None:
    """Return the time that a number of seconds or a text in ISO 8601 means, UTC; None of what is none, or too early."""
    try:
        if type(value) in (int, float):
            at = datetime.fromtimestamp(value, UTC)
        elif isinstance(value, str):
            at = datetime.fromisoformat(value)
        else:
            return None
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return at if at >= EARLIEST else None
