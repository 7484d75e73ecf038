"""The way from a training process to its recorder: frames up, events down. It never waits for anything.

A frame is kept until the recorder has it on disk, so that a new recorder can go on where one was killed.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import secrets
import select
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Callable, NamedTuple

from runyard_agent.settings import WRAPPED_RUN, Settings
from runyard_agent.values import plain_config

HEAD = struct.Struct("<IQ")
"""Bytes of the payload that follows, and the frame's number."""
GREETING = 2**64 - 1
"""The number of a recorder's first frame, which is none of the run's."""
_PIPE_BYTES = 2**20
_F_SETPIPE_SZ = 1031
_ATOMIC_BYTES = select.PIPE_BUF
"""What is written to a pipe whole or not at all; a longer frame is left to the thread."""
_MOST_BYTES = 128 * 2**20
"""How much waits in memory for a recorder that takes nothing."""
_MOST_RESTARTS = 5
_TICK_S = 1.0
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"

dumps = marshal.dumps  # 2 us for a row of 20 numbers, where json takes 40; both ends are the same Python
loads = marshal.loads


class Cut(NamedTuple):
    """What of the run is on disk: all frames before a number, which made so many rows and lines."""

    frames: int = 0
    rows: int = 0
    lines: int = 0


def first_frame(
    settings: Settings, flags: Mapping[str, Any], config: Any, resume: str | None
) -> dict[str, Any]:
    """Return what a recorder needs to know."""
    wrapped = os.environ.get(WRAPPED_RUN)
    return {
        "flags": dict(flags),
        "run_id": settings.run_id or "".join(secrets.choice(_LETTERS) for _ in range(8)),
        "joins": bool(wrapped) and settings.run_id == wrapped,
        "continues": bool(settings.run_id),
        "resume": resume or "allow",
        "config": {} if config is None else plain_config(config),
        "arguments": list(sys.argv),
        "cwd": str(Path.cwd()),
        "folder": "",
        "saved": [],
    }


class Link:
    """Starts the recorder, starts it anew if it dies, and hands it frames. Any thread may send, also signal handlers.

    Args:
        greeting: what a recorder needs to know.
        on_event: called from the link's thread with each event but those of the link itself.
        on_tick: called from there once a second.
    """

    def __init__(
        self,
        greeting: dict[str, Any],
        *,
        on_event: Callable[[str, Any], None],
        on_tick: Callable[[], None],
    ) -> None:
        self.is_over = False
        """Nothing is taken any more: the recorder ended, could not be started, or we are in a forked process."""
        self._greeting, self._on_event, self._on_tick = greeting, on_event, on_tick
        self._late: deque[bytes] = deque()
        """Sent while somebody else was at it."""
        self._frames: deque[bytes] = deque()
        self._written = 0
        """Number of the next frame to write."""
        self._cut = Cut()
        self._rest = b""
        self._bytes, self._was_full, self._restarts = 0, False, 0
        self._lock = threading.Lock()
        self._is_woken = False
        self._wake_read, self._wake_write = _pipe()
        self._up, self._down = -1, -1
        self._process: subprocess.Popen[bytes]
        self._errors: IO[bytes]
        self._launch()
        self._thread = threading.Thread(target=self._serve, name="runyard-link", daemon=True)
        self._thread.start()

    def send(self, kind: str, content: Any) -> None:
        """Hand over a frame; it is marshalled before this returns.

        Raises:
            ValueError: marshal can't say it.
        """
        payload = dumps((kind, content))
        if self.is_over:
            return
        if self._late or self._lock.locked():  # perhaps by us, whom a signal handler interrupted
            self._late.append(payload)
            self._wake()
        elif not self._send_now(payload):
            self._wake()

    def close(self, timeout_s: float) -> None:
        """Let the recorder end, and wait for it; it goes on without us if it needs longer."""
        deadline = time.monotonic() + timeout_s
        self._thread.join(timeout_s)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(max(deadline - time.monotonic(), 0))
        self._process.returncode = self._process.returncode or 0  # it may go on without us

    def forget(self) -> None:
        """Let go of everything in a forked process: the pipe is the parent's, which has to end with the parent."""
        self.is_over = True
        self._lock = threading.Lock()
        for descriptor in (self._up, self._down, self._wake_read, self._wake_write):
            with contextlib.suppress(OSError):
                os.close(descriptor)
        self._process.returncode = 0  # it is no child of ours

    def _send_now(self, payload: bytes) -> bool:
        """Keep a frame and write it, if none waits before it; False where the thread has to."""
        with self._lock:  # which no exception of a signal handler leaves locked
            frame = self._keep(payload)
            number = self._cut.frames + len(self._frames) - 1
            if frame is None:
                return True
            if self._written != number or self._rest or len(frame) > _ATOMIC_BYTES:
                return False
            with contextlib.suppress(OSError):  # it is full, or the recorder died: the thread sees to both
                os.write(self._up, frame)
                self._written = number + 1
                return True
            return False

    def _keep(self, payload: bytes) -> bytes | None:
        """Number a frame and keep it; None where there is no more room."""
        if self._bytes > _MOST_BYTES:
            if not self._was_full:
                self._was_full = True
                self._on_event(
                    "say",
                    f"the recorder is not responding and {_MOST_BYTES >> 20} MiB are waiting: further records are lost",
                )
            return None
        frame = HEAD.pack(len(payload), self._cut.frames + len(self._frames)) + payload
        self._bytes += len(frame)
        self._frames.append(frame)
        return frame

    def _wake(self) -> None:
        if not self._is_woken:
            self._is_woken = True
            with contextlib.suppress(OSError):
                os.write(self._wake_write, b"\0")

    def _launch(self) -> None:
        """Start a recorder.

        Raises:
            OSError: it can't be started.
        """
        if not sys.executable:
            raise FileNotFoundError("Python does not say where its own program is")
        up_read, self._up = _pipe(size=_PIPE_BYTES)
        self._down, down_write = _pipe()
        os.set_blocking(up_read, True)
        os.set_blocking(down_write, True)
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the recorder lives
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "runyard_agent.recorder"],
                stdin=up_read,
                stdout=down_write,
                stderr=self._errors,
                cwd=Path(__file__).parents[1],  # where -m finds us, and none of the script's modules
                start_new_session=True,  # Ctrl-C at the terminal is for the training alone
            )
        finally:
            os.close(up_read)
            os.close(down_write)
        greeting = dumps(("greeting", (self._greeting, tuple(self._cut))))
        self._rest = HEAD.pack(len(greeting), GREETING) + greeting

    def _serve(self) -> None:
        received = b""
        while not self.is_over:
            self._poll()
            self._on_tick()
            try:
                chunk = os.read(self._down, 65536)
            except BlockingIOError:
                continue
            if not chunk:
                received = b""
                self._replace()
                continue
            received = self._take(received + chunk)

    def _poll(self) -> None:
        """Wait for something to do, and push what waits."""
        poll = select.poll()
        poll.register(self._down, select.POLLIN)
        poll.register(self._wake_read, select.POLLIN)
        if self._push():
            poll.register(self._up, select.POLLOUT)
        ready = dict(poll.poll(_TICK_S * 1000))
        if self._wake_read in ready:
            os.read(self._wake_read, 512)
        self._is_woken = False
        self._push()

    def _push(self) -> bool:
        """Write what waits; True where some is left."""
        with self._lock:
            while self._late:
                self._keep(self._late.popleft())
            try:
                while True:
                    if not self._rest:
                        at = self._written - self._cut.frames
                        if at >= len(self._frames):
                            return False
                        self._rest = self._frames[at]
                        self._written += 1
                    self._rest = self._rest[os.write(self._up, self._rest) :]
            except BlockingIOError:
                return True
            except OSError:  # the recorder died: its end of the other pipe tells so, too
                return False

    def _take(self, received: bytes) -> bytes:
        """Handle whole events; return what is left."""
        while len(received) >= HEAD.size:
            length, _ = HEAD.unpack_from(received)
            if len(received) < HEAD.size + length:
                break
            kind, content = loads(received[HEAD.size : HEAD.size + length])
            received = received[HEAD.size + length :]
            if kind == "kept":
                self._forget_until(Cut(*content))
            elif kind == "folder":
                self._greeting["folder"] = content
            else:
                self.is_over = self.is_over or kind == "done"
                self._on_event(kind, content)
        return received

    def _forget_until(self, cut: Cut) -> None:
        with self._lock:
            for _ in range(cut.frames - self._cut.frames):
                self._bytes -= len(self._frames.popleft())
            self._cut, self._restarts = cut, 0

    def _replace(self) -> None:
        """Start another recorder after one that died, on the same spool."""
        code = self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        self._errors.close()
        reason = lines[-1] if lines else f"exit code {code}"
        self._restarts += 1
        with self._lock:
            os.close(self._up)
            os.close(self._down)
            self._written = self._cut.frames
            try:
                if self._restarts <= _MOST_RESTARTS:
                    self._launch()
            except OSError as error:
                self._restarts, reason = _MOST_RESTARTS + 1, f"{reason}; {error}"
        if self._restarts > _MOST_RESTARTS:
            self.is_over = True
            self._frames.clear()
            self._on_event("say", f"the recorder ended ({reason}); stopped recording")
            self._on_event("done", False)  # noqa: FBT003 - what the event says
            return
        self._on_event("say", f"the recorder ended ({reason}); started another one")
        time.sleep(0.1 * 2**self._restarts - 0.1)


def _pipe(size: int = 0) -> tuple[int, int]:
    """Return a pipe that does not block, as large as wanted if the system lets us."""
    read, write = os.pipe()
    for end in (read, write):
        os.set_blocking(end, False)
    if size:
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(write, _F_SETPIPE_SZ, size)
    return read, write
