"""The folder that the processes of one `manage.py serve` share their measurements in."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PREFIX = "runyard-metrics-"
IN_MEMORY = "/dev/shm"  # noqa: S108 - mkdtemp makes an unguessable private folder there
MARKER = "metrics-folder"
"""Names the folder in the data folder, so that the next start can remove what a killed server left."""


def _make() -> Path:
    # Values are written through mmap. On a file system with a disk that can wait for the journal, and so for the
    # fsync of a commit; memory never does (https://www.evanjones.ca/jvm-mmap-pause.html).
    try:
        return Path(tempfile.mkdtemp(prefix=PREFIX, dir=IN_MEMORY))
    except OSError:
        return Path(tempfile.mkdtemp(prefix=PREFIX))


def _remove_left_over(marker: Path) -> None:
    if marker.exists():
        folder = Path(marker.read_text().strip())
        if folder.name.startswith(PREFIX):
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def shared_folder(home: Path) -> Iterator[Path]:
    """Make an empty folder (mode 0700) that goes with the block; the caller holds the data folder ``home``."""
    marker = home / MARKER
    _remove_left_over(marker)
    folder = _make()
    try:
        marker.write_text(str(folder))
        yield folder
    finally:
        marker.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
