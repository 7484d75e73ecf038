"""What the backends of all providers have in common: how long they wait, digests of files, many keys at once."""

import base64
import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from common.errors import Invalid

PIECE_BYTES = 1024 * 1024
"""What is read of an object at once."""
_DELETIONS_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long a bucket may take, and how often it is asked before it counts as gone."""

    connect_s: float = 5
    read_s: float = 60
    """Between two pieces of an answer."""
    tries: int = 3


def md5_of(content: Path) -> str:
    """Return the MD5 of a file in base64, in constant memory."""
    digest = hashlib.md5(usedforsecurity=False)
    for piece in pieces_of(content):
        digest.update(piece)
    return base64.b64encode(digest.digest()).decode()


def pieces_of(content: Path, start: int = 0, length: int | None = None) -> Iterator[bytes]:
    """Yield a part of a file, or all of it, in pieces."""
    with content.open("rb") as file:
        file.seek(start)
        while piece := file.read(PIECE_BYTES if length is None else min(PIECE_BYTES, length)):
            length = None if length is None else length - len(piece)
            yield piece


def require_md5(content: Path, md5: str) -> None:
    """Refuse a file that is not what its MD5 (base64) says, where a provider compares nothing by itself.

    Raises:
        Invalid: it has another one.
    """
    found = md5_of(content)
    if found != md5:
        raise Invalid(f"The MD5 digest of the content is {found}, not {md5}.")


def delete_each(delete: Callable[[str], None], keys: Collection[str]) -> None:
    """Remove objects one by one, some at the same time; raises what the first that failed has raised.

    The requests that remove many at once differ between providers, and most servers that speak S3 have their own ideas
    of its checksums.
    """
    if len(keys) < 2:
        for key in keys:
            delete(key)
        return
    with ThreadPoolExecutor(min(_DELETIONS_AT_ONCE, len(keys)), thread_name_prefix="delete") as pool:
        asked = [pool.submit(copy_context().run, delete, key) for key in keys]  # under the same deadline
        for each in asked:
            each.result()


def select_keys(found: Iterable[tuple[str, datetime]], prefix: str, older_than: datetime) -> Iterator[str]:
    """Yield the keys of listed objects (name in the bucket, time of writing) that somebody may ask for."""
    for name, written_at in found:
        if written_at < older_than:
            yield name.removeprefix(prefix)


def disposition(name: str, *, inline: bool) -> str:
    """Return the header that names a file that is downloaded, in ASCII whatever its name is."""
    return f"{'inline' if inline else 'attachment'}; filename*=UTF-8''{quote(name, safe='')}"
