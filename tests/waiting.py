"""Waiting for what other processes do: always for a condition, never for a time."""

import time
from collections.abc import Callable
from typing import Any

PATIENCE_S = 300.0
"""How long a test waits for what must come. Only a hang takes it: a machine that does other work is no fault."""
PAUSE_S = 0.05
LONGEST_PAUSE_S = 0.5
SHARE = 0.1
"""Of the time waited so far, that passes before the next question: each costs the server that is waited for time."""


def until(
    found: Callable[[], Any], what: str, *, patience_s: float = PATIENCE_S, pause_s: float = PAUSE_S
) -> Any:
    """Ask until the answer is truthy and return it.

    Args:
        found: what is asked.
        what: is waited for; begins the message.
        patience_s: more than usual is for what comes only after a time of its own.
        pause_s: between the first questions; more than usual is for what costs much to ask.

    Raises:
        AssertionError: it did not come; the message has the last answer.
    """
    begin = time.monotonic()
    while not (answer := found()):
        waited_s = time.monotonic() - begin
        assert waited_s < patience_s, f"{what}: not within {patience_s} s; last answer {answer!r}"
        time.sleep(max(pause_s, min(SHARE * waited_s, LONGEST_PAUSE_S)))
    return answer
