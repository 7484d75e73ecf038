"""Files that come in parts: each part is kept until all are there and put together, in whatever order they come.

A part that comes again replaces itself. Parts that nobody has added to or put together for a day are swept.
"""

import fcntl
import re
import shutil
from base64 import b64decode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import md5
from pathlib import Path

from django.conf import settings

from common.errors import Invalid, TooLarge, Unavailable
from storage import filesystem

MAX_PARTS = 10_000
_KEY = re.compile(r"[0-9a-f]{32}")
_CHUNK = 1024 * 1024


def _folder(key: str) -> Path:
    """Return where the parts of an upload lie.

    Raises:
        Invalid: no key of ours.
    """
    if not _KEY.fullmatch(key):
        raise Invalid("This is not the ID of an upload in parts.")
    return Path(settings.BLOB_ROOT) / "parts" / key


def check_number(number: int) -> int:
    """Return the number if a part may have it.

    Raises:
        Invalid: below 1 or above MAX_PARTS.
    """
    if not 1 <= number <= MAX_PARTS:
        raise Invalid(f"The number of a part must be between 1 and {MAX_PARTS}, not {number}.")
    return number


def keep(key: str, number: int, md5_hex: str, received: filesystem.ReceivedFile) -> str:
    """Keep a part that arrived; durable when this returns. Returns its MD5 in hexadecimal.

    Raises:
        Invalid: other bytes than were announced, or no number of a part.
    """
    found = b64decode(received.md5).hex()
    if md5_hex and found != md5_hex.lower():
        raise Invalid(f"The MD5 digest of part {number} is {found}, not {md5_hex} as announced.")
    folder = _folder(key)
    folder.mkdir(parents=True, exist_ok=True)
    received.path.rename(folder / str(check_number(number)))
    filesystem.sync_folder(folder)
    return found


@contextmanager
def assemble(key: str, parts: Sequence[tuple[int, str]]) -> Iterator[filesystem.ReceivedFile]:
    """Put a file together, in constant memory; yields it as if it had come in one piece. The parts stay.

    Args:
        key: The upload's id.
        parts: Number, and MD5 in hexadecimal as its PUT was answered, of each part.

    Raises:
        Invalid: a part is missing or has other bytes; the message names it.
        TooLarge: together they are larger than one file may be.
        Unavailable: somebody else is putting it together.
    """
    folder = _folder(key)
    if not folder.is_dir():
        raise Invalid("No part of this file has been uploaded, or they were removed after a day.")
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Unavailable("This file is being put together; ask again.") from None
        _check_sizes(folder, parts)
        with filesystem.Incoming() as incoming:
            for number, tag in sorted(parts):
                _append(incoming, folder, number, tag)
            yield incoming.finish()


def _check_sizes(folder: Path, parts: Sequence[tuple[int, str]]) -> None:
    numbers = [check_number(number) for number, _tag in parts]
    if not numbers or len(set(numbers)) < len(numbers):
        raise Invalid("Name each part of the file once.")
    missing = [number for number in numbers if not (folder / str(number)).is_file()]
    if missing:
        raise Invalid(f"Part {missing[0]} of this file has not been uploaded.")
    size, limit = sum((folder / str(number)).stat().st_size for number in numbers), settings.UPLOAD_MAX_BYTES
    if size > limit:
        raise TooLarge(
            f"A file may have at most {limit} bytes here (setting RUNYARD_UPLOAD_MAX_GIB); this has {size}."
        )


def _append(incoming: filesystem.Incoming, folder: Path, number: int, tag: str) -> None:
    digest = md5(usedforsecurity=False)
    with (folder / str(number)).open("rb") as part:
        while chunk := part.read(_CHUNK):
            digest.update(chunk)
            incoming.write(chunk)
    if digest.hexdigest() != tag.strip('"').lower():
        raise Invalid(f"Part {number} has the ETag {digest.hexdigest()}, not {tag[:64]}. Upload it again.")


def discard(key: str) -> None:
    """Remove the parts of an upload; missing ones are as good as removed ones."""
    shutil.rmtree(_folder(key), ignore_errors=True)


def discard_abandoned(older_than: float) -> int:
    """Remove uploads that got no part since ``older_than`` (unix seconds); returns how many."""
    root = Path(settings.BLOB_ROOT) / "parts"
    old = [folder for folder in root.glob("*") if folder.stat().st_mtime < older_than]
    for folder in old:
        shutil.rmtree(folder, ignore_errors=True)
    return len(old)


def sizes() -> dict[str, int]:
    """Return the bytes of the parts that lie here, by upload; few uploads are under way at once."""
    found: dict[str, int] = {}
    for part in (Path(settings.BLOB_ROOT) / "parts").glob("*/*"):
        with suppress(FileNotFoundError):  # put together meanwhile
            found[part.parent.name] = found.get(part.parent.name, 0) + part.stat().st_size
    return found
