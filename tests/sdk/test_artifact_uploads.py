"""Uploads of artifacts as no SDK makes them: cut off, of other bytes, of what others hold (ART-2, ART-3, ART-7)."""

import json
from urllib.parse import urlsplit

import pytest

from tests import clients
from tests.installation import Installation
from tests.sdk.drafts import Draft, begin, manifest_of, md5, of, read
from tests.sdk.people import Person
from tests.sdk.raw import exchange, head, statuses

pytestmark = pytest.mark.sdk


@pytest.fixture
def draft(ada: Person, request: pytest.FixtureRequest) -> Draft:
    return begin(ada, "uploads", request.node.name.removeprefix("test_"))


def test_other_bytes_than_the_digest_s_are_refused_and_the_right_ones_still_go_up(
    ada: Person, draft: Draft, request: pytest.FixtureRequest
) -> None:
    url = draft.url("a.txt", md5(b"right"))
    assert url is not None
    wrong = clients.request("PUT", url, content=b"wrong")
    assert 400 <= wrong.status_code < 500
    draft.describe({"a.txt": of(b"right")})
    assert "a.txt" in draft.refusal()
    clients.request("PUT", url, content=b"right").raise_for_status()
    assert draft.commit()["versionIndex"] == 0
    name = request.node.name.removeprefix("test_")
    assert read(ada, "uploads", f"{name}:v0") == {"a.txt": b"right"}


def test_an_upload_that_was_cut_off_goes_up_again(
    server: Installation, ada: Person, draft: Draft, request: pytest.FixtureRequest
) -> None:
    content = bytes(range(256)) * 4_000
    url = draft.url("a.bin", md5(content))
    assert url is not None
    path = urlsplit(url).path
    request_head = head(ada, path, f"Content-Length: {len(content)}", method="PUT")
    answered = statuses(exchange(server, request_head, content[: len(content) // 2], cut=True))
    assert 200 not in answered
    draft.describe({"a.bin": of(content)})
    assert "a.bin" in draft.refusal()
    again = draft.url("a.bin", md5(content))
    assert again is not None
    clients.request("PUT", again, content=content).raise_for_status()
    draft.commit()
    name = request.node.name.removeprefix("test_")
    assert read(ada, "uploads", f"{name}:latest") == {"a.bin": content}


def test_what_the_project_holds_is_not_asked_for_again(ada: Person) -> None:
    first, second = (begin(ada, "uploads", "held", digest) for digest in "12")
    url = first.url("a.txt", md5(b"held once"))
    assert url is not None
    clients.request("PUT", url, content=b"held once").raise_for_status()
    first.describe({"a.txt": of(b"held once")})
    first.commit()
    assert second.url("b.txt", md5(b"held once")) is None
    second.describe({"b.txt": of(b"held once")})
    assert second.commit()["versionIndex"] == 1
    assert read(ada, "uploads", "held:v1") == {"b.txt": b"held once"}


def test_knowing_a_digest_gives_nobody_the_bytes(ada: Person, bob: Person) -> None:
    hers, his = begin(ada, "uploads", "secret"), begin(bob, "uploads-of-bob", "stolen")
    url = hers.url("a.txt", md5(b"hers alone"))
    assert url is not None
    clients.request("PUT", url, content=b"hers alone").raise_for_status()
    hers.describe({"a.txt": of(b"hers alone")})
    hers.commit()
    assert his.url("a.txt", md5(b"hers alone")) is not None
    his.describe({"a.txt": of(b"hers alone")})
    assert "a.txt" in his.refusal()


def test_an_upload_url_overwrites_nothing_that_is_committed(ada: Person, draft: Draft) -> None:
    url = draft.url("a.txt", md5(b"kept"))
    assert url is not None
    clients.request("PUT", url, content=b"kept").raise_for_status()
    draft.describe({"a.txt": of(b"kept")})
    draft.commit()
    clients.request("PUT", url, content=b"evil")
    name = "an_upload_url_overwrites_nothing_that_is_committed"
    assert read(ada, "uploads", f"{name}:latest") == {"a.txt": b"kept"}


@pytest.mark.parametrize("name", ["../up.txt", "/etc/passwd", "a/../../b", "nul\0.txt"])
def test_a_manifest_cannot_leave_its_folder(ada: Person, name: str) -> None:
    draft = begin(ada, "uploads", "climbing", name)
    body = {"version": 1, "contents": {name: {"digest": md5(b"x"), "size": 1, "birthArtifactID": draft.id}}}
    given = manifest_of(ada.wire, "uploads", draft.id, upload=True)
    sent = clients.request("PUT", given["file"]["uploadUrl"], content=json.dumps(body))
    if sent.status_code < 400:
        assert draft.refusal()
    assert sent.status_code < 500
