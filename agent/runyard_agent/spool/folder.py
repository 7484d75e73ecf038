"""The folder of a run: its header, its streams, how far they were sent, and a lock that tells who holds it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Callable

from runyard_agent.settings import Settings
from runyard_agent.spool.holding import Busy, SpoolError, publish, take
from runyard_agent.spool.records import to_json
from runyard_agent.spool.stream import Batch, Stream

STREAMS = ("history", "system", "log", "acts")
_DROPPED_FIRST = ("system", "log", "history")
"""What goes when there is no room; acts never do."""
_LARGEST_SEGMENT_BYTES, _SMALLEST_SEGMENT_BYTES = 4 * 2**20, 4096
_SEGMENTS = 64
"""A spool that is full has about so many files: what is dropped at once is a small part of it."""
_MEMORY_BYTES = 8 * 2**20
"""How much waits in memory while the disk takes nothing."""
_SYNC_S = 5.0
"""How much a power cut may cost."""
_NAME_CHARACTERS = 100
_ABOUT, _STATE = "spool.json", "state.json"

_sync_data = getattr(os, "fdatasync", os.fsync)


def tell(text: str) -> None:
    """Print a sentence for people to stderr; where nobody reads that any more, go on."""
    with suppress(OSError, ValueError):
        sys.stderr.write(f"runyard: {text}\n")
        sys.stderr.flush()


def root_of(settings: Settings) -> Path:
    """Return the folder in which spools are made."""
    if settings.spool_dir:
        return Path(settings.spool_dir).expanduser()
    import platformdirs

    return platformdirs.user_state_path("runyard") / "spool"


def spools_in(root: Path) -> list[Path]:
    """Return the spools below a folder, oldest first; the folder itself if it is one."""
    if (root / _ABOUT).is_file():
        return [root]
    return sorted(about.parent for about in root.glob(f"[!.]*/{_ABOUT}"))


def tidy(root: Path) -> None:
    """Remove what processes left that were killed while they made or removed a spool."""
    for lock in root.glob(".*/lock"):
        with contextlib.suppress(OSError, Busy):
            held = take(lock.parent)
            shutil.rmtree(lock.parent, ignore_errors=True)
            os.close(held)


class Spool:
    """Appends records, and gives them back in batches until they are acknowledged. Thread-safe.

    Once ``append`` returned, the record survives the end of the process. It survives a power cut after some seconds.
    """

    def __init__(self, folder: Path, lock: int, about: Mapping[str, Any]) -> None:
        self.folder, self.header = folder, dict(about["header"])
        self.on_message: Callable[[str], None] = tell
        self.on_append: Callable[[], None] = _do_nothing
        self.dropped = dict.fromkeys(_DROPPED_FIRST, 0)
        """Records that were never sent, by stream."""
        self._lock_file = lock
        self._max_bytes, self._keep = int(about["max_bytes"]), bool(about["keep_sent"])
        self._lock = threading.RLock()
        self._told: set[str] = set()
        self._closed, self._syncer = threading.Event(), threading.Thread(target=self._sync, daemon=True)
        segment_bytes = min(
            max(self._max_bytes // _SEGMENTS, _SMALLEST_SEGMENT_BYTES), _LARGEST_SEGMENT_BYTES
        )
        self._streams = {
            name: Stream(
                folder,
                name,
                segment_bytes=segment_bytes,
                on_damage=self._tell_damage,
                compact=needed_acts if name == "acts" else None,
            )
            for name in STREAMS
        }
        self.state = self._read_state()

    @classmethod
    def create(
        cls, root: Path, header: Mapping[str, Any], *, max_bytes: int, keep_sent: bool = False
    ) -> Spool:
        """Make a spool for a run, and hold it.

        Args:
            header: body of ``POST /runs``, with ``writer`` and ``attached``.

        Raises:
            SpoolError: the folder can't be made.
        """
        about = {"header": dict(header), "max_bytes": max_bytes, "keep_sent": keep_sent}
        uid = re.sub(r"[^\w.-]", "_", str(header["uid"]), flags=re.ASCII)[:_NAME_CHARACTERS]
        name = f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{uid}"
        try:
            root.mkdir(parents=True, exist_ok=True)
            folder = Path(tempfile.mkdtemp(prefix=".", dir=root))
            lock = take(folder)
            (folder / _ABOUT).write_bytes(to_json(about))
            return cls(publish(folder, name), lock, about)
        except OSError as error:
            raise SpoolError(f"no spool can be created in {root}: {error.strerror}") from None

    @classmethod
    def open(cls, folder: Path) -> Spool:
        """Hold a spool that another process left, and cut off what that did not finish writing.

        Raises:
            Busy: another process holds it.
            SpoolError: it is none, or can't be read.
        """
        try:
            about = json.loads((folder / _ABOUT).read_bytes())
            lock = take(folder)
            try:
                return cls(folder, lock, about)
            except BaseException:
                os.close(lock)
                raise
        except FileNotFoundError:
            if not folder.exists():
                raise Busy(f"{folder} was sent and removed by another process") from None
            raise SpoolError(f"{folder} contains no recorded run") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SpoolError(f"{folder} can't be read: {error}") from None

    def append(self, stream: str, record: Any) -> None:
        """Add a row (``history``, ``system``), an entry of the console (``log``) or an act.

        Where the disk takes nothing, records wait in memory; when that is full, the oldest are dropped.

        Raises:
            SpoolError: the spool was closed.
        """
        payload = to_json(record)
        with self._lock:
            if self._closed.is_set():
                raise SpoolError(f"{self.folder} is closed")
            error = self._streams[stream].append(payload)
            if error:
                text = f"{self.folder} can't be written ({error.strerror}); records wait in memory"
                self._tell_once("disk", text)
                self._bound_memory()
            self._bound_disk()
            if not self._syncer.ident:
                self._syncer.start()
        self.on_append()

    def read(self, stream: str, number: int, max_bytes: int) -> Batch:
        """Return records that follow each other, from a number on or the first one there is behind it."""
        return self._streams[stream].read(number, max_bytes, self._lock)

    def acknowledge(self, numbers: Mapping[str, int]) -> None:
        """Take all records before these numbers as sent, and remove what is no more needed."""
        with self._lock:
            for name, number in numbers.items():
                stream = self._streams[name]
                stream.next = max(stream.next, number)
                stream.acknowledge(number, keep=self._keep)
            self.note(acknowledged={name: stream.acknowledged for name, stream in self._streams.items()})

    def acknowledged(self) -> dict[str, int]:
        """Return how far each stream was sent."""
        with self._lock:
            return {name: stream.acknowledged for name, stream in self._streams.items()}

    def ends(self) -> dict[str, int]:
        """Return the number of the next record of each stream."""
        with self._lock:
            return {name: stream.next for name, stream in self._streams.items()}

    def waiting(self) -> dict[str, int]:
        """Return how many records of each stream were not acknowledged."""
        with self._lock:
            return {name: max(each.next - each.acknowledged, 0) for name, each in self._streams.items()}

    def size(self) -> int:
        """Return the bytes of all records on disk."""
        with self._lock:
            return sum(stream.size for stream in self._streams.values())

    def note(self, **facts: Any) -> None:
        """Remember facts beside the records; lost with a full disk, since all of them can be found out again."""
        with self._lock:
            self.state.update(facts)
            fresh = self.folder / f"{_STATE}.new"
            with contextlib.suppress(OSError):
                fresh.write_bytes(to_json(self.state))
                fresh.replace(self.folder / _STATE)

    def close(self) -> None:
        """Bring everything to the disk, and let others have the spool; may be called twice."""
        with self._lock:
            if self._closed.is_set():
                return
            self._closed.set()
            self._flush()
            for stream in self._streams.values():
                stream.close()
            lost = sum(len(stream.memory) for stream in self._streams.values())
            os.close(self._lock_file)
        if lost:
            self.on_message(f"{lost} records could not be written to {self.folder} and are lost")
        if any(self.dropped.values()):
            counts = ", ".join(f"{count} of {name}" for name, count in self.dropped.items() if count)
            self.on_message(f"records dropped for lack of space: {counts}")

    def remove(self) -> None:
        """Close it and remove all it has, unless what was sent is kept."""
        for stream in self._streams.values():
            stream.memory.clear()
        if not self._keep:
            hidden = self.folder.with_name(f".{self.folder.name}")
            with contextlib.suppress(OSError):
                self.folder.rename(hidden)  # others see all of it or nothing
            shutil.rmtree(hidden, ignore_errors=True)
        self.close()

    def _bound_memory(self) -> None:
        for name in _DROPPED_FIRST:
            stream = self._streams[name]
            while stream.memory and sum(each.memory_bytes for each in self._streams.values()) > _MEMORY_BYTES:
                stream.forget_one()
                self._count_dropped(name, 1)

    def _bound_disk(self) -> None:
        excess = sum(stream.size for stream in self._streams.values()) - self._max_bytes
        while excess > 0:
            stream = self._dropped_next()
            if stream is None:
                return
            excess -= stream.segments[0].size
            self._count_dropped(stream.name, stream.drop())

    def _dropped_next(self) -> Stream | None:
        """Return the stream whose oldest segment goes next: what was sent and is only kept, else by its worth."""
        streams = [self._streams[name] for name in _DROPPED_FIRST if self._streams[name].segments]
        for stream in streams:
            if len(stream.segments) > 1 and stream.segments[1].first <= stream.acknowledged:
                return stream
        return next(
            (stream for stream in streams if stream.name != "history" or len(stream.segments) > 1), None
        )

    def _count_dropped(self, name: str, count: int) -> None:
        if count:
            self.dropped[name] += count
            text = f"no space left in {self.folder}: dropping the oldest unsent records of {name}"
            self._tell_once(f"dropped {name}", text)

    def _tell_damage(self, path: Path) -> None:
        self.on_message(f"a damaged part of {path} was skipped; its records are lost")

    def _tell_once(self, topic: str, text: str) -> None:
        if topic not in self._told:
            self._told.add(topic)
            self.on_message(text)

    def _sync(self) -> None:
        while not self._closed.wait(_SYNC_S):
            self._flush()

    def _flush(self) -> None:
        """Bring to the disk what is in memory and in the page cache."""
        with self._lock:
            errors = [stream.flush() for stream in self._streams.values()]
            if not any(errors) and not self._closed.is_set() and "disk" in self._told:
                self._told.discard("disk")
                self.on_message(f"{self.folder} can be written again")
            handles = [handle for stream in self._streams.values() if (handle := stream.handle()) is not None]
        for handle in handles:
            with contextlib.suppress(OSError):
                _sync_data(handle)
            os.close(handle)

    def _read_state(self) -> dict[str, Any]:
        try:
            state: dict[str, Any] = json.loads((self.folder / _STATE).read_bytes())
            for name, number in state.get("acknowledged", {}).items():
                stream = self._streams[name]
                stream.acknowledged, stream.next = int(number), max(stream.next, int(number))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}
        return state


def needed_acts(payloads: list[bytes]) -> list[int]:
    """Return which acts are still needed: of configurations and summaries only the latest."""
    latest: dict[Any, int] = {}
    for index, payload in enumerate(payloads):
        act = json.loads(payload)["act"]
        latest[act if act in {"config", "summary"} else index] = index
    return sorted(latest.values())


def _do_nothing() -> None:
    pass
