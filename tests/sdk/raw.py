"""HTTP by hand, for what no client library would send; and a neighbour whom it must not harm."""

import contextlib
import re
import socket
import threading
from base64 import b64encode
from collections.abc import Iterator

import httpx

from tests.installation import Installation
from tests.sdk.people import Person
from tests.sdk.wire import Wire, history, row
from tests.waiting import PATIENCE_S

NEIGHBOURS_PAUSE_S = 0.2
"""Between a neighbour's posts, unless somebody wants to see one: they go on through whole modules of tests."""
_LENGTH = re.compile(rb"(?i)\r\ncontent-length: (\d+)\r\n")


def head(person: Person, path: str, *lines: str, method: str = "POST", keep: bool = False) -> bytes:
    """Return a request's head with the person's key; ``lines`` are further headers, latin-1."""
    login = b64encode(f"api:{person.key}".encode()).decode()
    first = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Authorization: Basic {login}"]
    closing = [] if keep else ["Connection: close"]
    return "\r\n".join([*first, *closing, *lines, "", ""]).encode("latin-1")


def connect(server: Installation) -> socket.socket:
    """Open a connection."""
    return socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S)


def read_all(link: socket.socket) -> bytes:
    """Return what comes until the server closes, or resets."""
    got = b""
    with contextlib.suppress(ConnectionResetError):
        while part := link.recv(65536):
            got += part
    return got


def read_one(link: socket.socket) -> bytes:
    """Return one whole answer, head and body, from a connection that stays open; TCP may bring it in parts."""
    got = b""
    while not (end := got.find(b"\r\n\r\n") + 4) > 3 or len(got) < end + int(_LENGTH.findall(got[:end])[0]):
        part = link.recv(65536)
        assert part, f"closed after {got!r}"
        got += part
    return got


def exchange(server: Installation, *parts: bytes, cut: bool = False) -> bytes:
    """Send the parts, and with ``cut`` that no more comes; return all that is answered until the server closes."""
    with connect(server) as link:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # refused before the end
            for part in parts:
                link.sendall(part)
            if cut:
                link.shutdown(socket.SHUT_WR)
        return read_all(link)


def statuses(answer: bytes) -> list[int]:
    """Return the statuses of the answers on one connection; none may be the server's own failure."""
    found = [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", answer)]
    assert all(status < 500 for status in found), answer
    return found


class Neighbour:
    """Posts a row now and then and notes what was acknowledged."""

    def __init__(self, server: Installation, key: str) -> None:
        self._log = server.log_path("web")
        self._log_begin = self._log.stat().st_size
        self.wire = Wire(server.url, key)
        self.run = self.wire.begin("neighbours")
        self.acknowledged = 0
        self.refused: list[str] = []
        self._ended = threading.Event()
        self._wanted = threading.Event()
        self._posted = threading.Event()
        self._thread = threading.Thread(target=self._go)

    def _go(self) -> None:
        while not self._ended.is_set():
            self._wanted.wait(NEIGHBOURS_PAUSE_S)
            self._wanted.clear()
            try:
                reply = self.wire.post(self.run, history(self.acknowledged, row(self.acknowledged)))
            except httpx.TransportError as error:
                self.refused.append(repr(error))
                return
            if reply.status_code != 200:
                self.refused.append(reply.text)
                return
            self.acknowledged += 1
            self._posted.set()

    def see_another_post(self) -> None:
        """Wait until one more is acknowledged; none may have been refused."""
        self._posted.clear()
        self._wanted.set()
        self._posted.wait(PATIENCE_S)
        assert self._posted.is_set()
        assert self.refused == []

    def check_unharmed(self) -> None:
        """See that posts go on, all that were acknowledged are stored, and nothing has left a traceback in the log."""
        self.see_another_post()
        acknowledged = self.acknowledged
        stored = [line["_step"] for line in self.wire.rows(self.run)]
        assert stored[:acknowledged] == list(range(acknowledged))
        assert "Traceback" not in self._log.read_bytes()[self._log_begin :].decode(errors="replace")

    @contextlib.contextmanager
    def posting(self) -> Iterator["Neighbour"]:
        """Post until the end of the block."""
        self._thread.start()
        try:
            yield self
        finally:
            self._ended.set()
            self._wanted.set()
            self._thread.join(timeout=PATIENCE_S)
            self.wire.http.close()
