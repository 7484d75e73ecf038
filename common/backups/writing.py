"""Writes an archive: the database first, then the files, of which none goes meanwhile."""

import io
import json
import os
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

from django.conf import settings
from django.db import connection
from django.utils import timezone

from common import VERSION
from common.backups import (
    ABOUT,
    BLOBS,
    DATABASE,
    FILE_NAME,
    IN_BASE,
    MANIFEST,
    SECRET_KEY,
    SEGMENTS,
    databases,
    inventory,
)
from common.backups.counts import Counts, Hashed, release_members
from common.backups.deletion_lock import block_deletion
from common.backups.elsewhere import data_elsewhere
from common.backups.streams import digest_on_disk, written_archive
from common.errors import Conflict


@dataclass
class Backup:
    """An archive on its way."""

    folder: Path
    """Where it is written, and all that it needs meanwhile."""
    about: dict[str, Any]
    names: IO[str]
    """Takes a line for each file of a full one, and for each of an incremental one that is in its base."""
    base: inventory.Base | None = None
    in_base: inventory.SortedNames | None = None
    files_in_base: int = 0
    bytes_in_base: int = 0
    foreign: int = 0
    """Files that are not Runyard's, which are left out."""

    @property
    def archive(self) -> Path:
        """The file that becomes the backup."""
        return self.folder / "archive"


def back_up(given: Path, *, recipients: Sequence[Any] = (), is_incremental: bool = False) -> dict[str, Any]:
    """Write a backup to a new file, or to one with the time in its name in a folder; says what it holds.

    It gets its name once it is whole, on the disk, and read back from there.

    Args:
        given: The file or the folder.
        recipients: Public keys (`encryption.read_recipients`) of whom it is encrypted for; none: it is not.
        is_incremental: Whether it holds only files that the last full backup does not hold.

    Raises:
        Conflict: the file is there, the database could not be copied, or there is no full backup to add to.
        OSError: no room, no right to write there, or the disk does not hold what was written.
    """
    begin = time.monotonic()
    target = _target(given, is_encrypted=bool(recipients), is_incremental=is_incremental)
    with _begun(target.parent, is_incremental=is_incremental) as backup:
        with block_deletion():
            counts, digest = _write(backup, recipients)
        if digest_on_disk(backup.archive) != digest:
            raise OSError("the disk does not hold what was written to it")
        size = backup.archive.stat().st_size
        backup.archive.rename(target)
        _sync(target.parent)
        if not is_incremental:
            about = backup.about
            inventory.keep_list(inventory.Base(about["id"], target.name, about["created_at"]), backup.names)
    result = {
        "backup": str(target),
        "bytes": size,
        "sha256": digest,
        "seconds": round(time.monotonic() - begin, 1),
    }
    return result | counts.to_dict() | _remarks(backup)


def _remarks(backup: Backup) -> dict[str, Any]:
    remarks: dict[str, Any] = {}
    if backup.base:
        remarks["base"] = asdict(backup.base)
        remarks["in_base"] = {"files": backup.files_in_base, "bytes": backup.bytes_in_base}
    if backup.about["elsewhere"]:
        remarks["not_in_it"] = backup.about["elsewhere"]
    if backup.foreign:
        remarks["foreign_files"] = backup.foreign
    return remarks


def _target(given: Path, *, is_encrypted: bool, is_incremental: bool) -> Path:
    name = f"runyard-{timezone.now():%Y%m%d-%H%M%S}"
    ending = ("-incremental" if is_incremental else "") + ".tar.zst" + (".age" if is_encrypted else "")
    target = given / (name + ending) if given.is_dir() else given
    if target.exists():
        raise Conflict(f"{target} exists; a backup never replaces a file.")
    return target


@contextmanager
def _begun(parent: Path, *, is_incremental: bool) -> Iterator[Backup]:
    with ExitStack() as stack:
        base, in_base = stack.enter_context(inventory.last_full_backup()) if is_incremental else (None, None)
        # beside the target, so that it takes its name in one step; only the owner may look into it
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=".runyard-backup-", dir=parent)))
        names = stack.enter_context((folder / "names").open("w+"))
        yield Backup(folder, {}, names, base, in_base)


def _write(backup: Backup, recipients: Sequence[Any]) -> tuple[Counts, str]:
    counts = Counts()
    copy = backup.folder / DATABASE
    databases.copy_to(copy)
    databases.check_copy(copy)
    backup.about = _about(backup.base)
    with written_archive(backup.archive, recipients) as (tar, written):
        _add_text(tar, ABOUT, json.dumps(backup.about), counts)
        _add_file(tar, DATABASE, copy, counts)
        copy.unlink()
        _add_text(tar, SECRET_KEY, "\n".join([settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]), counts)
        for part, root in ((BLOBS, settings.BLOB_ROOT), (SEGMENTS, settings.SEGMENT_ROOT)):
            _add_folder(tar, part, Path(root), backup, counts)
        backup.names.flush()
        if backup.base:
            _add_file(tar, IN_BASE, Path(backup.names.name), counts)
        _add_text(tar, MANIFEST, json.dumps(counts.to_dict()), Counts())
    return counts, written.hexdigest()


def _about(base: inventory.Base | None) -> dict[str, Any]:
    return {
        "id": str(uuid4()),
        "version": VERSION,
        "created_at": timezone.now().isoformat(),
        "database": connection.vendor,
        "migrations": databases.applied_migrations(),
        "elsewhere": data_elsewhere(),
        "base": asdict(base) if base else None,
    }


def _add_folder(tar: tarfile.TarFile, part: str, root: Path, backup: Backup, counts: Counts) -> None:
    for path, name, size in _walk(root, part):
        if not FILE_NAME.fullmatch(name):
            backup.foreign += 1
        elif backup.in_base is None:
            backup.names.write(inventory.line_of(name, _add_file(tar, name, path, counts)))
        elif backup.in_base.size_of(name) == size:
            backup.names.write(inventory.line_of(name, size))
            backup.files_in_base += 1
            backup.bytes_in_base += size
        else:
            _add_file(tar, name, path, counts)


def _walk(folder: Path, name: str) -> Iterator[tuple[Path, str, int]]:
    """Yield path, name and size of each file that is whole, by name: no upload under way, no segment being written."""
    if not folder.exists():
        return
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        path, inner = folder / entry.name, f"{name}/{entry.name}"
        if entry.is_dir():
            if inner != f"{BLOBS}/incoming":
                yield from _walk(path, inner)
        elif entry.is_file() and not entry.name.endswith(".part"):
            yield path, inner, entry.stat().st_size


def _add_text(tar: tarfile.TarFile, name: str, text: str, counts: Counts) -> None:
    content = text.encode()
    counts.begin(name, len(content)).update(content)
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = len(content), 0o600, time.time()
    tar.addfile(info, io.BytesIO(content))


def _add_file(tar: tarfile.TarFile, name: str, path: Path, counts: Counts) -> int:
    info = tarfile.TarInfo(name)
    with path.open("rb") as file:
        stat = os.fstat(file.fileno())
        info.size, info.mode, info.mtime = stat.st_size, 0o600, stat.st_mtime
        tar.addfile(info, Hashed(file, counts.begin(name, info.size)))
    release_members(tar)
    return info.size


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
