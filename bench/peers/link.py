"""HTTP over one kept-alive connection, counting bytes; standard library only, since it also runs beside the peers."""

import contextlib
import gzip
import http.client
import json
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Ask:
    """One request."""

    path: str
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def json(cls, path: str, body: Any) -> Self:
        """Return a POST of JSON."""
        return cls(path, json.dumps(body).encode(), {"Content-Type": "application/json"})


@dataclass(frozen=True)
class Answer:
    """What came."""

    body: bytes
    wire_bytes: int
    """Of the body as it was sent."""


class Link:
    """Speaks to one server."""

    def __init__(self, url: str, **headers: str) -> None:
        self._headers = {"Accept-Encoding": "gzip", **headers}
        self._link = http.client.HTTPConnection(urlsplit(url).netloc, timeout=300)

    def send(self, ask: Ask) -> Answer:
        """Send a request and read all of its answer.

        Raises:
            OSError: any status but 2xx, or no connection.
        """
        with contextlib.suppress(http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
            if self._link.sock is not None:
                return self._send(ask)
        self._link.close()  # it was closed while it was idle
        return self._send(ask)

    def _send(self, ask: Ask) -> Answer:
        method = "GET" if ask.body is None else "POST"
        self._link.request(method, ask.path, ask.body, {**self._headers, **ask.headers})
        reply = self._link.getresponse()
        raw = reply.read()
        body = gzip.decompress(raw) if reply.getheader("Content-Encoding") == "gzip" else raw
        if not 200 <= reply.status < 300:
            raise OSError(f"{method} {ask.path[:120]}: {reply.status} {body[:300]!r}")
        return Answer(body, len(raw))

    def get(self, path: str) -> Any:
        """Return the JSON of a GET."""
        return json.loads(self.send(Ask(path)).body)

    def post(self, path: str, body: Any) -> Any:
        """Return the JSON that a POST of JSON is answered with."""
        return json.loads(self.send(Ask.json(path, body)).body)
