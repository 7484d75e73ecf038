"""Text files with what looks like a secret masked, for downloads by all others than `runs.secret_readers`."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from runs.projection import read_lenient
from runs.secrets import MASK, mask, mask_tree

_HEAD = 8192
_PIECE = 1024 * 1024
_WHOLE_JSON = 4 * 1024 * 1024
_BREAK = re.compile(rb"[\s,](?=[^\s,]*\Z)")
_KEY_BYTES = 32 * 1024


def masked_pieces(path: Path, name: str) -> Iterator[bytes] | None:
    """Return a text file's content in pieces, secrets masked; None for a file that is no text.

    Raises:
        FileNotFoundError: the content is gone.
    """
    size = path.stat().st_size
    with path.open("rb") as content:
        if b"\x00" in content.read(_HEAD):
            return None
    if name.endswith((".json", ".ipynb")) and size <= _WHOLE_JSON:
        with suppress(UnicodeDecodeError):
            return iter([masked_json(path.read_text("utf-8")).encode()])
    return _masked_lines(path)


def masked_json(text: str) -> str:
    """Return a JSON text with secrets masked, also those that only a key's name tells; unchanged without any."""
    if mask(text) == text and not _may_name(text):
        return text
    try:
        tree = read_lenient(text)
    except ValueError:
        return mask(text)
    shown, found = mask_tree(tree)
    return json.dumps(shown, ensure_ascii=False) if found else text


def _may_name(text: str) -> bool:
    lowered = text.lower()
    return any(word in lowered for word in ("passw", "passphrase", "secret", "token", "key"))


def _masked_lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as content:
        while piece := _piece(content):
            yield _masked(piece)


def _masked(piece: bytes) -> bytes:
    """Mask a text of whatever encoding; all other bytes stay."""
    parts = mask(piece.decode("latin-1")).split(MASK)
    return MASK.encode().join(part.encode("latin-1") for part in parts)


def _piece(content: BinaryIO) -> bytes:
    """Read about a MiB that ends with a line, and in no private key."""
    piece = content.read(_PIECE)
    if len(piece) == _PIECE:
        piece += content.readline(_PIECE)
        if not piece.endswith(b"\n") and (cut := _BREAK.search(piece, len(piece) - _HEAD)):
            content.seek(cut.end() - len(piece), 1)
            piece = piece[: cut.end()]
    begin = piece.rfind(b"-----BEGIN")
    if begin > piece.rfind(b"-----END"):
        piece += b"".join(_until_end(content))
    return piece


def _until_end(content: BinaryIO) -> Iterator[bytes]:
    left = _KEY_BYTES
    while left > 0 and (line := content.readline(left)):
        yield line
        left -= len(line)
        if b"-----END" in line:
            return
