"""A zip archive written straight into the store of blobs, hashed on the way."""

import zipfile
from collections.abc import Iterable
from typing import Any, Self

from django.utils import timezone

from common.formats.strict_json import strict_json
from runs.files.zip_download import compression_of
from storage.contents.reading import StoredContent
from storage.filesystem import Incoming


class _Appending:
    """What ``zipfile`` needs of a file that cannot seek."""

    def __init__(self, incoming: Incoming) -> None:
        self._incoming = incoming

    def write(self, data: bytes, /) -> int:
        """Append."""
        self._incoming.write(bytes(data))
        return len(data)

    def tell(self) -> int:
        """Say how much was written."""
        return self._incoming.size_bytes

    def flush(self) -> None:
        """Flushed when it is finished."""

    def close(self) -> None:
        """Closed by its owner."""


class Archive:
    """Entries in the order they are added; ``on_write`` is called after each piece of about a MiB. Use as a context."""

    def __init__(self, incoming: Incoming, on_write: Any) -> None:
        self._on_write = on_write
        self._zip = zipfile.ZipFile(_Appending(incoming), "w", zipfile.ZIP_DEFLATED, compresslevel=3)
        self._now = timezone.now().timetuple()[:6]
        self.missing: list[str] = []
        """Entries that should be there and could not be read."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def add_pieces(self, name: str, pieces: Iterable[bytes]) -> None:
        """Write an entry piece by piece."""
        about = zipfile.ZipInfo(name, self._now)
        about.compress_type = compression_of(name)
        with self._zip.open(about, "w", force_zip64=True) as entry:
            for piece in pieces:
                entry.write(piece)
                self._on_write()

    def add_text(self, name: str, text: str) -> None:
        """Write a small text."""
        self.add_pieces(name, [text.encode(errors="replace")])

    def add_json(self, name: str, value: Any) -> None:
        """Write a JSON document, indented for people."""
        self.add_text(name, strict_json(value, indent=2, default=str) + "\n")

    def add_lines(self, name: str, rows: Iterable[dict[str, Any]]) -> None:
        """Write JSON lines."""
        lines = (strict_json(row, default=str) + "\n" for row in rows)
        self.add_pieces(name, (line.encode(errors="replace") for line in lines))

    def add_content(self, name: str, content: StoredContent) -> None:
        """Copy stored content.

        Raises:
            FileNotFoundError: it is not there; the archive is as before.
        """
        self.add_pieces(name, content.pieces())
