"""Archives whose bytes follow from what is in them: made twice, they are the same."""

import gzip
import tarfile
from collections.abc import Mapping
from pathlib import Path


def write_archive(target: Path, files: Mapping[str, Path], *, at: int) -> None:
    """Write a tar, compressed where its name ends with ``gz``.

    Args:
        target: The file.
        files: By their names in it.
        at: Their time (seconds since the epoch).
    """
    is_compressed = target.suffix in (".gz", ".tgz")
    with target.open("wb") as raw:
        if is_compressed:
            with gzip.GzipFile("", "wb", fileobj=raw, mtime=at) as packed:
                _write(packed, files, at)
        else:
            _write(raw, files, at)


def _write(to: object, files: Mapping[str, Path], at: int) -> None:
    with tarfile.open(mode="w", fileobj=to, format=tarfile.PAX_FORMAT) as archive:  # type: ignore[call-overload]
        for name, path in sorted(files.items()):
            entry = archive.gettarinfo(path, name)
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.mtime = at
            entry.mode = 0o755 if entry.mode & 0o100 else 0o644
            with path.open("rb") as content:
                archive.addfile(entry, content)


def files_below(folder: Path, top: str) -> dict[str, Path]:
    """Return the files of a folder by their names in an archive, below ``top``."""
    return {f"{top}/{path.relative_to(folder)}": path for path in folder.rglob("*") if path.is_file()}
