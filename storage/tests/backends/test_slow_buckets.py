"""Hosts of buckets that waste our time: every request ends, no queue builds up, no byte too much is written."""

import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from common.budgets.budget import Budget, budget_of
from common.budgets.gate import Gate
from storage.backends import guarded
from storage.backends.base import Backend, StorageUnavailable
from storage.backends.settings import build_backend
from storage.backends.transfer import Timeouts
from storage.contents import cache
from storage.models import Bucket
from storage.team_buckets import probe
from storage.tests.backends.conftest import md5
from tests.fakes.slow_host import SlowHost, Waste, slow_host

SOON_S = 0.6
"""The deadline here; what took longer than a few seconds waited for something else."""
PATIENT = Timeouts(connect_s=60, read_s=60, tries=3)
"""No timeout of a socket ends what the deadline should."""


@pytest.fixture(autouse=True)
def _impatient(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    settings.ALLOWED_NETWORKS = ["127.0.0.0/8"]
    monkeypatch.setattr(guarded, "REQUEST_S", SOON_S)
    yield
    guarded._avoided.clear()


def backend_at(host: SlowHost, bucket_id: int | None = 7) -> Backend:
    credentials = {"access_key": "a", "secret_key": "b"}
    opened = build_backend(f"s3://bucket?endpoint={host.url}", credentials, timeouts=PATIENT)
    return guarded.guarded(opened, bucket_id, is_operators=False)


def requests_of(backend: Backend, file: Path) -> dict[str, Callable[[], Any]]:
    return {
        "put": lambda: backend.put("k", file, md5=md5(file.read_bytes())),
        "read": lambda: list(backend.read("k")),
        "info": lambda: backend.info("k"),
        "keys": lambda: list(backend.keys(datetime.now(UTC))),
        "delete": lambda: backend.delete(["k", "l"]),
        "begin_parts": lambda: backend.begin_parts("k"),
        "complete_parts": lambda: backend.complete_parts("k", "0", [(1, "0" * 32)]),
        "give_up_parts": lambda: backend.give_up_parts("k", "0"),
    }


@pytest.mark.parametrize("waste", [Waste.SILENT, Waste.DRIPPING_HEAD])
@pytest.mark.parametrize("name", requests_of(None, Path()))  # type: ignore[arg-type]  # only their names
def test_every_request_to_a_bucket_ends_at_the_deadline(name: str, waste: Waste, tmp_path: Path) -> None:
    """TEAM-40: a server can send a byte now and then forever, which no timeout of a socket sees."""
    file = tmp_path / "file"
    file.write_bytes(b"x" * 1000)
    with slow_host(waste) as host, pytest.raises(StorageUnavailable, match="did not answer within"):
        requests_of(backend_at(host), file)[name]()


def test_an_upload_that_the_bucket_does_not_read_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x" * 8_000_000)
    with slow_host(Waste.UNREAD) as host:
        monkeypatch.setattr(guarded, "LEAST_RATE", 2**40)
        with pytest.raises(StorageUnavailable):
            backend_at(host).put("k", file, md5=md5(file.read_bytes()))


def test_a_body_that_drips_ends(tmp_path: Path) -> None:
    with (
        slow_host(Waste.DRIPPING_BODY) as host,
        pytest.raises(StorageUnavailable, match="less than 64 KiB/s"),
    ):
        list(backend_at(host).read("k"))


def test_only_the_time_counts_in_which_we_wait_for_the_bucket() -> None:
    """A client may read a download as slowly as it likes."""

    class Quick:
        def read(self, *_: Any) -> Iterator[bytes]:
            return iter([b"a", b"b", b"c"])

    pieces = guarded.guarded(Quick(), 7, is_operators=False).read("k")  # type: ignore[arg-type]
    assert next(pieces) == b"a"
    time.sleep(2 * SOON_S)
    assert list(pieces) == [b"b", b"c"]


def test_a_bucket_that_was_too_slow_is_not_asked_again_for_a_while() -> None:
    with slow_host(Waste.SILENT) as host:
        backend = backend_at(host)
        with pytest.raises(StorageUnavailable):
            backend.info("k")
        asked = host.asked
        with pytest.raises(StorageUnavailable, match="asked again after 30 s"):
            backend.info("k")
        assert host.asked == asked
        with pytest.raises(StorageUnavailable):
            backend_at(host, bucket_id=8).info("k")
        assert host.asked > asked


def test_a_request_whose_client_has_left_is_ended_and_is_not_the_buckets_fault(monkeypatch: Any) -> None:
    monkeypatch.setattr(guarded, "REQUEST_S", 60)
    with slow_host(Waste.SILENT) as host:
        backend = backend_at(host)
        began = time.monotonic()
        with budget_of(Budget(lambda: time.monotonic() > began + 0.3)), pytest.raises(StorageUnavailable):
            backend.info("k")
        assert not guarded._avoided


def test_one_bucket_takes_its_share_of_the_threads_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded, "REQUEST_S", 60)
    monkeypatch.setattr(guarded, "_shares", Gate(at_once=4, each=2))
    ended = threading.Event()

    class Stuck:
        def info(self, _key: str) -> None:
            ended.wait(60)

    stuck = guarded.guarded(Stuck(), 7, is_operators=False)  # type: ignore[arg-type]
    threads = [threading.Thread(target=stuck.info, args=["k"]) for _ in range(2)]
    for thread in threads:
        thread.start()
    while guarded._shares._running.total() < 2:
        time.sleep(0.01)
    with pytest.raises(StorageUnavailable, match="Too many requests wait for this bucket"):
        stuck.info("k")
    other = guarded.guarded(Stuck(), 8, is_operators=False)  # type: ignore[arg-type]
    ended.set()
    other.info("k")
    for thread in threads:
        thread.join()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "waste", [Waste.SILENT, Waste.DRIPPING_HEAD, Waste.DRIPPING_BODY, Waste.ENDLESS_BODY]
)
def test_a_check_ends_in_time_whatever_the_bucket_does(waste: Waste, monkeypatch: pytest.MonkeyPatch) -> None:
    """TEAM-40."""
    monkeypatch.setattr(probe, "WAIT_S", SOON_S)
    monkeypatch.setattr(guarded, "REQUEST_S", 60)
    with slow_host(waste) as host:
        url = f"s3://bucket?endpoint={host.url}"
        bucket = Bucket(url=url, sealed_credentials=sealed(access_key="a", secret_key="b"))
        with pytest.raises(StorageUnavailable):
            probe.check_in_time(bucket)


def sealed(**credentials: str) -> str:
    import json

    from common.crypto import seal
    from storage.buckets.services import SEAL

    return seal(SEAL, json.dumps(credentials))


@pytest.mark.django_db
def test_no_byte_more_is_written_than_was_stored(settings: Any, tmp_path: Path) -> None:
    settings.STORAGE_CACHE_FOLDER = tmp_path
    bucket = Bucket.objects.create(
        url="s3://bucket", sealed_credentials=sealed(access_key="a", secret_key="b"), folder="f"
    )
    with slow_host(Waste.ENDLESS_BODY) as host:
        Bucket.objects.filter(pk=bucket.pk).update(url=f"s3://bucket?endpoint={host.url}")
        from storage.contents.reading import StoredContent

        content = StoredContent("k", 2_400_000, bucket.pk, "", md5(b"no"))
        with pytest.raises(StorageUnavailable, match="other bytes"):
            content.local_copy()
        assert host.sent < 64_000_000  # what was on its way, not what it would have sent
    assert list(tmp_path.iterdir()) == []


@pytest.mark.django_db
def test_a_teams_bucket_has_half_of_the_cache(settings: Any, tmp_path: Path) -> None:
    settings.STORAGE_CACHE_FOLDER, settings.STORAGE_CACHE_BYTES = tmp_path, 1000
    theirs = Bucket.objects.create(url="s3://a", sealed_credentials="sealed", folder="f")
    operators = Bucket.objects.create(url="s3://b", folder="g")
    assert (cache.share_of(theirs.pk), cache.share_of(operators.pk)) == (500, 1000)
