"""Buckets that are missing, refuse, vanish, lie or keep silent: a clear error, nothing leaked, and then it goes on."""

import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote_plus

import pytest
import time_machine

from common.errors import DomainError, Invalid
from storage.backends import s3
from storage.backends.base import Backend, StorageUnavailable
from storage.backends.check import check
from storage.backends.settings import build_backend
from storage.tests.backends.conftest import QUICK, REMOTE, TIMEOUTS, Store, hexadecimal, md5, new_key
from tests import clients
from tests.fakes.buckets import ACCESS_KEY, AZURE_KEY, LIMITED, SECRET_KEY, service_account
from tests.fakes.faulty import faulty

CONTENT = bytes(range(256)) * 400
XML = "application/xml"

only = pytest.mark.parametrize


@pytest.fixture(params=REMOTE)
def store(request: pytest.FixtureRequest, store_of: Callable[[str], Store]) -> Store:
    """Return an empty store in a bucket."""
    return store_of(request.param)


def requests_of(store: Store, backend: Backend) -> dict[str, Callable[[], Any]]:
    """Return what can be asked of a bucket, with an object that is there, by name."""
    key, file = store.put(CONTENT), store.file(CONTENT)
    asked: dict[str, Callable[[], Any]] = {
        "put": lambda: backend.put(new_key(), file, md5=md5(CONTENT)),
        "read": lambda: list(backend.read(key)),
        "info": lambda: backend.info(key),
        "keys": lambda: list(backend.keys(datetime.now(UTC))),
        "delete": lambda: backend.delete([new_key()]),
    }
    if backend.can_sign_parts:
        asked |= {
            "begin_parts": lambda: backend.begin_parts(new_key()),
            "complete_parts": lambda: backend.complete_parts(key, "0123", [(1, hexadecimal(CONTENT))]),
            "give_up_parts": lambda: backend.give_up_parts(key, "0123"),
        }
    return asked


def errors_of(store: Store, backend: Backend) -> dict[str, str]:
    """Return what each request is answered with, "" where it succeeds; nothing but StorageUnavailable may be raised."""
    errors = {}
    for name, ask in requests_of(store, backend).items():
        errors[name] = message_of(ask)
    return errors


def message_of(ask: Callable[[], Any]) -> str:
    """Return what it is answered with, "" where it succeeds; never does a secret get into that."""
    message = ""
    try:
        ask()
    except StorageUnavailable as error:
        message = error.message
    assert not [
        secret for secret in (SECRET_KEY, AZURE_KEY, "PRIVATE KEY", "Signature=") if secret in message
    ]
    return message


def s3_error(code: str) -> bytes:
    return f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>{SECRET_KEY}</Message></Error>".encode()


@only("store", ["moto", "azurite", "gcs"], indirect=True)
def test_a_bucket_that_is_missing_is_said_to_be(store: Store):
    """TEAM-40. SeaweedFS makes it, if the keys may."""
    url = store.bucket.url.replace("tests-", "never-made-")
    backend = build_backend(url, store.bucket.credentials, is_operators=True, timeouts=TIMEOUTS)
    assert "does not exist" in message_of(lambda: check(backend, is_operators=True))


@only("store", ["seaweedfs"], indirect=True)
@only(
    ("credentials", "why"),
    [
        ({"secret_key": "another"}, "the secret key does not belong to the access key"),
        ({"access_key": "AKIANOBODY"}, "does not know the access key"),
    ],
)
def test_wrong_keys_are_told(store: Store, credentials: dict[str, str], why: str):
    """TEAM-40: a HEAD has no body to say so."""
    errors = errors_of(store, store.other(credentials=credentials))
    assert "the credentials do not hold" in errors.pop("info")
    assert [message for message in errors.values() if why not in message] == []
    assert why in message_of(lambda: check(store.other(credentials=credentials), is_operators=True))


@only("store", ["azurite"], indirect=True)
def test_a_wrong_account_key_is_told(store: Store):
    errors = errors_of(store, store.other(credentials={"account_key": "d3Jvbmc="}))
    assert "is missing" in errors.pop("info")  # an answer to HEAD has no body that says more
    assert [message for message in errors.values() if "the signature" not in message] == []


@only("store", ["seaweedfs"], indirect=True)
@only("permission", LIMITED)
def test_the_missing_permission_is_named(store: Store, permission: str):
    """TEAM-40."""
    limited = store.other(credentials={"access_key": LIMITED[permission][0]})
    assert f"the permission {permission} is missing" in message_of(lambda: check(limited, is_operators=True))


@only("store", ["azurite"], indirect=True)
@only(
    ("allowed", "missing"),
    [("rl", "write (w)"), ("wdl", "read (r)"), ("rwd", "list (l)"), ("rwl", "delete (d)")],
)
def test_the_missing_permission_of_a_signature_is_named(store: Store, allowed: str, missing: str):
    """TEAM-40."""
    backend = signed_by(store, allowed)
    assert f"the permission {missing} is missing" in message_of(lambda: check(backend, is_operators=True))


@only("store", ["azurite"], indirect=True)
def test_a_signature_is_enough_but_gives_clients_no_urls(store: Store):
    """TEAM-40: theirs would have to be the signature itself, with all its permissions."""
    backend = signed_by(store, "rwdl")
    check(backend, is_operators=True)
    assert not backend.can_sign_downloads
    with pytest.raises(NotImplementedError):
        backend.download_url(new_key(), name="a", content_type="a/b", inline=True, expires_s=60)


@only("store", ["azurite"], indirect=True)
def test_an_expired_signature_does_not_hold(store: Store):
    backend = signed_by(store, "rwdl", ends_in=timedelta(hours=-1))
    assert "does not hold" in message_of(lambda: check(backend, is_operators=True))


@only("store", ["azurite"], indirect=True)
@only(
    ("code", "detail", "why"),
    [
        ("AuthenticationFailed", "Signature not valid in the specified time frame", "have expired"),
        ("AuthenticationFailed", "Request date header too old", "the clock of this server is wrong"),
        ("AuthenticationFailed", "The MAC signature", "does not hold"),
        ("AuthorizationFailure", "not authorized to perform", "its firewall"),
        ("KeyBasedAuthenticationNotPermitted", "Key based", "takes no account keys"),
        ("Strange", "What", "answered Strange"),
        ("Strange", "", "does not answer (TypeError)"),
    ],
)
def test_what_azure_refuses_is_told_in_a_sentence(store: Store, code: str, detail: str, why: str):
    requests = requests_of(store, store.backend)
    content = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>{detail}</Message></Error>"
    store.server.faults.answers = (403, XML, content.encode())
    for name in ("put", "read", "keys", "delete"):
        assert why in message_of(requests[name]), name
    store.server.faults.mend()
    assert message_of(requests["read"]) == ""


def signed_by(store: Store, allowed: str, ends_in: timedelta = timedelta(hours=1)) -> Backend:
    from azure.storage.blob import ContainerSasPermissions, generate_container_sas

    account, container = store.bucket.url.removeprefix("az://").split("/")[:2]
    signature = generate_container_sas(
        account, container, account_key=AZURE_KEY, expiry=datetime.now(UTC) + ends_in,
        permission=ContainerSasPermissions.from_string(allowed),
    )  # fmt: skip
    return build_backend(store.bucket.url, {"signature": signature}, is_operators=True, timeouts=TIMEOUTS)


REFUSALS = [
    ("AccessDenied", 403, "the permission s3:"),
    ("InvalidAccessKeyId", 403, "does not know the access key"),
    ("ExpiredToken", 400, "have expired"),
    ("RequestTimeTooSkewed", 403, "the clock of this server is wrong"),
    ("SlowDown", 503, "does not answer now (SlowDown)"),
    ("PermanentRedirect", 301, "is in another region"),
    ("Strange", 418, "answered Strange"),
]


@only("store", ["moto"], indirect=True)
@only(("code", "status", "why"), REFUSALS)
def test_what_s3_refuses_is_told_in_a_sentence(store: Store, code: str, status: int, why: str):
    """TEAM-40: each request, and it goes on when the bucket takes requests again."""
    requests = requests_of(store, store.backend)
    del requests["info"]  # has no body that says why
    store.server.faults.answers = (status, XML, s3_error(code))
    for name, ask in requests.items():
        assert why in message_of(ask), name
    store.server.faults.mend()
    assert message_of(requests["read"]) == ""


@only("store", ["gcs"], indirect=True)
@only(("status", "why"), [(401, "the credentials"), (403, "storage.objects."), (418, "answered 418")])
def test_what_google_refuses_is_told_in_a_sentence(store: Store, status: int, why: str):
    requests = requests_of(store, store.backend)
    store.server.faults.answers = (status, "application/json", b'{"error": {"message": "no"}}')
    for name, ask in requests.items():
        assert why in message_of(ask), name
    store.server.faults.mend()
    assert message_of(requests["read"]) == ""


@only("store", ["moto"], indirect=True)
def test_keys_that_are_revoked_in_the_middle_of_an_upload_in_parts(store: Store):
    """It goes on where it was once they are given back."""
    key = new_key()
    upload_id = store.backend.begin_parts(key)
    signed = store.backend.part_url(key, upload_id, 1, md5=md5(CONTENT), expires_s=60)
    tag = clients.request("PUT", signed.url, headers=dict(signed.headers), content=CONTENT).headers["ETag"]
    faults = store.server.faults
    for after, permission in [(0, "s3:ListMultipartUploadParts"), (1, "s3:PutObject")]:
        faults.answers, faults.after = (403, XML, s3_error("AccessDenied")), after
        assert permission in message_of(lambda: store.backend.complete_parts(key, upload_id, [(1, tag)]))
    faults.mend()
    store.backend.complete_parts(key, upload_id, [(1, tag)])
    assert b"".join(store.backend.read(key)) == CONTENT


def test_a_download_that_breaks_off_is_no_whole_one(store: Store):
    """ART-7: also where the bucket has announced more than it sends."""
    key = store.put(CONTENT)
    store.server.faults.keeps_bytes = 1000
    assert message_of(lambda: list(store.backend.read(key)))
    store.server.faults.mend()
    assert b"".join(store.backend.read(key)) == CONTENT


def test_a_bucket_that_is_gone_is_told_and_asked_again(store: Store):
    key, backend = store.put(CONTENT), store.other(timeouts=QUICK)
    store.server.faults.is_down = True
    for ask in (
        lambda: list(backend.read(key)),
        lambda: backend.put(new_key(), store.file(b""), md5=md5(b"")),
    ):
        said = message_of(ask)
        assert "does not answer" in said or "closed the connection" in said
    store.server.faults.mend()
    assert b"".join(store.backend.read(key)) == CONTENT


def test_a_silent_bucket_is_waited_for_only_so_long(store: Store):
    """A request ends after some tries of the time that one may take (`Timeouts`)."""
    key, backend = store.put(CONTENT), store.other(timeouts=QUICK)
    store.server.faults.is_silent = True
    assert "does not answer" in message_of(lambda: list(backend.read(key)))
    store.server.faults.mend()
    assert b"".join(store.backend.read(key)) == CONTENT


@only("store", ["seaweedfs", "azurite"], indirect=True)
@only("minutes", [-10, 10])
def test_a_clock_that_is_ten_minutes_off_does_no_harm(store: Store, minutes: int):
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=minutes)):
        check(store.backend, is_operators=True)


@only("store", ["seaweedfs"], indirect=True)
@only("minutes", [-30, 30])
def test_a_clock_that_is_half_an_hour_off_is_named(store: Store, minutes: int):
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=minutes)):
        said = message_of(lambda: check(store.backend, is_operators=True))
    assert "the clock of this server is wrong" in said


class TestOwnNetwork:
    """TEAM-40: what a team's admin writes leads the server nowhere but to the public network."""

    def test_is_not_asked(self, store: Store):
        # its own proxy: requests abandoned by earlier tests may arrive late
        with faulty(store.server.behind) as faults:
            url = store.bucket.url.replace(quote_plus(store.server.faults.url), quote_plus(faults.url))
            backend = build_backend(url, store.bucket.credentials, timeouts=QUICK)
            requests = requests_of(store, backend)
            for name in ("put", "read"):
                assert "127.0.0.1 is not on the public network" in message_of(requests[name]), name
            assert "not on the public network" in message_of(lambda: check(backend))
        assert url != store.bucket.url
        assert faults.asked == []

    def test_is_asked_where_the_operator_allows_it(self, store: Store, settings: Any):
        settings.ALLOWED_NETWORKS = ["127.0.0.0/8"]
        check(build_backend(store.bucket.url, store.bucket.credentials, timeouts=TIMEOUTS))

    @only("store", ["moto", "gcs"], indirect=True)
    def test_is_not_asked_after_a_redirect(self, store: Store, settings: Any):
        """To the metadata of a cloud, from a server that may be asked."""
        settings.ALLOWED_NETWORKS = ["127.0.0.1/32"]
        backend = build_backend(store.bucket.url, store.bucket.credentials, timeouts=QUICK)
        store.server.faults.redirects_to = "http://169.254.169.254/latest/meta-data"
        assert message_of(lambda: list(backend.read(new_key())))


class TestAddresses:
    S3_KEYS = {"access_key": ACCESS_KEY, "secret_key": SECRET_KEY}

    @only(
        ("url", "message"),
        [
            ("ftp://bucket", "begins with s3://"),
            ("bucket", "begins with s3://"),
            ("s3://[bucket", "not the address"),
            ("s3://key:secret@bucket?region=eu-west-1", "has no user"),
            ("s3://bucket:9000?region=eu-west-1", "port"),
            ("s3://bucket", "needs its region"),
            ("s3://bucket?region=a.evil.example/", "isn’t a valid region"),
            ("s3://Bucket?region=eu-west-1", "isn’t a valid bucket name"),
            ("s3://..?region=eu-west-1", "isn’t a valid bucket name"),
            ("s3://bucket/a/../b?region=eu-west-1", "prefix"),
            ("s3://bucket/a//b?region=eu-west-1", "prefix"),
            ("s3://bucket/objects?region=eu-west-1", "prefix"),
            ("s3://bucket/%2e%2e?region=eu-west-1", "prefix"),
            ("s3://bucket?region=eu-west-1&sytle=path", "no option “sytle”"),
            ("s3://bucket?region=eu-west-1&style=curly", "style"),
            ("s3://bucket?endpoint=file:///etc/passwd", "web address"),
            ("s3://bucket?endpoint=http://mail.example:25", "web address"),
        ],
    )
    def test_a_wrong_one_is_refused_with_its_reason(self, url: str, message: str):
        """TEAM-40."""
        with pytest.raises(Invalid, match=message):
            build_backend(url, self.S3_KEYS)

    @only(
        ("url", "credentials", "message"),
        [
            ("s3://bucket?region=eu-west-1", {}, "needs credentials"),
            ("s3://bucket?region=eu-west-1", {"access_key": "a"}, "both parts"),
            ("s3://bucket?region=eu-west-1", {"password": "a"}, "no “password”"),
            ("gs://bucket", {}, "needs credentials"),
            ("gs://bucket", {"service_account": "{}"}, "JSON service account key"),
            ("gs://bucket", {"service_account": "[1]"}, "JSON service account key"),
            ("gs://bucket", {"service_account": '{"type": "external_account", "client_email": "", "private_key": ""}'},
             "Only service account keys"),
            ("gs://bucket", {"service_account": '{"type": "service_account", "client_email": "", "private_key": "x"}'},
             "private key"),
            ("az://account", {"account_key": "a2V5"}, "valid container name"),
            ("az://acc.ount/container", {"account_key": "a2V5"}, "valid storage account name"),
            ("az://account/container", {"account_key": "no base64!"}, "Base64"),
            ("az://account/container", {"account_key": "a2V5", "signature": "sig=1"}, "needs one of"),
            ("az://account/container", {"connection_string": "AccountName=other;AccountKey=a2V5"}, "another account"),
            ("az://account/container", {"connection_string": "AccountName=account"}, "neither"),
            ("az://account/container", {"connection_string": "AccountKey=a2V5;BlobEndpoint=gopher://x"}, "web address"),
        ],
    )  # fmt: skip
    def test_wrong_credentials_are_refused_without_being_repeated(
        self, url: str, credentials: dict[str, str], message: str
    ):
        """TEAM-40: nobody but the operator may use those of the machine, either."""
        with pytest.raises(DomainError, match=message) as caught:
            build_backend(url, credentials)
        assert not [
            value for value in credentials.values() if len(value) > 3 and value in caught.value.message
        ]

    def test_a_key_of_google_leads_to_no_server_that_its_writer_names(self, store_of: Callable[[str], Store]):
        """Its ``token_uri`` does (SSRF)."""
        assert "127.0.0.1:9" in service_account()
        check(store_of("gcs").backend, is_operators=True)

    @only(
        ("url", "start"),
        [
            ("s3://bucket/a?region=eu-west-1", "https://bucket.s3.eu-west-1.amazonaws.com/a/objects/k?"),
            ("s3://my.bucket?region=eu-west-1", "https://s3.eu-west-1.amazonaws.com/my.bucket/objects/k?"),
            ("s3://bucket?endpoint=https://s3.example", "https://s3.example/bucket/objects/k?"),
            ("s3://bucket?endpoint=https://s3.example&style=virtual", "https://bucket.s3.example/objects/k?"),
        ],
    )
    def test_urls_lead_to_the_bucket(self, url: str, start: str):
        backend = build_backend(url, self.S3_KEYS)
        signed = backend.download_url("k", name="a", content_type="a/b", inline=True, expires_s=60)
        assert signed.startswith(start)
        assert SECRET_KEY not in signed + repr(vars(backend))

    def test_azure_and_google_urls_lead_to_theirs(self):
        azure = build_backend("az://account/container/a", {"connection_string": "AccountKey=a2V5"})
        google = build_backend("gs://bucket", {"service_account": service_account()})
        named: dict[str, Any] = {"name": "a", "content_type": "a/b", "inline": True, "expires_s": 60}
        assert azure.download_url("k", **named).startswith(
            "https://account.blob.core.windows.net/container/a/objects/k?"
        )
        assert google.download_url("k", **named).startswith(
            "https://storage.googleapis.com/bucket/objects/k?"
        )


class TestCredentialsOfTheMachine:
    """They are an operator's only."""

    URL = "s3://bucket?region=eu-west-1"

    def test_a_profile_that_is_not_there_is_told(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("AWS_PROFILE", "nobody")
        s3._session.cache_clear()
        with pytest.raises(StorageUnavailable, match="AWS_PROFILE"):
            build_backend(self.URL, {}, is_operators=True)

    def test_that_there_are_none_is_told(self, monkeypatch: pytest.MonkeyPatch):
        for name in ("AWS_ACCESS_KEY_ID", "AWS_PROFILE"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
        s3._session.cache_clear()
        backend = build_backend(self.URL, {}, is_operators=True)
        assert "there are no credentials" in message_of(lambda: list(backend.read("k")))


def test_libraries_of_providers_are_imported_only_with_a_bucket_of_theirs():
    """Each takes half a second and 30 to 45 MB, which an installation without buckets would pay at every start."""
    code = (
        "import sys, storage.backends.settings, storage.backends.check; "
        "print(*({'boto3', 'botocore', 'azure.storage', 'google.cloud'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_the_data_folder_that_cannot_be_used_is_told(
    store_of: Callable[[str], Store], settings: Any, tmp_path
):
    store = store_of("local")
    (tmp_path / "file").write_text("")
    settings.BLOB_ROOT = tmp_path / "file"
    assert "The data folder cannot be used" in message_of(
        lambda: store.backend.put(new_key(), store.file(CONTENT), md5=md5(CONTENT))
    )
