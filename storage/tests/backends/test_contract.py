"""What every place of bytes must do: the data folder, two servers of S3, those of Azure and Google (ART-7, TEAM-40)."""

import secrets
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import httpx
import pytest
import time_machine

from common.errors import Invalid
from storage.backends import s3
from storage.backends.base import ObjectInfo, ObjectMissing
from storage.backends.check import check
from storage.backends.settings import build_backend
from storage.tests.backends.conftest import REMOTE, S3, STRICT, TIMEOUTS, Store, hexadecimal, md5, new_key
from tests import clients

CONTENT = bytes(range(256)) * 40
PART = bytes(range(256)) * 4 * 1024 * 5
"""5 MiB, the least that a part but the last may have."""
HOUR = 3600

only = pytest.mark.parametrize


def tomorrow() -> datetime:
    return datetime.now(UTC) + timedelta(days=1)


@pytest.mark.parametrize(
    ("start", "length"), [(0, None), (0, 1), (5, 20), (10_000, None), (10_000, 5_000), (9, 0), (20_000, 5)]
)
def test_an_object_is_read_whole_and_in_parts(store: Store, start: int, length: int | None):
    """ART-7: what lies behind the end is left out."""
    key = store.put(CONTENT)
    end = None if length is None else start + length
    assert b"".join(store.backend.read(key, start, length)) == CONTENT[start:end]


def test_an_object_comes_in_pieces(store: Store):
    """ART-7: memory stays flat."""
    content = bytes(20 * 1024 * 1024)
    pieces = list(store.backend.read(store.put(content)))
    assert sum(map(len, pieces)) == len(content)
    assert max(map(len, pieces)) <= 8 * 1024 * 1024


def test_size_and_digest_are_known(store: Store):
    assert store.backend.info(store.put(CONTENT)) == ObjectInfo(len(CONTENT), md5(CONTENT))
    assert store.backend.info(store.put(b"")) == ObjectInfo(0, md5(b""))


@only("store", S3, indirect=True)
def test_a_bucket_that_is_missing_is_created_once(store: Store):
    """As `check-storage --create` does, which may run at each start."""
    parts = urlsplit(store.bucket.url)
    fresh = parts._replace(netloc=f"fresh-{secrets.token_hex(8)}").geturl()
    backend = build_backend(fresh, store.bucket.credentials, is_operators=True, timeouts=TIMEOUTS)
    assert isinstance(backend, s3.S3Backend)
    assert [backend.create_bucket(), backend.create_bucket()] == [True, False]
    check(backend, is_operators=True)


@only("store", ["moto"], indirect=True)
def test_an_object_that_is_encrypted_by_a_key_of_the_bucket_has_no_digest(store: Store):
    """Its ETag looks like an MD5, and is none."""
    client, at = store.backend._client, store.backend._at(key := new_key())  # type: ignore[attr-defined] # S3's
    client.put_object(**at, Body=CONTENT, ServerSideEncryption="aws:kms")
    assert store.backend.info(key) == ObjectInfo(len(CONTENT), "")


def test_an_empty_object_is_read(store: Store):
    assert b"".join(store.backend.read(store.put(b""))) == b""


def test_a_missing_object_is_told_before_any_piece(store: Store):
    assert store.backend.info(new_key()) is None
    with pytest.raises(ObjectMissing):
        store.backend.read(new_key())


@only("store", ["local", "seaweedfs", "azurite", "gcs"], indirect=True)
def test_other_bytes_than_the_digest_says_are_not_stored(store: Store):
    """ART-7: wrong digests are refused. moto compares none."""
    key = new_key()
    with pytest.raises(Invalid):
        store.backend.put(key, store.file(CONTENT), md5=md5(b"other"))
    assert store.backend.info(key) is None


def test_the_file_that_was_stored_stays(store: Store):
    file = store.file(CONTENT)
    store.backend.put(new_key(), file, md5=md5(CONTENT))
    assert file.read_bytes() == CONTENT


def test_objects_are_deleted_and_missing_ones_with_them(store: Store):
    keys = [store.put(b"%d" % number) for number in range(20)]
    store.backend.delete([*keys[1:], new_key()])
    store.backend.delete([])
    assert list(store.backend.keys(tomorrow())) == keys[:1]
    store.backend.delete(keys)
    assert list(store.backend.keys(tomorrow())) == []


def test_only_what_is_old_enough_is_listed(store: Store):
    key = store.put(CONTENT)
    assert list(store.backend.keys(datetime.now(UTC) - timedelta(minutes=1))) == []
    assert list(store.backend.keys(tomorrow())) == [key]


@only("store", REMOTE, indirect=True)
def test_prefixes_of_one_bucket_do_not_see_each_other(store: Store):
    """TEAM-40: also one below the other, and one whose name begins with the other's."""
    backends = [store.backend, store.other("a"), store.other("a/b"), store.other("ab")]
    keys = [store.put(b"%d" % number, backend=backend) for number, backend in enumerate(backends)]
    for number, backend in enumerate(backends):
        assert list(backend.keys(tomorrow())) == [keys[number]]
        assert backend.info(keys[number - 1]) is None


def test_a_store_that_works_passes_its_check_and_keeps_nothing_of_it(store: Store):
    """TEAM-40: write, read, list, delete a probe."""
    check(store.backend, is_operators=True)
    assert list(store.backend.keys(tomorrow())) == []


class TestSignedDownloads:
    @pytest.fixture(params=REMOTE)
    def store(self, request: pytest.FixtureRequest, store_of: Callable[[str], Store]) -> Store:
        return store_of(request.param)

    def url(self, store: Store, *, inline: bool = False, expires_s: int = HOUR) -> str:
        return store.backend.download_url(
            store.put(CONTENT),
            name='a "ü".txt',
            content_type="text/x-tests",
            inline=inline,
            expires_s=expires_s,
        )

    def test_gives_the_bytes_whole_and_by_range(self, store: Store):
        """ART-7."""
        url = self.url(store)
        assert clients.request("GET", url).content == CONTENT
        part = clients.request("GET", url, headers={"Range": "bytes=5-14"})
        assert (part.status_code, part.content) == (206, CONTENT[5:15])

    @pytest.mark.parametrize(("inline", "kind"), [(True, "inline"), (False, "attachment")])
    def test_names_the_file(self, store: Store, inline: bool, kind: str):
        headers = clients.request("GET", self.url(store, inline=inline)).headers
        assert headers["Content-Disposition"] == f"{kind}; filename*=UTF-8''a%20%22%C3%BC%22.txt"
        if store.server.kind != "gcs":  # the emulator does not know this parameter
            assert headers["Content-Type"].startswith("text/x-tests")

    @only("store", STRICT, indirect=True)
    def test_cannot_be_changed(self, store: Store):
        assert clients.request("GET", self.url(store).replace("x-tests", "html")).status_code == 403

    @only("store", STRICT, indirect=True)
    def test_expires(self, store: Store):
        key = store.put(CONTENT)
        with time_machine.travel(datetime.now(UTC) - timedelta(hours=2)):
            url = store.backend.download_url(key, name="a", content_type="a/b", inline=False, expires_s=HOUR)
        assert clients.request("GET", url).status_code == 403


class TestSignedUploads:
    @pytest.fixture(params=["moto", "seaweedfs", "gcs"])
    def store(self, request: pytest.FixtureRequest, store_of: Callable[[str], Store]) -> Store:
        return store_of(request.param)

    def send(
        self,
        store: Store,
        content: bytes,
        *,
        size: int | None = None,
        digest: str = "",
    ) -> tuple[httpx.Response, str]:
        key = new_key()
        signed = store.backend.upload_url(
            key, md5=md5(CONTENT), size_bytes=len(CONTENT) if size is None else size, expires_s=HOUR
        )
        headers = {**signed.headers, **({"Content-MD5": digest} if digest else {})}
        return clients.request("PUT", signed.url, headers=headers, content=content), key

    def test_takes_the_bytes_that_were_announced(self, store: Store):
        """ART-7: straight to the bucket."""
        answer, key = self.send(store, CONTENT)
        assert answer.is_success, answer.text
        assert store.backend.info(key) == ObjectInfo(len(CONTENT), md5(CONTENT))

    @only("store", ["seaweedfs"], indirect=True)
    def test_takes_no_others(self, store: Store):
        """ART-7: neither with the announced digest, nor with their own, nor of another size."""
        other = CONTENT[::-1]
        answers = [
            self.send(store, other),
            self.send(store, other, digest=md5(other)),
            self.send(store, CONTENT, size=len(CONTENT) + 1),
        ]
        assert [answer.status_code for answer, _key in answers] == [400, 403, 403]
        assert [store.backend.info(key) for _answer, key in answers] == [None, None, None]

    @only("store", ["seaweedfs"], indirect=True)
    def test_a_used_url_cannot_put_other_bytes_in_their_place(self, store: Store):
        key = new_key()
        signed = store.backend.upload_url(key, md5=md5(CONTENT), size_bytes=len(CONTENT), expires_s=HOUR)
        for content, is_taken in [(CONTENT, True), (CONTENT[::-1], False), (CONTENT, True)]:
            answer = clients.request("PUT", signed.url, headers=dict(signed.headers), content=content)
            assert answer.is_success is is_taken
            assert b"".join(store.backend.read(key)) == CONTENT

    @only("store", ["gcs"], indirect=True)
    def test_google_is_asked_to_replace_nothing_and_to_compare_the_size(self, store: Store):
        """Its emulator does neither, so this looks at what is signed."""
        signed = store.backend.upload_url(new_key(), md5=md5(CONTENT), size_bytes=9, expires_s=HOUR)
        assert signed.headers["x-goog-if-generation-match"] == "0"
        assert signed.headers["x-goog-content-length-range"] == "9,9"
        names = httpx.URL(signed.url).params["X-Goog-SignedHeaders"].split(";")
        assert {name.lower() for name in signed.headers} <= set(names)

    def test_a_size_that_is_not_known_is_not_signed(self, store: Store):
        signed = store.backend.upload_url(new_key(), md5=md5(CONTENT), size_bytes=None, expires_s=HOUR)
        answer = clients.request("PUT", signed.url, headers=dict(signed.headers), content=CONTENT)
        assert answer.is_success, answer.text

    @only("store", ["local", "azurite"], indirect=True)
    def test_where_there_are_none_the_server_passes_the_bytes_on(self, store: Store):
        """The SDK must never hear of `x-ms-blob-type`, without which Azure takes nothing."""
        assert not store.backend.can_sign_uploads
        with pytest.raises(NotImplementedError):
            store.backend.upload_url(new_key(), md5=md5(CONTENT), size_bytes=None, expires_s=HOUR)


class TestParts:
    @pytest.fixture(params=S3)
    def store(self, request: pytest.FixtureRequest, store_of: Callable[[str], Store]) -> Store:
        return store_of(request.param)

    @pytest.fixture
    def key(self) -> str:
        return new_key()

    @pytest.fixture
    def upload_id(self, store: Store, key: str) -> Iterator[str]:
        upload_id = store.backend.begin_parts(key)
        yield upload_id
        store.backend.give_up_parts(key, upload_id)

    def send(self, store: Store, key: str, upload_id: str, number: int, content: bytes) -> str:
        signed = store.backend.part_url(key, upload_id, number, md5=md5(content), expires_s=HOUR)
        answer = clients.request("PUT", signed.url, headers=dict(signed.headers), content=content)
        assert answer.is_success, answer.text
        return str(answer.headers["ETag"])

    def test_make_one_object_in_whatever_order_they_come_and_how_often(
        self, store: Store, key: str, upload_id: str
    ):
        """ART-2: multipart; also when the answer to the last request was lost."""
        tags = [(2, self.send(store, key, upload_id, 2, b"end"))]
        self.send(store, key, upload_id, 1, PART[::-1])
        tags.append((1, self.send(store, key, upload_id, 1, PART)))
        store.backend.complete_parts(key, upload_id, tags)
        store.backend.complete_parts(key, upload_id, tags)
        assert store.backend.info(key) == ObjectInfo(len(PART) + 3, "")
        assert b"".join(store.backend.read(key)) == PART + b"end"

    def test_a_lost_part_and_other_bytes_are_named(self, store: Store, key: str, upload_id: str):
        """ART-7."""
        tag = self.send(store, key, upload_id, 1, PART)
        for parts, message in [
            ([(1, tag), (2, hexadecimal(b"end"))], "Part 2 of this file has not been uploaded"),
            ([(1, hexadecimal(b"other"))], "Part 1 has the ETag"),
            ([(1, tag), (1, tag)], "Name each part of the file once"),
            ([], "Name each part of the file once"),
        ]:
            with pytest.raises(Invalid, match=message):
                store.backend.complete_parts(key, upload_id, parts)
        assert store.backend.info(key) is None

    def test_what_was_given_up_is_gone(self, store: Store, key: str):
        upload_id = store.backend.begin_parts(key)
        tag = self.send(store, key, upload_id, 1, PART)
        store.backend.give_up_parts(key, upload_id)
        store.backend.give_up_parts(key, upload_id)
        with pytest.raises(Invalid, match="given up"):
            store.backend.complete_parts(key, upload_id, [(1, tag)])

    @only("store", ["seaweedfs"], indirect=True)
    def test_a_part_with_other_bytes_is_refused(self, store: Store, key: str, upload_id: str):
        signed = store.backend.part_url(key, upload_id, 1, md5=md5(b"end"), expires_s=HOUR)
        for headers in (signed.headers, {"Content-MD5": md5(b"other")}, {}):
            assert clients.request("PUT", signed.url, headers=dict(headers), content=b"other").is_client_error

    @only("store", ["moto"], indirect=True)
    def test_a_part_that_is_too_small_is_told(self, store: Store, key: str, upload_id: str):
        tags = [(number, self.send(store, key, upload_id, number, b"small")) for number in (1, 2)]
        with pytest.raises(Invalid, match="5 MiB"):
            store.backend.complete_parts(key, upload_id, tags)

    def test_a_large_file_of_the_server_goes_up_in_parts(self, store: Store, key: str, monkeypatch):
        monkeypatch.setattr(s3, "_LARGEST_PUT", len(PART))
        monkeypatch.setattr(s3, "_PART_BYTES", len(PART))
        store.put(PART * 2 + b"end", key)
        assert b"".join(store.backend.read(key)) == PART * 2 + b"end"
        with pytest.raises(Invalid, match="MD5"):
            store.backend.put(key, store.file(PART * 2), md5=md5(PART))

    @only("store", ["local", "azurite", "gcs"], indirect=True)
    def test_where_there_are_none_the_server_takes_them(self, store: Store, key: str):
        assert not store.backend.can_sign_parts
        for ask in (
            lambda: store.backend.begin_parts(key),
            lambda: store.backend.part_url(key, "1", 1, md5="", expires_s=1),
            lambda: store.backend.complete_parts(key, "1", []),
            lambda: store.backend.give_up_parts(key, "1"),
        ):
            with pytest.raises(NotImplementedError):
                ask()
