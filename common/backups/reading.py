"""Reads an archive: verifies it, and puts an installation back from it."""

import json
import re
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils import timezone

from common import VERSION
from common.backups import ABOUT, BLOBS, DATABASE, MANIFEST, SECRET_KEY, SEGMENTS, databases
from common.backups.counts import Counts, Hashed, release_members
from common.errors import Conflict, Invalid

_NAME = re.compile(rf"(?:{DATABASE}|{SECRET_KEY}|(?:{BLOBS}|{SEGMENTS})(?:/[A-Za-z0-9_-][A-Za-z0-9_.-]*)+)")


def verify(archive: Path) -> dict[str, Any]:
    """Read all of a backup and change nothing; says what it holds.

    Raises:
        Invalid: no backup, or one that is cut off or damaged.
    """
    with _opened(archive) as (tar, counts, about):
        return {"backup": str(archive), **_summary(about), **_read(tar, counts, None)}


def restore(archive: Path, *, replace: bool) -> dict[str, Any]:
    """Put an installation back; the caller has seen that none runs on the data folder. Says what it did.

    Everything is unpacked and verified beside the data before anything is touched.

    Args:
        archive: The backup.
        replace: Whether it may take the place of an installation that holds something: files of that one are set
            aside in a folder of the data folder, a PostgreSQL database is replaced.

    Raises:
        Invalid: no backup, or one that is cut off or damaged.
        Conflict: of a newer release or another kind of database, or there is something to be replaced.
    """
    home = Path(settings.DATA_FOLDER)
    with _opened(archive) as (tar, counts, about), _folder(home) as folder:
        _require_fitting(about)
        occupied = _is_occupied()
        if occupied and not replace:
            raise Conflict(f"The installation in {home} is not empty; --force puts the backup in its place.")
        read = _read(tar, counts, folder)
        aside = _set_aside(home) if occupied else None
        _put_in_place(folder)
    result: dict[str, Any] = {"restored": str(archive), **_summary(about), **read}
    if aside:
        result["replaced"] = f"what was there is in {aside}"
    if settings.ENVIRONMENT["RUNYARD_SECRET_KEY"].value:
        result["note"] = "RUNYARD_SECRET_KEY is given, so the secret key of the backup was not put back."
    return result


def _summary(about: dict[str, Any]) -> dict[str, Any]:
    summary = {name: about[name] for name in ("version", "created_at")} | {"kind": about["database"]}
    return summary | ({"not_in_it": about["elsewhere"]} if about.get("elsewhere") else {})


@contextmanager
def _folder(home: Path) -> Iterator[Path]:
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="restoring-", dir=home) as folder:
        yield Path(folder)


@contextmanager
def _opened(archive: Path) -> Iterator[tuple[tarfile.TarFile, Counts, dict[str, Any]]]:
    counts = Counts()
    try:
        with tarfile.open(archive, "r:") as tar:
            first = tar.next()
            if first is None or first.name != ABOUT:
                raise Invalid(f"{archive} is not a backup of Runyard.")
            yield tar, counts, json.loads(_content(tar, first, counts))
    except (tarfile.TarError, EOFError, ValueError) as error:
        raise Invalid(f"{archive} is not a backup of Runyard, or is cut off: {error}.") from error


def _counted(tar: tarfile.TarFile, member: tarfile.TarInfo, counts: Counts) -> Hashed:
    file = tar.extractfile(member)
    if file is None:
        raise Invalid(f"The backup holds something that is not a file: {member.name!r}.")
    return Hashed(file, counts.begin(member.name, member.size))


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo, counts: Counts) -> bytes:
    return b"".join(_counted(tar, member, counts).chunks())


def _read(tar: tarfile.TarFile, counts: Counts, folder: Path | None) -> dict[str, Any]:
    """Read what follows, into a folder if one is given, and return the parts.

    Raises:
        Invalid: it is not what was written.
    """
    while (member := tar.next()) is not None:
        release_members(tar)
        if member.name == MANIFEST:
            written = json.loads(_content(tar, member, Counts()))
            found = counts.to_dict()
            damaged = sorted(part for part in {*written, *found} if written.get(part) != found.get(part))
            if damaged:
                raise Invalid(f"The backup is damaged: {', '.join(damaged)} are not what was written.")
            return found
        if not (member.isreg() and _NAME.fullmatch(member.name)):
            raise Invalid(f"The backup holds something that does not belong there: {member.name!r}.")
        _unpack(tar, member, counts, folder)
    raise Invalid("The backup is cut off: its manifest is missing.")


def _unpack(tar: tarfile.TarFile, member: tarfile.TarInfo, counts: Counts, folder: Path | None) -> None:
    content = _counted(tar, member, counts)
    if folder is None:
        for _ in content.chunks():
            pass
        return
    path = folder / member.name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as out:
        path.chmod(0o600)
        shutil.copyfileobj(content, out)


def _require_fitting(about: dict[str, Any]) -> None:
    if about["database"] != connection.vendor:
        raise Conflict(
            f"The backup is of a {about['database']} database; this installation has {connection.vendor}"
            " (RUNYARD_DATABASE_URL)."
        )
    if unknown := databases.unknown_migrations(about["migrations"]):
        raise Conflict(
            f"The backup is of a newer Runyard ({about['version']}; this is {VERSION}): {', '.join(unknown)}."
        )


def _folders() -> list[Path]:
    return [Path(settings.BLOB_ROOT), Path(settings.SEGMENT_ROOT)]


def _is_occupied() -> bool:
    """Whether the installation has tables or files."""
    if connection.introspection.table_names():
        return True
    return any(path.is_file() for folder in _folders() for path in folder.rglob("*"))


def _set_aside(home: Path) -> Path:
    connection.close()
    aside = home / f"replaced-{timezone.now():%Y%m%d-%H%M%S}"
    aside.mkdir(mode=0o700)
    for path in [*databases.sqlite_files(), *_folders(), home / SECRET_KEY]:
        if path.exists():
            path.rename(aside / path.name)
    return aside


def _put_in_place(folder: Path) -> None:
    connection.close()
    for path in databases.sqlite_files():  # empty: what held something was set aside
        path.unlink()
    databases.put_back(folder / DATABASE)
    for name, place in zip((BLOBS, SEGMENTS), _folders(), strict=True):
        if (folder / name).exists():
            if place.exists():
                shutil.rmtree(place)  # empty folders
            (folder / name).rename(place)
    if not settings.ENVIRONMENT["RUNYARD_SECRET_KEY"].value:
        (folder / SECRET_KEY).rename(Path(settings.DATA_FOLDER) / SECRET_KEY)
