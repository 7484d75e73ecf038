"""Waiting for what other processes do: always for a condition, never for a time."""

import time
from collections.abc import Callable
from typing import Any

PATIENCE_S = 300.0
"""How long a test waits for what must come. Only a hang takes it: a machine that does other work is no fault."""
PAUSE_S = 0.05


def until(
    found: Callable[[], Any], what: str, *, patience_s: float = PATIENCE_S, pause_s: float = PAUSE_S
) -> Any:
    """Ask until the answer is truthy and return it.

    Args:
        found: what is asked.
        what: is waited for; begins the message.
        patience_s: more than usual is for what comes only after a time of its own.
        pause_s: between two questions; more than usual is for what costs much to ask.

    Raises:
        AssertionError: it did not come; the message has the last answer.
    """
    deadline = time.monotonic() + patience_s
    while not (answer := found()):
        assert time.monotonic() < deadline, f"{what}: not within {patience_s} s; last answer {answer!r}"
        time.sleep(pause_s)
    return answer
