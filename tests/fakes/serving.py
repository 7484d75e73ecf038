"""What the fakes share: servers in a thread of the test's own process, and how they answer."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from socketserver import BaseServer
from typing import Any


@contextmanager
def serving(server: BaseServer) -> Iterator[None]:
    """Serve until the block ends; the 0.5 s after which the standard library notices would be most of a test's time."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class FakeHandler(BaseHTTPRequestHandler):
    """Reads bodies, answers whole ones, and logs nothing."""

    def body(self) -> bytes:
        """Return what was sent."""
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def answer(self, status: int, content: bytes, headers: dict[str, str] | None = None) -> None:
        """Send a whole answer."""
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""
