"""What pages show of a file of weights: as much of its header as is needed is fetched, and read in a child."""

import io
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from artifacts.previews.errors import MIB
from artifacts.previews.gguf import read_gguf
from artifacts.previews.kinds import PreviewKind
from artifacts.previews.safetensors import read_safetensors
from artifacts.previews.tensors import TensorListing
from common.budgets.children import apart
from common.errors import Invalid
from storage.contents.openable import Openable

WEIGHTS_KINDS = frozenset({PreviewKind.SAFETENSORS, PreviewKind.GGUF})
MOST_SHOWN = 2000
"""Tensors, of which all are counted."""
_MOST_KEYS = 1000
_MOST_TYPES = 50
_FETCHED = (MIB, 8 * MIB, 65 * MIB)
"""So much of a file is tried in turn: nearly all headers have less than a megabyte, and none more than the last."""


class _HeadEnded(Invalid):
    """The header goes on behind what was fetched."""


def read_weights(kind: PreviewKind, content: Openable, size_bytes: int) -> TensorListing:
    """Return what the header of a file of weights says, with the first MOST_SHOWN tensors.

    Raises:
        UnreadablePreview: it is no such file, is damaged or over a limit.
        FileNotFoundError: there is no such content.
    """
    if isinstance(content, Path):
        return apart(_read, kind, content, size_bytes, size_bytes)
    with content.open("rb") as source, tempfile.NamedTemporaryFile(prefix="runyard-head-") as head:
        there = 0
        for wanted in _FETCHED:
            there += head.write(source.read(min(wanted, size_bytes) - there))
            head.flush()
            try:
                return apart(_read, kind, Path(head.name), there, size_bytes)
            except _HeadEnded:
                continue
    raise AssertionError("readers go no further than their HEADER_BYTES")


def _read(kind: PreviewKind, head: Path, there: int, size_bytes: int) -> TensorListing:
    read = read_safetensors if kind == PreviewKind.SAFETENSORS else read_gguf
    found = read(_Head(head, there, size_bytes))
    return replace(
        found,
        metadata=found.metadata[:_MOST_KEYS],
        tensors=found.tensors[:MOST_SHOWN],
        parameters_by_dtype=dict(list(found.parameters_by_dtype.items())[:_MOST_TYPES]),
    )


@dataclass(frozen=True, slots=True)
class _Head:
    """A file of which only the beginning is there."""

    path: Path
    there: int
    size_bytes: int

    def open(self, _mode: str = "rb", /) -> BinaryIO:
        return io.BufferedReader(_HeadFile(self))


class _HeadFile(io.RawIOBase):
    def __init__(self, head: _Head) -> None:
        self._head, self._file, self._position = head, head.path.open("rb"), 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._head.size_bytes}[whence]
        self._position = start + offset
        return self._position

    def readinto(self, buffer: Any) -> int:
        left = self._head.there - self._position
        if left <= 0:
            if self._position < self._head.size_bytes:
                raise _HeadEnded("The header goes on.")
            return 0
        self._file.seek(self._position)
        count = self._file.readinto(memoryview(buffer)[:left])
        self._position += count
        return count

    def close(self) -> None:
        self._file.close()
        super().close()
