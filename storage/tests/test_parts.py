"""Files in parts: kept in whatever order they come, put together once, swept when nobody goes on."""

import base64
import fcntl
import hashlib
import os
import secrets
from pathlib import Path

import pytest

from common.errors import Invalid, TooLarge, Unavailable
from storage import filesystem, parts, services

KEY = "0123456789abcdef" * 2
ONE, TWO = b"first part;", b"second part"


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path: Path) -> None:
    settings.BLOB_ROOT = tmp_path


def _hex(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def _keep(number: int, content: bytes, *, announced: str | None = None, key: str = KEY) -> str:
    with filesystem.Incoming() as incoming:
        incoming.write(content)
        return parts.keep(key, number, _hex(content) if announced is None else announced, incoming.finish())


def _whole(*named: tuple[int, str]) -> tuple[bytes, str]:
    with parts.assemble(KEY, named) as received:
        return received.path.read_bytes(), received.md5


def test_parts_make_the_file_in_whatever_order_they_come_and_how_often():
    """ART-7: a client sends a part again whose answer it did not hear."""
    _keep(2, b"cut off")
    tags = {2: _keep(2, TWO), 1: _keep(1, ONE)}
    _keep(1, ONE)
    content, md5 = _whole((2, f'"{tags[2]}"'), (1, tags[1]))
    assert content == ONE + TWO
    assert md5 == base64.b64encode(hashlib.md5(ONE + TWO, usedforsecurity=False).digest()).decode()
    assert _whole((1, tags[1]), (2, tags[2]))[0] == content  # again gives the same, until they are discarded
    parts.discard(KEY)
    with pytest.raises(Invalid, match="removed after a day"):
        _whole((1, tags[1]))


def test_a_part_with_other_bytes_is_refused():
    with pytest.raises(Invalid, match="part 1 is"):
        _keep(1, ONE, announced=_hex(TWO))
    _keep(1, ONE)
    with pytest.raises(Invalid, match="Part 1 has the ETag"):
        _whole((1, _hex(TWO)))
    with pytest.raises(Invalid, match="Part 2 of this file has not been uploaded"):
        _whole((1, _hex(ONE)), (2, _hex(TWO)))
    for named in ((), ((1, _hex(ONE)), (1, _hex(ONE)))):
        with pytest.raises(Invalid, match="each part of the file once"):
            _whole(*named)


@pytest.mark.parametrize("number", [0, -1, parts.MAX_PARTS + 1])
def test_numbers_have_limits(number: int):
    with pytest.raises(Invalid, match=r"between 1 and 10000"):
        _keep(number, ONE)


@pytest.mark.parametrize("key", ["", "..", "../" + "a" * 29, "A" * 32, KEY + "/x"])
def test_a_key_never_leaves_the_folder(key: str, tmp_path: Path):
    with pytest.raises(Invalid, match="not the ID"):
        _keep(1, ONE, key=key)
    with pytest.raises(Invalid, match="not the ID"):
        parts.discard(key)
    assert not list(tmp_path.rglob("1"))


def test_who_comes_second_to_put_it_together_asks_again():
    _keep(1, ONE)
    with (parts._folder(KEY) / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(Unavailable, match="being put together"):
            _whole((1, _hex(ONE)))


def test_all_of_it_has_the_limit_of_a_file(settings):
    settings.UPLOAD_MAX_BYTES = len(ONE) + len(TWO) - 1
    tags = [(1, _keep(1, ONE)), (2, _keep(2, TWO))]
    with pytest.raises(TooLarge, match=f"at most {settings.UPLOAD_MAX_BYTES} bytes"):
        _whole(*tags)


@pytest.mark.django_db
def test_what_nobody_goes_on_with_is_swept(tmp_path: Path):
    other = secrets.token_hex(16)
    _keep(1, ONE)
    _keep(1, TWO, key=other)
    assert parts.sizes() == {KEY: len(ONE), other: len(TWO)}
    old = (tmp_path / "parts" / KEY).stat().st_mtime - services.UNUSED_FOR.total_seconds() - 1
    os.utime(tmp_path / "parts" / KEY, (old, old))
    assert services.sweep() == 1
    assert [folder.name for folder in (tmp_path / "parts").iterdir()] == [other]


def test_memory_does_not_grow_with_the_file():
    import tracemalloc

    size, pieces = 4 * 1024 * 1024, 12
    block = os.urandom(size)
    for number in range(1, pieces + 1):
        _keep(number, block)
    tracemalloc.start()
    with parts.assemble(KEY, [(n, _hex(block)) for n in range(1, pieces + 1)]) as received:
        assert received.size_bytes == size * pieces
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 * size
