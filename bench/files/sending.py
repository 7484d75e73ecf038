"""Bytes to and from a server over loopback, by a client that costs little itself."""

import http.client
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Self, TypeVar
from urllib.parse import urlsplit

from tests.sdk.drafts import Draft

CONNECTIONS = 16
"""Of the client that sends many small files."""
_BUFFER = 1024 * 1024
_ADDRESSES_AT_ONCE = 1000
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Upload:
    """Bytes, the path that they are PUT to, and the headers that go with them."""

    path: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


class Connection:
    """One connection that is kept alive."""

    def __init__(self, port: int) -> None:
        self._link = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        self._buffer = memoryview(bytearray(_BUFFER))
        self._next: Connection | None = None
        """To where the server leads."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._link.close()
        if self._next is not None:
            self._next.__exit__()

    def put(self, upload: Upload) -> None:
        """Send a file.

        Raises:
            OSError: any status but 2xx.
        """
        headers = {"Content-Type": "application/octet-stream", **upload.headers}
        self._link.request("PUT", upload.path, memoryview(upload.body), headers)
        reply = self._link.getresponse()
        text = reply.read()
        if not 200 <= reply.status < 300:
            raise OSError(f"PUT {upload.path[:80]}: {reply.status} {text[:300]!r}")

    def get(self, path: str) -> int:
        """Read a file, from wherever the server leads to, and forget it; returns its bytes.

        Raises:
            OSError: any status but 200.
        """
        self._link.request("GET", path)
        reply = self._link.getresponse()
        if reply.status == http.client.FOUND:
            reply.read()
            return self._follow(reply.headers["Location"])
        size = 0
        while count := reply.readinto(self._buffer):
            size += count
        if reply.status != http.client.OK:
            raise OSError(f"GET {path[:80]}: {reply.status}")
        return size

    def _follow(self, url: str) -> int:
        if self._next is None:
            self._next = Connection(port_of(url))
        return self._next.get(path_of(url))


def port_of(url: str) -> int:
    """Return the port of an address."""
    return int(urlsplit(url).port or 80)


def path_of(url: str) -> str:
    """Return what is asked for of an address."""
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def seconds(work: Callable[[], object]) -> float:
    """Return what it takes by the clock."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def uploads_of(
    draft: Draft, bodies: Sequence[bytes], listed: Sequence[tuple[str, str]]
) -> tuple[int, list[Upload]]:
    """Ask where files go, a thousand at once; returns the port, which is the same for all, and the uploads.

    Args:
        draft: Which has the files.
        bodies: Their bytes.
        listed: Name and digest of each.
    """
    given = [
        one for start in range(0, len(listed), _ADDRESSES_AT_ONCE)
        for one in draft.addresses(listed[start : start + _ADDRESSES_AT_ONCE])
    ]  # fmt: skip
    uploads = [
        Upload(path_of(one["uploadUrl"]), body, dict(line.split(":", 1) for line in one["uploadHeaders"]))
        for one, body in zip(given, bodies, strict=True)
    ]
    return port_of(given[0]["uploadUrl"]), uploads


def put_all(port: int, uploads: Sequence[Upload]) -> None:
    """Send many files over CONNECTIONS connections."""

    def send(some: Sequence[Upload]) -> None:
        with Connection(port) as link:
            for upload in some:
                link.put(upload)

    _share(send, [uploads[start::CONNECTIONS] for start in range(CONNECTIONS)])


def get_all(port: int, paths: Sequence[str]) -> None:
    """Read many files over CONNECTIONS connections."""

    def read(some: Sequence[str]) -> None:
        with Connection(port) as link:
            for path in some:
                link.get(path)

    _share(read, [paths[start::CONNECTIONS] for start in range(CONNECTIONS)])


def _share(work: Callable[[Sequence[T]], None], shares: Sequence[Sequence[T]]) -> None:
    with ThreadPoolExecutor(len(shares)) as pool:
        for done in [pool.submit(work, share) for share in shares]:
            done.result()
