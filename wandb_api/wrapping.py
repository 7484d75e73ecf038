"""The header by which the agent tells, through the SDK, that it records the program that logs (AGT-1)."""

WRAPPER = "X-Runyard-Wrapper"
"""``<id of the agent's run>; console, system``: what it records of them, so that the SDK's is left out."""


def wrapper_of(header: str) -> str:
    """Return the id of the agent's run."""
    return header.partition(";")[0].strip()[:128]


def recorded_by(header: str) -> frozenset[str]:
    """Return what the agent records itself: of ``console`` and ``system``."""
    return frozenset(filter(None, (word.strip() for word in header.partition(";")[2].split(","))))
