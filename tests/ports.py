"""Ports for servers that tests start."""

import os
import socket
from itertools import count

FIRST, LAST = 10_000, 32_000
"""Below those that systems give to clients, one of which could take the port of a server that a test has killed."""
_next = count(os.getpid() * 97)


def free_port() -> int:
    """Return a port that nothing uses, and that this process has not returned before."""
    for number in _next:
        port = FIRST + number % (LAST - FIRST)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
    raise AssertionError("unreachable: the count does not end")
