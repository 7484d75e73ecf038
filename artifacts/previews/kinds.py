"""How a file is previewed: by its name, and by its first bytes where the name says nothing."""

from enum import StrEnum
from pathlib import PurePosixPath

from storage.contents.openable import Openable


class PreviewKind(StrEnum):
    """What a page shows of a file."""

    IMAGE = "image"
    """In an <img> from a signed URL, SVG too: a browser runs no script in it there."""
    AUDIO = "audio"
    VIDEO = "video"
    TEXT = "text"
    CSV = "csv"
    TSV = "tsv"
    JSON = "json"
    """A tree of values, or rows if it is a list of objects."""
    JSON_LINES = "json-lines"
    PARQUET = "parquet"
    TABLE = "table"
    """A `wandb.Table`, or one increment of it."""
    JOINED_TABLE = "joined-table"
    PARTITIONED_TABLE = "partitioned-table"
    SAFETENSORS = "safetensors"
    GGUF = "gguf"
    NONE = "none"


MEDIA_TYPES = {
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
    "bmp": "image/bmp", "svg": "image/svg+xml",
    "mp3": "audio/mpeg", "wav": "audio/wav", "ogg": "audio/ogg", "opus": "audio/ogg", "flac": "audio/flac",
    "m4a": "audio/mp4", "aac": "audio/aac",
    "mp4": "video/mp4", "webm": "video/webm", "mov": "video/quicktime", "ogv": "video/ogg",
}  # fmt: skip
"""What browsers show or play, by the ending of the name."""

_TABLES = {
    ".joined-table.json": PreviewKind.JOINED_TABLE,
    ".partitioned-table.json": PreviewKind.PARTITIONED_TABLE,
    ".table.json": PreviewKind.TABLE,
}
"""Source: `WBValue.with_suffix` in wandb/sdk/data_types/base_types/wb_value.py."""
_KINDS = {
    "csv": PreviewKind.CSV, "tsv": PreviewKind.TSV, "json": PreviewKind.JSON, "jsonl": PreviewKind.JSON_LINES,
    "ndjson": PreviewKind.JSON_LINES, "parquet": PreviewKind.PARQUET, "safetensors": PreviewKind.SAFETENSORS,
    "gguf": PreviewKind.GGUF,
}  # fmt: skip
_MAGIC = {b"GGUF": PreviewKind.GGUF, b"PAR1": PreviewKind.PARQUET}
_HEAD_BYTES = 4096


def media_type_of(name: str) -> str:
    """Return the media type that a picture, sound or video is served as, "" for other files."""
    return MEDIA_TYPES.get(_ending(name), "")


def kind_of_name(name: str) -> PreviewKind | None:
    """Return how a file of this name is previewed, None where only its content can say."""
    lowered = name.lower()
    for ending, kind in _TABLES.items():
        if lowered.endswith(ending):
            return kind
    if media_type := media_type_of(name):
        return PreviewKind(media_type.partition("/")[0])
    return _KINDS.get(_ending(name))


def kind_of_file(name: str, content: Openable) -> PreviewKind:
    """Return how a file is previewed; its first bytes are read if the name says nothing."""
    if kind := kind_of_name(name):
        return kind
    with content.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if kind := _MAGIC.get(head[:4]):
        return kind
    return PreviewKind.TEXT if _is_text(head) else PreviewKind.NONE


def _ending(name: str) -> str:
    return PurePosixPath(name).suffix[1:].lower()


def _is_text(head: bytes) -> bool:
    """Say whether bytes begin a text in UTF-8; the last character may be cut off."""
    if b"\x00" in head:
        return False
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return len(head) == _HEAD_BYTES and error.reason == "unexpected end of data"
    return True
