"""What docs/threat-model.md promises of every route, walked over all of them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.http import HttpResponseBase
from django.test import Client, override_settings

from accounts.models import User
from tests.factories import PASSWORD, UserFactory
from tests.matrix import asking, web
from tests.matrix.cases import NOTHING, Over
from tests.matrix.world import World, build

pytestmark = pytest.mark.django_db

EVIL = "https://evil.example/phish"
FRAMED = {"metrics:vega_frame", "metrics:viewer_frame", "metrics:media_frame", "accounts:outbox_body"}
"""Pages that stand in frames of ours, without an origin: what is in them may style itself."""
WITHOUT_TOKEN = {
    "graphql",
    "teams:scim",
    "api-nothing",
    "alerts:unsubscribe",
    "billing:stripe_webhook",
    "weave-nothing",
}
"""What knows no sessions: keys say who asks, and of a mail's link (RFC 8058) and of Stripe's events their signature."""
"""GraphQL asks for CSRF itself where a session is used, SCIM looks at no session, and one does nothing at all."""


FOR_NOTEBOOKS = {
    "metrics:workspace", "metrics:run_workspace", "metrics:run_system", "sweeps:sweep", "wandb:projects"
}  # fmt: skip
"""Pages that sites of RUNYARD_FRAME_ANCESTORS may frame, at addresses with ``?jupyter=true``."""


def _pages(world: World) -> Iterator[tuple[str, Client, str]]:
    """Yield the route and path of every page, and the client of a user who may open most of them."""
    for route, cases in web.ROUTES.items():
        case = next((case for case in cases if case.method == "GET"), None)
        if case is None or route == "account_logout":
            continue
        thing = next(
            thing for thing in world.things[case.over] if not case.without & {thing.visibility, thing.place}
        )
        client = world.clients["operator" if case.over is Over.NOTHING else "chief"]
        yield route, client, asking.page_path(route, case, thing)


def _check(route: str, answer: HttpResponseBase) -> None:
    headers = answer.headers
    policy = headers["Content-Security-Policy"]
    assert "unsafe-eval" not in policy, route
    if route in FRAMED and answer.status_code == 200:
        assert "sandbox" in policy or "default-src 'none'" in policy, route
        assert "frame-ancestors 'self'" in policy or headers["X-Frame-Options"] == "SAMEORIGIN", route
    else:
        assert "unsafe-inline" not in policy, route
        assert "frame-ancestors 'none'" in policy, route
        assert headers["X-Frame-Options"] == "DENY", route
    assert headers["X-Content-Type-Options"] == "nosniff", route
    assert headers["Referrer-Policy"] == "same-origin", route
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin", route
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin", route
    assert "camera=()" in headers["Permissions-Policy"], route
    html = headers.get("Content-Type", "").startswith("text/html") and answer.status_code == 200
    if html and route not in FRAMED:
        assert "no-store" in headers["Cache-Control"], route


def test_every_page_says_what_browsers_may_do_with_it(settings):
    """UI-5, ACC-20: no inline scripts, no frames, no guessing of types, no caches, for every route there is.

    Other sites may frame pages made for notebooks and our frames inside them, since browsers check every ancestor, but
    nothing else, whatever its address says.
    """
    checked, named = 0, set()
    for route, client, path in _pages(build()):
        settings.FRAME_ANCESTORS = ["https://notebook.example"]
        answer = client.get(f"{path}?jupyter=true", headers=asking.HTML)
        if "notebook.example" in answer.headers["Content-Security-Policy"]:
            named.add(route)
            settings.FRAME_ANCESTORS = []
            answer = client.get(path, headers=asking.HTML)
        _check(route, answer)
        checked += 1
    assert checked > 120
    assert named - FRAMED == FOR_NOTEBOOKS
    assert {"metrics:vega_frame", "metrics:viewer_frame"} <= named


def test_https_makes_cookies_and_transport_strict():
    """ACC-20: with an https address, cookies travel encrypted only and browsers stay with https."""
    code = (
        "from config.settings import prod as s;"
        "print(s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.LANGUAGE_COOKIE_SECURE, s.SECURE_SSL_REDIRECT,"
        " s.SECURE_HSTS_SECONDS >= 31536000, s.SESSION_COOKIE_HTTPONLY, s.SESSION_COOKIE_SAMESITE)"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "RUNYARD_URL": "https://runs.example"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert told.stdout.split() == [*["True"] * 6, "Lax"]


class TestCsrf:
    def test_every_route_of_sessions_asks_for_a_token(self):
        """A page of another site cannot act for who is signed in here."""
        exempt = set()
        for name, pattern, view in asking.url_patterns():
            if getattr(view, "csrf_exempt", False) and not hasattr(view, "cls"):
                exempt.add(name or pattern)
        assert exempt == WITHOUT_TOKEN

    def test_posts_without_a_token_change_nothing(self):
        client = Client(enforce_csrf_checks=True)
        client.force_login(UserFactory(username="ada"))
        asked = 0
        for name, cases in web.ROUTES.items():
            if name in WITHOUT_TOKEN or not any(
                case.method == "POST" and case.over is Over.NOTHING for case in cases
            ):
                continue
            case = next(case for case in cases if case.method == "POST")
            path = asking.page_path(name, case, NOTHING)
            assert client.post(path).status_code == 403, name
            asked += 1
        assert asked >= 8

    def test_rest_asks_sessions_for_a_token(self):
        """DRF's views are exempt from Django's check and make their own."""
        client = Client(enforce_csrf_checks=True)
        client.force_login(UserFactory())
        asked = 0
        for _name, pattern, view in asking.url_patterns():
            if not hasattr(view, "cls") or "post" not in view.actions:
                continue
            path = pattern.replace("/?$", "/").replace("^", "").replace("(?P<pk>[^/.]+)", "1")
            answer = client.post(
                path, "{}", content_type="application/json", headers={"Accept": "application/json"}
            )
            assert answer.status_code in {403, 404, 401}, path
            asked += 1
        assert asked >= 2

    def test_graphql_asks_sessions_for_a_token(self):
        client = Client(enforce_csrf_checks=True)
        client.force_login(UserFactory())
        answer = client.post("/graphql", '{"query": "{ viewer { id } }"}', content_type="application/json")
        assert answer.status_code in {401, 403}


class TestSignIn:
    @pytest.fixture
    def ada(self) -> User:
        return UserFactory(username="ada")

    @pytest.mark.parametrize("target", [EVIL, "//evil.example", "/\\evil.example", "javascript:alert(1)"])
    @pytest.mark.parametrize("path", ["/accounts/login/", "/login", "/admin/login/"])
    def test_leads_to_no_other_site(self, ada: User, path: str, target: str):
        """ACC-20: `next` is a page of ours."""
        client = Client()
        page = client.get(path, {"next": target}, follow=True)
        login = page.request["PATH_INFO"] + "?" + page.request["QUERY_STRING"]
        answer = client.post(login, {"login": "ada", "password": PASSWORD, "next": target})
        assert answer.status_code == 302
        assert answer["Location"].startswith("/")
        assert not answer["Location"].startswith(("//", "/\\"))

    def test_begins_a_new_session(self, ada: User):
        """Whoever planted a session before does not share it afterwards."""
        client = Client()
        client.get("/accounts/login/")
        session = client.session
        session["planted"] = "yes"
        session.save()
        client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key or ""
        client.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
        assert client.session.session_key != session.session_key

    def test_works_as_hard_for_who_is_not_there(self, ada: User):
        """ACC-22: the time of an answer does not say whether an account exists."""
        with override_settings(PASSWORD_HASHERS=["tests.permissions.test_security.CountingHasher"]):
            counts = []
            for login in ("ada", "nobody", "ada@example.com", "nobody@example.com"):
                CountingHasher.calls = 0
                Client().post("/accounts/login/", {"login": login, "password": "wrong password"})
                counts.append(CountingHasher.calls)
        assert min(counts) >= 1, counts

    def test_a_host_of_somebody_else_is_refused(self):
        """Links in mails are made of the host that was asked for."""
        with override_settings(ALLOWED_HOSTS=["runs.example"]):
            assert Client().get("/accounts/login/", headers={"Host": "runs.example"}).status_code == 200
            assert Client().get("/accounts/login/", headers={"Host": "evil.example"}).status_code == 400


class CountingHasher(PBKDF2PasswordHasher):
    """Counts how often it works."""

    iterations = 1
    calls = 0

    def encode(self, password: str, salt: Any, iterations: int | None = None) -> str:
        """Count, then work."""
        CountingHasher.calls += 1
        return super().encode(password, salt, iterations)
