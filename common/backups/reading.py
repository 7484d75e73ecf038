"""Reads an archive: verifies it, and puts an installation back from it."""

import json
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
)
from common.backups.counts import Counts, Hashed, release_members
from common.backups.inventory import SortedNames
from common.backups.streams import read_archive
from common.errors import Conflict, Invalid

Choice = Callable[[tarfile.TarInfo], Path | None]
"""Says where a file of an archive goes; None: it is only read."""


@dataclass(frozen=True)
class Source:
    """What a backup is read from.

    Args:
        archive: The backup.
        base: The full one that it needs; None: the one of that name beside it.
        identities: Private keys (`encryption.read_identities`) for those that are encrypted.
    """

    archive: Path
    base: Path | None = None
    identities: Sequence[Any] = ()


def verify(source: Source) -> dict[str, Any]:
    """Read all of a backup, and of its base where it has one, and change nothing; says what they hold.

    Raises:
        Invalid: no backup, or one that is cut off or damaged, or no key opens it.
        Conflict: its base is not there.
    """
    with tempfile.TemporaryDirectory(prefix="runyard-verifying-") as folder:
        with _opened(source.archive, source.identities) as archive:
            names = Path(folder) / IN_BASE
            found = archive.read(lambda member: names if member.name == IN_BASE else None)
        found |= _read_base(source, archive.about, names, None)
    return {"backup": str(source.archive), **_summary(archive.about), **found}


def restore(source: Source, *, replace: bool) -> dict[str, Any]:
    """Put an installation back; the caller has seen that none runs on the data folder. Says what it did.

    Everything is unpacked and verified beside the data before anything is touched.

    Args:
        source: The backup.
        replace: Whether it may take the place of an installation that holds something: files of that one are set
            aside in a folder of the data folder, a PostgreSQL database is replaced.

    Raises:
        Invalid: no backup, or one that is cut off or damaged, or no key opens it.
        Conflict: of a newer release or another kind of database, its base is not there, or there is something to be
            replaced.
    """
    home = Path(settings.DATA_FOLDER)
    with _folder(home) as folder:
        with _opened(source.archive, source.identities) as archive:
            _require_fitting(archive.about)
            occupied = _is_occupied()
            if occupied and not replace:
                raise Conflict(
                    f"The installation in {home} is not empty; --force puts the backup in its place."
                )
            found = archive.read(lambda member: folder / member.name)
        found |= _read_base(source, archive.about, folder / IN_BASE, folder)
        aside = _set_aside(home) if occupied else None
        _put_in_place(folder)
    result: dict[str, Any] = {"restored": str(source.archive), **_summary(archive.about), **found}
    if aside:
        result["replaced"] = f"what was there is in {aside}"
    if settings.ENVIRONMENT["RUNYARD_SECRET_KEY"].value:
        result["note"] = "RUNYARD_SECRET_KEY is given, so the secret key of the backup was not put back."
    return result


def _summary(about: dict[str, Any]) -> dict[str, Any]:
    summary = {name: about[name] for name in ("version", "created_at")} | {"kind": about["database"]}
    if about["base"]:
        summary["base"] = about["base"]
    return summary | ({"not_in_it": about["elsewhere"]} if about["elsewhere"] else {})


@contextmanager
def _folder(home: Path) -> Iterator[Path]:
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="restoring-", dir=home) as folder:
        yield Path(folder)


class Archive:
    """An opened backup, which is read once, from its begin to its end."""

    def __init__(self, path: Path, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self._counts = Counts()
        first = tar.next()
        if first is None or first.name != ABOUT:
            raise Invalid(f"{path} is not a backup of Runyard.")
        self.about: dict[str, Any] = json.loads(_content_of(tar, first, self._counts))

    def read(self, place: Choice) -> dict[str, Any]:
        """Read the rest, and return its parts.

        Raises:
            Invalid: it is not what was written.
        """
        while (member := self._tar.next()) is not None:
            release_members(self._tar)
            if member.name == MANIFEST:
                return self._compared_with(json.loads(_content_of(self._tar, member, Counts())))
            is_known = member.name in (DATABASE, SECRET_KEY, IN_BASE) or FILE_NAME.fullmatch(member.name)
            if not (member.isreg() and is_known):
                raise Invalid(f"The backup holds something that does not belong there: {member.name!r}.")
            self._unpack(member, place(member))
        raise Invalid("The backup is cut off: its manifest is missing.")

    def _compared_with(self, written: dict[str, Any]) -> dict[str, Any]:
        found = self._counts.to_dict()
        damaged = sorted(part for part in {*written, *found} if written.get(part) != found.get(part))
        if damaged:
            raise Invalid(f"The backup is damaged: {', '.join(damaged)} are not what was written.")
        return found

    def _unpack(self, member: tarfile.TarInfo, path: Path | None) -> None:
        content = _counted(self._tar, member, self._counts)
        if path is None:
            for _ in content.chunks():
                pass
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as out:
            path.chmod(0o600)
            shutil.copyfileobj(content, out)


@contextmanager
def _opened(path: Path, identities: Sequence[Any]) -> Iterator[Archive]:
    with read_archive(path, identities) as tar:
        yield Archive(path, tar)


def _counted(tar: tarfile.TarFile, member: tarfile.TarInfo, counts: Counts) -> Hashed:
    file = tar.extractfile(member)
    if file is None:
        raise Invalid(f"The backup holds something that is not a file: {member.name!r}.")
    return Hashed(file, counts.begin(member.name, member.size))


def _content_of(tar: tarfile.TarFile, member: tarfile.TarInfo, counts: Counts) -> bytes:
    return b"".join(_counted(tar, member, counts).chunks())


def _read_base(source: Source, about: dict[str, Any], names: Path, folder: Path | None) -> dict[str, Any]:
    """Read the full backup that an incremental one needs: what is named goes into a folder, if one is given."""
    needed = about["base"]
    if needed is None:
        return {}
    path = source.base or source.archive.parent / needed["name"]
    if not path.exists():
        raise Conflict(
            f"{source.archive} needs the full backup {needed['name']} of {needed['created_at']}: put it beside,"
            " or name it with --base."
        )
    taken = {"files": 0, "bytes": 0}
    with names.open() as lines, _opened(path, source.identities) as base:
        if base.about["id"] != needed["id"]:
            raise Conflict(f"{path} is not the full backup {needed['name']} of {needed['created_at']}.")
        wanted = SortedNames(lines)

        def place(member: tarfile.TarInfo) -> Path | None:
            size = wanted.size_of(member.name) if FILE_NAME.fullmatch(member.name) else None
            if size is None:
                return None
            if size != member.size:
                raise Invalid(f"The full backup {path} has another {member.name}.")
            taken["files"] += 1
            taken["bytes"] += member.size
            return folder / member.name if folder else None

        base.read(place)
        if missing := wanted.finish():
            raise Invalid(f"The full backup {path} lacks {missing}.")
    return {"from_base": taken}


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
