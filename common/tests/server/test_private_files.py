"""What an installation stores is its own: on a shared machine no other user reads it."""

import os
import stat
from pathlib import Path

import pytest

from common.server.start_checks import make_private, only_one
from config.commands import line


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_data_folder_is_made_private(tmp_path: Path):
    make_private(tmp_path / "a" / "home")
    assert mode_of(tmp_path / "a" / "home") == 0o700


def test_one_that_others_could_read_is_closed_at_the_start(tmp_path: Path):
    tmp_path.chmod(0o755)
    with only_one(tmp_path):
        assert mode_of(tmp_path) == 0o700


@pytest.mark.parametrize(
    ("is_checkout", "name", "expected"),
    [
        (False, "serve", 0o077),
        (False, "backup", 0o077),
        (True, "web", 0o077),
        (True, "makemigrations", 0o022),
    ],
)
def test_files_are_made_private_but_for_those_of_developers(
    monkeypatch: pytest.MonkeyPatch, is_checkout: bool, name: str, expected: int
):
    before = os.umask(0o022)
    monkeypatch.setattr(line, "IS_CHECKOUT", is_checkout)
    monkeypatch.setattr(line, "_start", lambda *_: 0)
    try:
        assert line._run("runyard", name, []) == 0
        assert os.umask(0o022) == expected
    finally:
        os.umask(before)
