"""Answers Prometheus over HTTP, by a few threads that no client can hold for long."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from typing import Callable

from runyard_agent.exposition import CONTENT_TYPE
from runyard_agent.settings import SettingsError
from runyard_agent.spool import tell

_THREADS = 4
_PATIENCE_S = 5.0
"""How long a client may take for its question, and then for the answer."""
_MOST_BYTES = 8192
"""Of a question, headers and all."""
_STATUSES = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    500: "Internal Server Error",
}


class Scrapes:
    """Serves a page on ``/metrics`` from threads of its own.

    Args:
        address: ``HOST:PORT``; port 0 takes a free one.
        page: makes the page anew for each client.

    Raises:
        SettingsError: nothing can listen there.
    """

    def __init__(
        self,
        address: str,
        page: Callable[[], str],
        *,
        threads: int = _THREADS,
        patience_s: float = _PATIENCE_S,
    ) -> None:
        self._page, self._patience_s, self._is_over = page, patience_s, False
        host, _, port = address.rpartition(":")
        host = host.strip("[]")
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            self._listener = socket.create_server((host, int(port)), family=family)
        except OSError as error:
            raise SettingsError(f"metrics_listen: {address} can't be used: {error.strerror}") from None
        self._threads = [
            threading.Thread(target=self._serve, name="runyard-scrapes", daemon=True) for _ in range(threads)
        ]

    @property
    def url(self) -> str:
        """Where the page is."""
        host, port = self._listener.getsockname()[:2]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/metrics"

    def start(self) -> None:
        """Answer, in the background."""
        for thread in self._threads:
            thread.start()
        tell(f"metrics for Prometheus at {self.url}")

    def close(self) -> None:
        """Answer nobody any more."""
        self._is_over = True
        with contextlib.suppress(OSError):  # not on every system
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes who waits for a client
        self._listener.close()

    def _serve(self) -> None:
        while not self._is_over:
            try:
                client, _ = self._listener.accept()
            except OSError:  # closed, or too many open files
                time.sleep(0.1)
                continue
            with client, contextlib.suppress(OSError):
                self._answer(client)

    def _answer(self, client: socket.socket) -> None:
        method, path = _asked(client, time.monotonic() + self._patience_s)
        status, body = self._reply(method, path)
        data = body.encode()
        head = (
            f"HTTP/1.1 {status} {_STATUSES[status]}\r\n"
            f"Content-Type: {CONTENT_TYPE}\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n"
        )
        client.settimeout(self._patience_s)  # for all of it together
        client.sendall(head.encode() + (b"" if method == "HEAD" else data))

    def _reply(self, method: str, path: str) -> tuple[int, str]:
        if not method:
            return 400, "This is not HTTP.\n"
        if path.partition("?")[0] != "/metrics":
            return 404, "The metrics are at /metrics.\n"
        if method not in {"GET", "HEAD"}:
            return 405, "Use GET.\n"
        try:
            return 200, self._page()
        except Exception as error:  # noqa: BLE001 - a fault of ours must not end the answering for good
            return 500, f"{type(error).__name__}: {error}\n"


def _asked(client: socket.socket, until: float) -> tuple[str, str]:
    """Return method and path of a question; both empty where it is too long or no HTTP.

    Raises:
        OSError: it does not come in time.
    """
    asked = b""
    while b"\r\n\r\n" not in asked:
        client.settimeout(max(until - time.monotonic(), 0.001))
        chunk = client.recv(_MOST_BYTES)
        asked += chunk
        if not chunk or len(asked) > _MOST_BYTES:
            return "", ""
    parts = asked.partition(b"\r\n")[0].decode("latin-1").split(" ")
    is_http = len(parts) == 3 and parts[2].startswith("HTTP/1.")
    return (parts[0], parts[1]) if is_http else ("", "")
