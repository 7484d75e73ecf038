"""What decoded values take, estimated from the text before it is decoded, and shared by all requests of a process."""

import threading
import time
from functools import partial

from django.conf import settings
from django.utils.translation import gettext as _

from common.budgets.budget import Budget, current
from common.errors import TooLarge, Unavailable

_VALUE, _LIST, _OBJECT = 72, 96, 240
"""Bytes that CPython takes for a number in a list, a list of one value, and an object of one key."""
_SMALL = 1024 * 1024
"""Estimates up to this are not counted: a process has no more threads than that they matter."""
_WAIT_S = 20
_LOOK_S = 0.1


class _Shared:
    """What all requests of this process have reserved."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._reserved = 0

    def reserve(self, size: int, most: int, budget: Budget) -> None:
        """Wait until it fits, and let it go when the request ends."""
        ends_at = time.monotonic() + _WAIT_S
        with self._changed:
            while self._reserved + size > most:
                if time.monotonic() >= ends_at:
                    raise Unavailable(_("The server is decoding many large requests; try again in a minute."))
                budget.look_for_client()
                self._changed.wait(_LOOK_S)
            self._reserved += size
        budget.at_end(partial(self._release, size))

    def _release(self, size: int) -> None:
        with self._changed:
            self._reserved -= size
            self._changed.notify_all()


_shared = _Shared()


def decoded_bytes(text: bytes) -> int:
    """Estimate what a JSON text takes decoded, at the speed of counting bytes.

    What is in strings counts, too: they often contain JSON that is decoded next.
    """
    return len(text) + _VALUE * text.count(b",") + _LIST * text.count(b"[") + _OBJECT * text.count(b"{")


def reserve_decoded(text: bytes, times: int = 1) -> None:
    """Reserve what a JSON text takes decoded, until the request ends; wait while others have reserved too much.

    Args:
        text: What will be decoded.
        times: How many times as much as other requests it may take. One that takes more than those waits until no
            other is left.

    Raises:
        TooLarge: it takes more.
        Unavailable: others did not end in time.
    """
    size, shared = decoded_bytes(text), int(settings.DECODED_MAX_BYTES)
    if size > times * shared:
        raise TooLarge(
            _(
                "This JSON takes %(size)s MiB when decoded; one request may take %(most)s MiB (setting %(setting)s)."
            )
            % {"size": size >> 20, "most": times * shared >> 20, "setting": "RUNYARD_DECODED_MAX_MIB"},
            setting="RUNYARD_DECODED_MAX_MIB",
        )
    if size > _SMALL:
        _shared.reserve(min(size, shared), shared, current())
