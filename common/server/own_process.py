"""What a process of ours does once it has imported all that it needs."""

import ctypes
import gc
import sys

_PR_SET_NAME = 15
"""From linux/prctl.h."""


def settle(name: str) -> None:
    """Give this process a name, and let it stay small and not be held up.

    A full collection of garbage would walk through the million objects that stay, which takes a tenth of a second of
    every thread, and would write to each page that it visits.

    Args:
        name: What `ps -o comm` and `top` show: web and worker may have one command line.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_NAME, f"runyard-{name}".encode())
    gc.collect()
    gc.freeze()
