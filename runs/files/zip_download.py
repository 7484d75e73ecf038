"""Many files as one archive, made while it is sent."""

import zipfile
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path

from common.web.streaming import in_thread
from runs.models import RunFile
from runs.secrets.documents import masked_pieces
from storage.contents.reading import content_of

_PACKED = frozenset(
    ".bz2 .flac .gif .gz .jpeg .jpg .mp3 .mp4 .npz .ogg .parquet .png .webm .webp .xz .zip .zst".split()
)


def compression_of(name: str) -> int:
    """Return how an archive keeps a file: as it is when its name says that it is packed already."""
    return zipfile.ZIP_STORED if Path(name).suffix.lower() in _PACKED else zipfile.ZIP_DEFLATED


class _Sink:
    """Takes what is written until somebody fetches it."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def write(self, data: bytes, /) -> int:
        """Keep."""
        self._parts.append(bytes(data))
        self._size += len(data)
        return len(data)

    def tell(self) -> int:
        """Say how much was written; the archive cannot seek."""
        return self._size

    def flush(self) -> None:
        """Nothing lies between."""

    def close(self) -> None:
        """Nothing is open."""

    def take(self) -> bytes:
        """Return what came since the last time."""
        parts, self._parts = self._parts, []
        return b"".join(parts)


def _content(file: RunFile, *, revealed: bool) -> Iterator[bytes]:
    """Return a file's content in pieces; raises FileNotFoundError when it is gone."""
    content = content_of(file.blob)
    masked = None if revealed else masked_pieces(content, file.name)
    return content.pieces() if masked is None else masked


def _pieces(files: Iterable[RunFile], *, revealed: bool) -> Iterator[bytes]:
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for file in files:
            about = zipfile.ZipInfo(file.name, file.updated_at.timetuple()[:6])
            about.compress_type = compression_of(file.name)
            try:
                pieces = _content(file, revealed=revealed)
            except FileNotFoundError:
                continue
            with archive.open(about, "w", force_zip64=True) as entry:
                for piece in pieces:
                    entry.write(piece)
                    yield sink.take()
    yield sink.take()


def zipped(files: Iterable[RunFile], *, revealed: bool) -> AsyncIterator[bytes]:
    """Return the archive in pieces of about a MiB; secrets in texts are masked unless ``revealed``."""
    return in_thread(_pieces(files, revealed=revealed))
