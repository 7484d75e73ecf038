"""The header by which the agent tells, through the SDK, that it records the program that logs (AGT-1)."""

from urllib.parse import unquote

from runs.names.run_ids import MAX_LENGTH

WRAPPER = "X-Runyard-Wrapper"
"""``<its run's id, percent-encoded>; console, system``: what it records of them, so that the SDK's is left out."""


def wrapper_of(header: str) -> str:
    """Return the id of the agent's run."""
    return unquote(header.partition(";")[0].strip())[:MAX_LENGTH]


def recorded_by(header: str) -> frozenset[str]:
    """Return what the agent records itself: of ``console`` and ``system``."""
    return frozenset(filter(None, (word.strip() for word in header.partition(";")[2].split(","))))
