"""A host that wastes the time and disk of whoever asks it: byte by byte, never, or without an end."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from enum import Enum, auto


class Waste(Enum):
    """How it answers, once it has seen a request."""

    SILENT = auto()
    """Nothing comes."""
    DRIPPING_HEAD = auto()
    """A byte of the head now and then."""
    DRIPPING_BODY = auto()
    """A head at once, then a byte of the body now and then."""
    ENDLESS_BODY = auto()
    """A head at once, then bytes as fast as they go."""
    UNREAD = auto()
    """It reads nothing of what it is sent."""


PAUSE_S = 0.05
"""Between two bytes: far below every timeout of a socket."""


class SlowHost:
    """Listens on loopback until it is closed."""

    def __init__(self, waste: Waste, body_bytes: int = 2_400_000) -> None:
        self.waste, self.body_bytes = waste, body_bytes
        self.sent = 0
        self.asked = 0
        self._ended = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _accept(self) -> None:
        while not self._ended.is_set():
            try:
                connection, _address = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=[connection], daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            self.asked += 1
            if self.waste is Waste.UNREAD:
                self._ended.wait()
                return
            connection.recv(65536)
            for piece, is_dripped in self._pieces():
                for part in [piece[at : at + 1] for at in range(len(piece))] if is_dripped else [piece]:
                    connection.sendall(part)
                    self.sent += len(part)
                    if is_dripped and self._ended.wait(PAUSE_S):
                        return
            self._ended.wait()

    def _pieces(self) -> Iterator[tuple[bytes, bool]]:
        head = f'HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nETag: "{"0" * 32}"\r\n'.encode()
        if self.waste is Waste.DRIPPING_HEAD:
            yield head + b"X-Long: " + b"x" * 60_000, True
        elif self.waste is Waste.DRIPPING_BODY:
            yield head + f"Content-Length: {self.body_bytes}\r\n\r\n".encode(), False
            yield b"\0" * self.body_bytes, True
        elif self.waste is Waste.ENDLESS_BODY:
            yield head + b"Connection: close\r\n\r\n", False
            while not self._ended.is_set():
                yield b"\0" * 65536, False

    def close(self) -> None:
        self._ended.set()
        self._listening.close()


@contextlib.contextmanager
def slow_host(waste: Waste) -> Iterator[SlowHost]:
    """Serve until the block ends."""
    host = SlowHost(waste)
    try:
        yield host
    finally:
        host.close()
