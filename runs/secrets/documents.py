"""JSON texts and text files with what looks like a secret masked, for all others than `runs.secrets.readers`."""

import io
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO

from common.budgets.memory import decoded_bytes
from common.formats.lenient_json import read_lenient
from runs.secrets.masking import MASK, mask, mask_tree, may_hold
from storage.contents.openable import Openable

_HEAD = 8192
_PIECE = 1024 * 1024
_WHOLE_JSON = 4 * 1024 * 1024
_MOST_DECODED = 64 * 1024 * 1024
"""Of a JSON file; one that has little but brackets is masked as other texts are, as larger ones are."""
_BREAK = re.compile(rb"[\s,](?=[^\s,]*\Z)")
_KEY_BYTES = 32 * 1024


def masked_pieces(content: Openable, name: str) -> Iterator[bytes] | None:
    """Return a text file's content in pieces, secrets masked; None for a file that is no text.

    Raises:
        FileNotFoundError: the content is gone.
    """
    with content.open("rb") as file:
        if b"\x00" in file.read(_HEAD):
            return None
        if name.endswith((".json", ".ipynb")) and file.seek(0, io.SEEK_END) <= _WHOLE_JSON:
            file.seek(0)
            text = file.read()
            with suppress(UnicodeDecodeError):
                if decoded_bytes(text) <= _MOST_DECODED:
                    return iter([masked_json(text.decode()).encode()])
    return _masked_lines(content)


def masked_json(text: str) -> str:
    """Return a JSON text with secrets masked, also those that only a key's name tells; unchanged without any."""
    if not may_hold(text):
        return text
    try:
        tree = read_lenient(text)
    except ValueError:
        return mask(text)
    shown, found = mask_tree(tree)
    return json.dumps(shown) if found else text


def unmasked(text: str, before: str) -> str:
    """Return a JSON text in which what comes back masked is as it was before.

    Whoever may log a run but not read its secrets resumes it with the configuration that they were given.

    Raises:
        ValueError: not JSON.
    """
    if MASK not in text and json.dumps(MASK)[1:-1] not in text:
        return text
    try:
        known = read_lenient(before)
    except ValueError:
        return text
    return json.dumps(_restored(read_lenient(text), known, mask_tree(known)[0]))


def _restored(given: Any, known: Any, masked: Any) -> Any:
    if given == masked:
        return known
    if isinstance(given, dict) and isinstance(known, dict):
        return {
            key: _restored(value, known[key], masked[key]) if key in known else value
            for key, value in given.items()
        }
    return given


def _masked_lines(content: Openable) -> Iterator[bytes]:
    with content.open("rb") as file:
        while piece := _piece(file):
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
