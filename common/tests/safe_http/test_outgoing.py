"""Requests to addresses that people wrote reach the public network only, and end."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from http.server import ThreadingHTTPServer
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from common.markdown import picture_url
from common.safe_http import client as outgoing
from common.safe_http.client import OutgoingError, fetch
from tests.fakes.serving import FakeHandler, serving

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
Answer = tuple[int, dict[str, str], bytes]


class Handler(FakeHandler):
    """Answers what the test put into ``answers``; notes what it was asked."""

    answers: dict[str, Answer]
    asked: list[dict[str, str]]

    def do_GET(self) -> None:
        self.asked.append(
            {"path": self.path, **{name.lower(): value for name, value in self.headers.items()}}
        )
        status, headers, body = self.answers.get(self.path, (404, {}, b""))
        self.answer(status, body, headers)


@pytest.fixture
def host(settings: Any) -> Iterator[ThreadingHTTPServer]:
    """A host of the own network that the operator has named."""
    settings.PICTURE_HOSTS = frozenset({"127.0.0.1"})
    cache.clear()
    handler = type("OneHandler", (Handler,), {"answers": {}, "asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    with serving(server):
        yield server


def url_of(host: ThreadingHTTPServer, path: str) -> str:
    return f"http://127.0.0.1:{host.server_port}{path}"


def answers(host: ThreadingHTTPServer) -> Any:
    return host.RequestHandlerClass


def get(url: str) -> Any:
    return fetch(url, max_bytes=1000, accept="image/png")


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/", "http://localhost/", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://0.0.0.0/",
        "http://10.0.0.1/", "http://192.168.1.1/", "http://172.16.0.9/", "http://169.254.169.254/latest/meta-data/",
        "http://100.64.0.1/", "http://[fd00::1]/", "http://[fe80::1]/", "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/", "http://2130706433/", "http://0x7f.1/", "http://224.0.0.1/",
    ],
)  # fmt: skip
def test_the_own_network_is_never_asked(url: str):
    with pytest.raises(OutgoingError, match="not on the public network"):
        get(url)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd", "ftp://a.example/", "http://", "http://user:secret@a.example/", "http://a.example:99999/",
        "http://a.example/\r\nHost: b", "gopher://127.0.0.1:6379/_FLUSHALL", "", "http://[broken/",
        "http://" + "a" * 300,
    ],
)  # fmt: skip
def test_what_is_no_address_of_the_web_is_refused(url: str):
    with pytest.raises(OutgoingError):
        get(url)


def test_a_picture_is_fetched_and_the_host_hears_nothing_of_the_reader(host: ThreadingHTTPServer):
    answers(host).answers["/x?y=1"] = (200, {"Content-Type": "image/png"}, b"content")
    got = get(url_of(host, "/x?y=1"))
    assert (got.content, got.content_type) == (b"content", "image/png")
    assert not {"cookie", "referer", "x-forwarded-for"} & set(answers(host).asked[0])


def test_redirects_are_followed_a_few_times_and_checked_each_time(host: ThreadingHTTPServer):
    answers(host).answers |= {
        "/a": (302, {"Location": "/b"}, b""),
        "/b": (200, {"Content-Type": "image/png"}, b"content"),
        "/loop": (302, {"Location": "/loop"}, b""),
        "/inside": (302, {"Location": "http://localhost/"}, b""),
    }
    assert get(url_of(host, "/a")).content == b"content"
    with pytest.raises(OutgoingError, match="too many redirects"):
        get(url_of(host, "/loop"))
    with pytest.raises(OutgoingError, match="not on the public network"):
        get(url_of(host, "/inside"))


def test_more_than_is_wanted_is_not_read(host: ThreadingHTTPServer):
    answers(host).answers["/big"] = (200, {}, b"x" * 1001)
    with pytest.raises(OutgoingError, match="larger than 1000 bytes"):
        get(url_of(host, "/big"))


def test_a_host_that_sends_a_byte_now_and_then_is_left(settings: Any, monkeypatch: pytest.MonkeyPatch):
    settings.PICTURE_HOSTS = frozenset({"127.0.0.1"})
    monkeypatch.setattr(outgoing, "WHOLE_S", 0.5)
    over = threading.Event()

    def drip(listener: socket.socket) -> None:
        peer, _ = listener.accept()
        with closing(peer):
            peer.sendall(b"HTTP/1.1 200 OK\r\n")
            while not over.wait(0.1):
                try:
                    peer.sendall(b"X-More: 1\r\n")
                except OSError:
                    return

    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        threading.Thread(target=drip, args=[listener], daemon=True).start()
        with pytest.raises(OutgoingError):
            get(f"http://127.0.0.1:{listener.getsockname()[1]}/")
        over.set()


@pytest.fixture
def shown(host: ThreadingHTTPServer, client: Client) -> Callable[..., Any]:
    """Show a picture that the host sends, by the address that a page has for it."""

    def show(body: bytes, content_type: str) -> Any:
        answers(host).answers["/pic"] = (200, {"Content-Type": content_type}, body)
        return client.get(picture_url(url_of(host, "/pic")), headers={"Accept": "image/*"})

    return show


@pytest.mark.django_db
class TestShownPictures:
    """ACC-4: pictures of other hosts come by this server."""

    def test_svg_is_shown_where_nothing_in_it_can_run(self, shown: Callable[..., Any]):
        answer = shown(SVG, "image/svg+xml; charset=utf-8")
        assert answer["Content-Type"] == "image/svg+xml"
        assert answer["Content-Security-Policy"] == "sandbox; default-src 'none'; style-src 'unsafe-inline'"
        assert answer["X-Content-Type-Options"] == "nosniff"

    def test_a_raster_picture_is_told_by_its_content(self, shown: Callable[..., Any]):
        from accounts.tests.profile.test_pictures import encoded, halves

        assert shown(encoded(halves(), "GIF"), "text/html")["Content-Type"] == "image/gif"

    @pytest.mark.parametrize(
        ("body", "content_type"),
        [(b"<html><script>alert(1)</script>", "image/png"), (SVG, "text/html"), (b"%PDF-1.7", "image/png")],
    )
    def test_what_is_no_picture_is_not_shown(self, shown: Callable[..., Any], body: bytes, content_type: str):
        assert shown(body, content_type).status_code == 404

    def test_it_is_asked_for_once_an_hour(self, shown: Callable[..., Any], host: ThreadingHTTPServer):
        for _ in range(3):
            assert shown(SVG, "image/svg+xml").status_code == 200
        assert len(answers(host).asked) == 1

    def test_strangers_cannot_have_other_pictures_fetched(self, client: Client, host: ThreadingHTTPServer):
        path = "/pictures/external"
        for given in ({}, {"url": url_of(host, "/x")}, {"url": url_of(host, "/x"), "signature": "wrong"}):
            assert client.get(path, given, headers={"Accept": "image/*"}).status_code == 404
        assert answers(host).asked == []

    def test_the_editor_shows_what_nobody_signed_yet(self, client: Client, host: ThreadingHTTPServer):
        from tests.factories import UserFactory

        answers(host).answers["/x"] = (200, {"Content-Type": "image/svg+xml"}, SVG)
        given = {"url": url_of(host, "/x")}
        client.force_login(UserFactory())
        assert client.get("/pictures/external", given, headers={"Accept": "image/*"}).status_code == 404
        inside = {"Accept": "image/*", "Sec-Fetch-Site": "same-origin"}
        assert client.get("/pictures/external", given, headers=inside).status_code == 200
