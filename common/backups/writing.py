"""Writes an archive: the database first, then the files, of which none goes meanwhile."""

import io
import json
import os
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils import timezone

from common import VERSION
from common.backups import ABOUT, BLOBS, DATABASE, MANIFEST, SECRET_KEY, SEGMENTS, databases
from common.backups.counts import Counts, Hashed, release_members
from common.backups.deletion_lock import block_deletion
from common.backups.elsewhere import data_elsewhere
from common.errors import Conflict


def back_up(given: Path) -> dict[str, Any]:
    """Write a backup to a new file, or to one with the time in its name in a folder; says what it holds.

    Raises:
        Conflict: the file is there, or the database could not be copied.
        OSError: no room, or no right to write there.
    """
    target = given / f"runyard-{timezone.now():%Y%m%d-%H%M%S}.tar" if given.is_dir() else given
    if target.exists():
        raise Conflict(f"{target} exists; a backup never replaces a file.")
    begin = time.monotonic()
    # beside the target, so that it takes its name in one step once it is whole; only the owner may look into it
    with tempfile.TemporaryDirectory(prefix=".runyard-backup-", dir=target.parent) as folder:
        archive = Path(folder) / "archive"
        with block_deletion():
            copy = Path(folder) / DATABASE
            databases.copy_to(copy)
            about = _about()
            counts = _write(archive, copy, about)
        archive.rename(target)
    _sync(target.parent)
    result = {"backup": str(target), "seconds": round(time.monotonic() - begin, 1), **counts.to_dict()}
    return result | ({"not_in_it": about["elsewhere"]} if about["elsewhere"] else {})


def _write(archive: Path, copy: Path, about: dict[str, Any]) -> Counts:
    counts = Counts()
    with archive.open("xb") as file:
        archive.chmod(0o600)  # the secret key is in it
        with tarfile.open(fileobj=file, mode="w") as tar:
            _add_text(tar, ABOUT, json.dumps(about), counts)
            _add_file(tar, DATABASE, copy, counts)
            copy.unlink()
            _add_text(
                tar, SECRET_KEY, "\n".join([settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]), counts
            )
            for part, root in ((BLOBS, settings.BLOB_ROOT), (SEGMENTS, settings.SEGMENT_ROOT)):
                for path in _kept(Path(root)):
                    _add_file(tar, f"{part}/{path.relative_to(root).as_posix()}", path, counts)
            _add_text(tar, MANIFEST, json.dumps(counts.to_dict()), Counts())
        file.flush()
        os.fsync(file.fileno())
    return counts


def _about() -> dict[str, Any]:
    return {
        "version": VERSION,
        "created_at": timezone.now().isoformat(),
        "database": connection.vendor,
        "migrations": databases.applied_migrations(),
        "elsewhere": data_elsewhere(),
    }


def _kept(root: Path) -> Iterator[Path]:
    """Yield files that are whole: not uploads under way, nor segments that are being written."""
    for folder, inner, names in os.walk(root):
        if Path(folder) == root and "incoming" in inner:
            inner.remove("incoming")
        yield from (Path(folder) / name for name in names if not name.endswith(".part"))


def _add_text(tar: tarfile.TarFile, name: str, text: str, counts: Counts) -> None:
    content = text.encode()
    counts.begin(name, len(content)).update(content)
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = len(content), 0o600, time.time()
    tar.addfile(info, io.BytesIO(content))


def _add_file(tar: tarfile.TarFile, name: str, path: Path, counts: Counts) -> None:
    info = tarfile.TarInfo(name)
    with path.open("rb") as file:
        stat = os.fstat(file.fileno())
        info.size, info.mode, info.mtime = stat.st_size, 0o600, stat.st_mtime
        tar.addfile(info, Hashed(file, counts.begin(name, info.size)))
    release_members(tar)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
