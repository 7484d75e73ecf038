"""Peers of webhooks: one that takes what it is sent, and some that behave as badly as peers do."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from typing import Any

from tests.fakes.serving import FakeHandler, serving

PIECE_S = 0.02
"""How often one that drips sends a byte."""


@dataclass
class ReceivedRequest:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    """By name in small letters."""
    body: bytes


@dataclass
class Sink:
    """A server on this machine; the path asked for says how it behaves, and ``answers`` may say more."""

    port: int
    taken: list[ReceivedRequest] = field(default_factory=list)
    connection_count: int = 0
    answers: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)
    over: threading.Event = field(default_factory=threading.Event)

    def url(self, path: str = "/taken") -> str:
        """Return an address; /silent, /drip, /drip-body, /big and /close misbehave, others are in ``answers``."""
        return f"http://127.0.0.1:{self.port}{path}"


class _Server(ThreadingHTTPServer):
    sink: Sink
    daemon_threads = True

    def get_request(self) -> Any:
        self.sink.connection_count += 1
        return super().get_request()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients hang up."""


class _EverywhereServer(_Server):
    """Reached by every address of this machine, of both kinds."""

    address_family = socket.AF_INET6

    def server_bind(self) -> None:
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


class _Handler(FakeHandler):
    server: _Server

    def do_POST(self) -> None:
        sink, body = self.server.sink, self.body()
        sink.taken.append(
            ReceivedRequest(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        )
        behave = {
            "/silent": self._silent, "/drip": self._drip, "/drip-body": self._drip_body, "/big": self._big,
            "/close": self._close,
        }.get(self.path)  # fmt: skip
        if behave is not None:
            behave()
            return
        status, headers, content = sink.answers.get(self.path, (200, {}, b"ok"))
        self.answer(status, content, headers)

    do_GET = do_POST

    def _silent(self) -> None:
        self.server.sink.over.wait()

    def _drip(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        self._piece_by_piece(b"X-More: 1\r\n")

    def _drip_body(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        self._piece_by_piece(b".")

    def _piece_by_piece(self, piece: bytes) -> None:
        while not self.server.sink.over.wait(PIECE_S):
            self.wfile.write(piece)

    def _big(self) -> None:
        self.answer(200, b"x" * 10_000_000)

    def _close(self) -> None:
        self.connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def sink(*, everywhere: bool = False) -> Iterator[Sink]:
    """Run one; ``everywhere`` listens to all addresses of this machine, and not only to 127.0.0.1."""
    server = _EverywhereServer(("::", 0), _Handler) if everywhere else _Server(("127.0.0.1", 0), _Handler)
    server.sink = Sink(server.server_address[1])
    with serving(server):
        try:
            yield server.sink
        finally:
            server.sink.over.set()
