"""A proxy before a real server, which can fail as networks and providers do."""

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from urllib.parse import urlsplit

from tests.fakes.serving import FakeHandler, serving
from tests.waiting import PATIENCE_S

_OWN = {"connection", "transfer-encoding", "keep-alive", "content-length"}


@dataclass
class Faults:
    """What goes wrong until it is set back; nothing at first."""

    url: str = ""
    """Of the proxy."""
    is_down: bool = False
    """Whether connections are closed without an answer."""
    is_silent: bool = False
    """Whether requests get no answer, for as long as the test runs."""
    answers: "tuple[int, str, bytes] | None" = None
    """Status, content type and content of the answer to each request that `after` leaves."""
    after: int = 0
    """How many requests are still passed on before `answers` is given."""
    keeps_bytes: int | None = None
    """How much is sent of the content of each answer to GET, whatever its length says."""
    redirects_to: str = ""
    """Where requests are sent instead."""
    asked: list[str] = field(default_factory=list)
    """Method and path of each request."""
    passed: list[tuple[str, int]] = field(default_factory=list)
    """The same of each that was passed on, and how many bytes of content went both ways."""
    ended: threading.Event = field(default_factory=threading.Event)

    def mend(self) -> None:
        """Let everything work again."""
        self.is_down = self.is_silent = False
        self.answers, self.after, self.keeps_bytes, self.redirects_to = None, 0, None, ""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    faults: Faults
    behind: str


class _Handler(FakeHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def _pass_on(self) -> None:
        faults = self.server.faults
        faults.asked.append(f"{self.command} {self.path}")
        if faults.is_silent:
            faults.ended.wait(PATIENCE_S)
        if faults.is_down or faults.is_silent:
            self.close_connection = True
            return
        content = self._content()
        if faults.answers and faults.after <= 0:
            status, kind, answer = faults.answers
            self.answer(status, answer, {"Content-Type": kind})
            return
        if faults.redirects_to:
            self.answer(307, b"", {"Location": faults.redirects_to})
            return
        faults.after -= 1
        self._ask(content)

    def _content(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.body()
        whole = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return whole

    def _ask(self, content: bytes) -> None:
        peer = urlsplit(self.server.behind)
        connection = http.client.HTTPConnection(str(peer.hostname), peer.port, timeout=PATIENCE_S)
        try:
            connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in _OWN | {"expect"}:
                    connection.putheader(name, value)  # also Host, which is signed
            if content or self.command in {"PUT", "POST", "PATCH"}:
                connection.putheader("Content-Length", str(len(content)))
            connection.endheaders(content or None)
            self._answer(connection.getresponse(), len(content))
        finally:
            connection.close()

    def _answer(self, answer: http.client.HTTPResponse, sent_bytes: int) -> None:
        content = answer.read()
        self.server.faults.passed.append((f"{self.command} {self.path}", sent_bytes + len(content)))
        length = answer.getheader("Content-Length") if self.command == "HEAD" else str(len(content))
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _OWN:
                self.send_header(name, value)
        self.send_header("Content-Length", length or "0")
        self.end_headers()
        kept = self.server.faults.keeps_bytes
        if kept is not None and self.command == "GET" and answer.status < 300:
            content, self.close_connection = content[:kept], True
        self.wfile.write(content)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = do_PATCH = do_OPTIONS = _pass_on


@contextmanager
def faulty(behind: str) -> Iterator[Faults]:
    """Run one before a server."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.behind, server.faults = behind, Faults(f"http://127.0.0.1:{server.server_port}")
    with serving(server):
        try:
            yield server.faults
        finally:
            server.faults.ended.set()
