"""The embedded Redis: which server, where its socket is, and that nothing of it stays."""

import stat
from pathlib import Path

import pytest
import redis

from common.server import embedded_redis


def executable(folder: Path, name: str) -> str:
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_a_server_of_the_system_comes_first(tmp_path):
    valkey = executable(tmp_path, "valkey-server")
    assert embedded_redis.find_binary(str(tmp_path)) == valkey
    installed = executable(tmp_path, "redis-server")
    assert embedded_redis.find_binary(str(tmp_path)) == installed


def test_without_any_server_the_error_names_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(embedded_redis, "_bundled", lambda: "")
    with pytest.raises(
        embedded_redis.EmbeddedRedisError, match=r"redis-server or valkey-server.*RUNYARD_REDIS_URL"
    ):
        embedded_redis.find_binary(str(tmp_path))


def test_it_answers_on_a_private_socket_and_leaves_nothing():
    with embedded_redis.running() as url:
        folder = Path(url.removeprefix("unix://")).parent
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        with redis.Redis.from_url(url) as client:
            assert client.ping()
            assert client.config_get("save") == {"save": ""} or client.config_get("save") == {b"save": b""}
    assert not folder.exists()


def test_a_long_temporary_folder_does_not_cut_the_socket(tmp_path, monkeypatch):
    long = tmp_path / ("x" * 100)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    folder = embedded_redis.make_folder()
    try:
        assert len(str(embedded_redis.socket_path(folder))) <= embedded_redis.SOCKET_PATH_MAX_BYTES
        assert list(long.iterdir()) == []
    finally:
        folder.rmdir()


def test_a_server_that_cannot_start_says_why(tmp_path, monkeypatch):
    monkeypatch.setattr(embedded_redis, "socket_path", lambda folder: folder / "missing" / "redis.sock")
    with pytest.raises(embedded_redis.EmbeddedRedisError, match="did not start"), embedded_redis.running():
        pass


def test_only_folders_of_ours_are_removed(tmp_path):
    ours, other = tmp_path / "runyard-redis-abc", tmp_path / "other"
    for folder in (ours, other):
        folder.mkdir()
        embedded_redis.remove_left_over(f"unix://{folder}/redis.sock")
    embedded_redis.remove_left_over("redis://localhost:6379/0")
    assert (ours.exists(), other.exists()) == (False, True)
