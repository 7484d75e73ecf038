"""What each Python of the SDK's environments runs first (`tests.sdks.script_env`).

In releases whose own process is Python, as 0.16, that process writes down its port before another of its threads
listens on it (`wandb/sdk/service/server_sock.py`), so on a busy machine the script is refused in between, and hangs.
In that process, and nowhere else, a socket listens as soon as it is bound.
"""  # noqa: INP001 - Python looks for a module of this name, not for a package

import socket
import sys
from typing import Any

_bind = socket.socket.bind


def _bind_and_listen(self: socket.socket, address: Any) -> None:
    _bind(self, address)
    if self.type == socket.SOCK_STREAM:
        self.listen(5)


if sys.orig_argv[1:4] == ["-m", "wandb", "service"]:
    socket.socket.bind = _bind_and_listen  # type: ignore[assignment, method-assign]
