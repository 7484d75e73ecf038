"""Files of a run on their way to the server, beside its rows: a large one delays no other thing."""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from pathlib import Path
from typing import Callable, NamedTuple

from runyard_agent.pauses import Pauses
from runyard_agent.server import UPLOADS_AT_ONCE, Begun, Refused, Server, Unreachable

_BATCH_BYTES = 256 * 2**20
"""Links expire, so that not too much is sent by those of one request."""
_MOST_WAITING = 1000
_REFUSED_PAUSE_S = 180.0


class _File(NamedTuple):
    number: int
    """Of the act that asked for it."""
    name: str
    path: Path


class Uploads:
    """Sends files in a thread of its own, which begins with the first of them."""

    def __init__(self, server: Server, *, say: Callable[[str], None], on_change: Callable[[], None]) -> None:
        self._server, self._say, self._on_change = server, say, on_change
        self._run: Begun | None = None
        self._at_once = UPLOADS_AT_ONCE
        self._files: deque[_File] = deque()
        self._changed = threading.Condition()
        self._pauses, self._over, self._hurried = Pauses(), False, False
        self._thread = threading.Thread(target=self._serve, name="runyard-uploads", daemon=True)

    def add(self, run: Begun, number: int, name: str, path: Path) -> None:
        """Send a file; what it holds counts when it is sent."""
        with self._changed:
            self._run = run
            self._files.append(_File(number, name, path))
            self._changed.notify_all()
            if not self._thread.ident:
                self._thread.start()

    def oldest(self) -> int | None:
        """Return the number of the oldest act that waits."""
        with self._changed:
            return self._files[0].number if self._files else None

    def is_full(self) -> bool:
        """Tell whether so many wait that no more should be read."""
        return len(self._files) >= _MOST_WAITING

    def hurry(self) -> None:
        """Try at once: somebody waits."""
        with self._changed:
            self._hurried = True
            self._changed.notify_all()

    def close(self) -> None:
        """End; what waits is left."""
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def _serve(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._files or self._over)
                if self._over:
                    return
                batch = self._batch()
            pause_s = self._send(batch)
            if not pause_s:
                self._on_change()
                continue
            with self._changed:
                self._changed.wait_for(lambda: self._over or self._hurried, pause_s)
                self._hurried = False

    def _batch(self) -> list[_File]:
        batch: list[_File] = []
        size = 0
        for file in self._files:
            with contextlib.suppress(OSError):
                size += file.path.stat().st_size
            if batch and (size > _BATCH_BYTES or len(batch) >= self._at_once):
                break
            batch.append(file)
        return batch

    def _send(self, batch: list[_File]) -> float:
        """Send files and take out what is done; return how long to wait before the next try, 0 after success."""
        latest = {file.name: file.path for file in batch}
        try:
            assert self._run  # noqa: S101 - there is no file before it
            for name, reason in self._server.upload(self._run, latest):
                self._finish(batch, name, reason)
        except Unreachable as error:
            return self._pauses.after_failure(error.retry_after_s)
        except Refused as error:
            if error.status in {401, 403, 404, 410}:  # the rows meet the same, and tell it
                return _REFUSED_PAUSE_S
            if len(latest) > 1:  # each for itself, since one of them may be what is refused
                self._at_once = 1
                return 0.0
            for name in latest:
                self._finish(batch, name, str(error))
        return 0.0

    def _finish(self, batch: list[_File], name: str, reason: str) -> None:
        if reason:
            self._say(f"{name} was not uploaded: {reason}")
        self._pauses.reset()
        with self._changed:
            for file in batch:
                if file.name == name:
                    self._files.remove(file)
