"""Bytes to and from a server over loopback, by a client that costs little itself."""

import http.client
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Self, TypeVar

CONNECTIONS = 16
"""Of the client that sends many small files."""
_BUFFER = 1024 * 1024
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Upload:
    """Bytes and the path that they are PUT to."""

    path: str
    body: bytes


class Connection:
    """One connection that is kept alive."""

    def __init__(self, port: int) -> None:
        self._link = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        self._buffer = memoryview(bytearray(_BUFFER))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._link.close()

    def put(self, upload: Upload) -> None:
        """Send a file.

        Raises:
            OSError: any status but 2xx.
        """
        headers = {"Content-Type": "application/octet-stream"}
        self._link.request("PUT", upload.path, memoryview(upload.body), headers)
        reply = self._link.getresponse()
        text = reply.read()
        if not 200 <= reply.status < 300:
            raise OSError(f"PUT {upload.path[:80]}: {reply.status} {text[:300]!r}")

    def get(self, path: str) -> int:
        """Read a file and forget it; returns its bytes.

        Raises:
            OSError: any status but 200.
        """
        self._link.request("GET", path)
        reply = self._link.getresponse()
        size = 0
        while count := reply.readinto(self._buffer):
            size += count
        if reply.status != http.client.OK:
            raise OSError(f"GET {path[:80]}: {reply.status}")
        return size


def seconds(work: Callable[[], object]) -> float:
    """Return what it takes by the clock."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


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
