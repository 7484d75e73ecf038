"""The recorder process of the Python API: reads frames from its input until the training ends, and tells events.

It is started by ``runyard_agent.link`` as ``python -m runyard_agent.recorder``. It outlives the training, however that
ends, until everything is sent or its time is up.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from runyard_agent.facts import header_of, script_facts
from runyard_agent.link import GREETING, HEAD, Cut, dumps, loads
from runyard_agent.recording import Recorder, header_from
from runyard_agent.saving import Saver
from runyard_agent.settings import SettingsError, load
from runyard_agent.spool import SpoolError

KILLED = 128 + 9
"""The exit code of a training that ended without a word, for which SIGKILL, mostly the kernel's, is the usual cause."""
_CHUNK_BYTES = 2**20
_LOOK_S = 0.05
_KEPT_EVERY_S = 1.0
_SUMMARY_EVERY_S = 2.0


class Frame(NamedTuple):
    """What the training hands over."""

    number: int
    kind: str
    content: Any


class Events:
    """Tells the training process what happens; one that is gone hears nothing."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._lock = descriptor, threading.Lock()

    def tell(self, kind: str, content: Any = None) -> None:
        payload = dumps((kind, content))
        with self._lock, contextlib.suppress(OSError):
            os.write(self._descriptor, HEAD.pack(len(payload), 0) + payload)


class Frames:
    """Reads numbered frames from a pipe, each once."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor, self._received = descriptor, b""
        self._parent, self._next = os.getppid(), 0

    def batches(self) -> Iterator[list[Frame]]:
        """Yield what came, perhaps nothing, twenty times a second; ends with the training.

        The pipe is looked at by the clock: whoever writes to it need wake nobody, which costs tens of microseconds.
        """
        while self._read():
            yield list(self._parsed())

    def _read(self) -> bool:
        """Take what is there; False at the end."""
        time.sleep(_LOOK_S)
        is_alive = os.getppid() == self._parent  # a process that it started may hold the pipe open
        try:
            chunk = os.read(self._descriptor, _CHUNK_BYTES)
        except BlockingIOError:
            return is_alive
        self._received += chunk
        return bool(chunk)

    def _parsed(self) -> Iterator[Frame]:
        start, received = 0, self._received
        while len(received) - start >= HEAD.size:
            length, number = HEAD.unpack_from(received, start)
            end = start + HEAD.size + length
            if end > len(received):
                break
            if number == GREETING or number >= self._next:  # what was written may be written again
                frame = Frame(number, *loads(received[start + HEAD.size : end]))
                self._next = frame.content[1][0] if number == GREETING else number + 1
                yield frame
            start = end
        self._received = received[start:]


class Session:
    """The run of a training process, as its frames tell it."""

    def __init__(self, greeting: Mapping[str, Any], cut: Cut, events: Events) -> None:
        self._events, self._joins = events, bool(greeting["joins"])
        self._recorder = _recorder(greeting, events)
        self._saver = Saver(self._recorder.file, say=partial(events.tell, "say"))
        for pattern, base, policy in greeting["saved"]:
            self._saver.save(pattern, base, policy)
        self._cut, self._rows, self._lines = cut, cut.rows, cut.lines
        self._known_rows, self._known_lines = (self._recorder.appended(name) for name in ("history", "log"))
        """What a recorder before us brought to disk without having told so."""
        self._pending: dict[str, Any] = {}
        """The row of a step that more may be logged to."""
        self._summary, self._by_hand = dict(greeting["summary"]), set(greeting["by_hand"])
        self._summary_changed, self._summary_at = bool(greeting["folder"]), 0.0
        self._kept, self._kept_at = cut, 0.0
        self.exit_code: int | None = None
        """Set when the training said that the run is over."""
        self._recorder.start()
        events.tell("folder", str(self._recorder.folder))

    def take(self, frame: Frame) -> None:
        """Do what a frame says."""
        getattr(self, f"_take_{frame.kind}")(frame.content)
        if not self._pending:
            self._cut = Cut(frame.number + 1, self._rows, self._lines)

    def tick(self) -> None:
        """Do what is done now and then."""
        now = time.monotonic()
        if self._summary_changed and now - self._summary_at >= _SUMMARY_EVERY_S:
            self._send_summary(now)
        if self._cut != self._kept and now - self._kept_at >= _KEPT_EVERY_S:
            self._kept, self._kept_at = self._cut, now
            self._events.tell("kept", tuple(self._cut))

    def end(self) -> bool:
        """Finish the run; True when all of it is on the server."""
        self._flush()
        self._saver.finish()
        if self._summary_changed:
            self._send_summary(time.monotonic())
        if self._joins:
            return self._recorder.close()
        return self._recorder.finish(KILLED if self.exit_code is None else self.exit_code)

    def _take_row(self, content: tuple[bool, dict[str, Any]]) -> None:
        is_whole, row = content
        if self._pending and self._pending["_step"] != row["_step"]:
            self._flush()
        self._pending.update(row)
        if is_whole:
            self._flush()

    def _flush(self) -> None:
        """Bring the pending row to disk, unless a recorder before us did."""
        if not self._pending:
            return
        row, self._pending = self._pending, {}
        self._rows += 1
        if self._rows > self._known_rows:
            self._recorder.history(row)
        self._summary.update({key: value for key, value in row.items() if key not in self._by_hand})
        self._summary_changed = True

    def _take_line(self, content: tuple[str, bool, float, bool]) -> None:
        self._lines += 1
        if self._lines > self._known_lines:
            text, is_error, at, replaces = content
            self._recorder.line(text, is_error=is_error, at=at, replaces=replaces)

    def _take_summary(self, by_hand: dict[str, Any]) -> None:
        self._by_hand.update(by_hand)
        self._summary.update(by_hand)
        self._summary_changed = True

    def _take_config(self, config: dict[str, Any]) -> None:
        self._recorder.config(config)

    def _take_alert(self, alert: dict[str, Any]) -> None:
        self._recorder.alert(**alert)

    def _take_save(self, content: tuple[str, str, str]) -> None:
        self._saver.save(*content)

    def _take_preempting(self, _: None) -> None:
        self._recorder.preempting()

    def _take_finish(self, exit_code: int) -> None:
        self.exit_code = exit_code

    def _send_summary(self, now: float) -> None:
        self._recorder.summary(self._summary)
        self._summary_changed, self._summary_at = False, now


def _recorder(greeting: Mapping[str, Any], events: Events) -> Recorder:
    """Make the recorder that a training process asks for."""
    with contextlib.suppress(OSError):  # it may be gone
        os.chdir(greeting["cwd"])  # paths in the settings are meant from there
    settings = load(greeting["flags"])
    joins = greeting["joins"]
    facts = script_facts(greeting["arguments"], Path(greeting["cwd"]))
    header = {"resume": greeting["resume"], **({} if joins else header_of(facts))}
    if greeting["config"]:
        header["config"] = greeting["config"]
    return Recorder(
        settings.replaced(pid=settings.pid or os.getppid()),
        header_from(settings.replaced(run_id=greeting["run_id"]), **header),
        mode=settings.mode,
        collectors=[] if joins else None,
        facts=None if joins else facts,
        folder=Path(greeting["folder"]) if greeting["folder"] else None,
        on_begun=lambda begun: events.tell("begun", begun._asdict()),
        on_stop=partial(events.tell, "stop"),
        say=partial(events.tell, "say"),
    )


def _serve(frames: Frames, events: Events) -> bool:
    """Record a run from its first frame to its last; True when all of it is on the server."""
    session: Session | None = None
    for batch in frames.batches():
        for frame in batch:
            if frame.number == GREETING:
                greeting, cut = frame.content
                if greeting["folder"] and not Path(greeting["folder"]).exists():
                    return True  # a recorder before us removed what it had sent
                session = Session(greeting, Cut(*cut), events)
            elif session:
                session.take(frame)
        if session:
            session.tick()
        if session and session.exit_code is not None:
            break
    return session.end() if session else False


def main() -> None:
    """Record the run of the process that started us."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # we end after the training
    events = Events(os.dup(1))
    os.dup2(2, 1)
    is_sent = False
    try:
        is_sent = _serve(Frames(0), events)
    except (SpoolError, SettingsError) as error:
        events.tell("say", f"{error}; the run is not recorded")
    events.tell("done", is_sent)


if __name__ == "__main__":
    main()
