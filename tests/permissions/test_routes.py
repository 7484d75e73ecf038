"""Every route of every interface declares what it needs, and one that does not is refused (TEAM-25)."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from access.actions import UnknownActionError, all_actions, spec_of
from access.routes import Open, declaration_of, declare
from accounts.lifecycle.names import RESERVED
from accounts.sign_in.reauthentication import MARK
from config.asgi import LEAN_PREFIXES
from config.sockets import urlpatterns as socket_routes
from runs.models import Run
from tests.matrix import acts, rest
from tests.matrix.asking import lean_endpoints, url_patterns
from wandb_api.graphql.bindings import roots
from wandb_api.schema import schema


def _undeclared(views: dict[str, Callable[..., Any]]) -> list[str]:
    return [name for name, view in views.items() if declaration_of(view) is None]


def test_every_url_pattern_declares_its_access():
    assert not _undeclared({pattern: view for _name, pattern, view in url_patterns()})


def test_every_socket_declares_its_access():
    assert not _undeclared({str(route.pattern): route.callback.consumer_class for route in socket_routes})


def test_every_lean_endpoint_declares_its_access():
    assert not _undeclared(lean_endpoints())


def test_every_graphql_root_field_declares_its_access():
    schema()
    assert roots
    assert not _undeclared(roots)


def test_every_rest_action_names_a_known_action():
    for _name, _pattern, view in url_patterns():
        if hasattr(view, "cls"):
            assert set(view.actions.values()) == set(view.cls.object_actions) & set(view.actions.values())
            for action in view.cls.object_actions.values():
                spec_of(action)


def _methods(view: Any) -> set[str]:
    """Return what `require_http_methods` lets pass, wherever among a view's decorators it stands."""
    while view is not None:
        names = getattr(getattr(view, "__code__", None), "co_freevars", ())
        for name, cell in zip(names, getattr(view, "__closure__", None) or (), strict=True):
            if name == "request_method_list":
                return set(cell.cell_contents)
        view = getattr(view, "__wrapped__", None)
    return set()


def test_what_pages_do_programs_do_as_well():
    """Issue 7: each page that takes a POST has an endpoint, or a reason why there is none."""
    views = [
        (name, view) for name, pattern, view in url_patterns() if not pattern.startswith(("/admin", "/api"))
    ]
    posted = {name for name, view in views if "POST" in _methods(view)}
    assert len(posted) > 100
    assert posted == acts.BY_REST.keys() | acts.NOT_BY_REST.keys()
    assert set(acts.BY_REST.values()) <= rest.ROUTES.keys()


CLOSES_ONE = {"teams:privacy_close", "teams:organization_privacy_close"}
"""These close all public projects at once, and their endpoint changes one."""


def _asks_who_is_there(view: Any) -> bool:
    while view is not None:
        if getattr(view, MARK, False):
            return True
        view = getattr(view, "__wrapped__", None)
    return False


def test_what_pages_ask_who_is_there_for_a_browser_left_open_cannot_do_by_rest():
    """ACC-9: else the API would be the way around the question."""
    fresh = {
        f"{view.cls.__name__}.{action}"
        for _name, _pattern, view in url_patterns()
        if hasattr(view, "cls")
        for action in getattr(view.cls, "fresh_actions", ())
    }
    asked = {name for name, _pattern, view in url_patterns() if _asks_who_is_there(view)} - CLOSES_ONE
    dangerous = {acts.BY_REST[name] for name in asked & acts.BY_REST.keys()}
    assert len(dangerous) > 15
    assert dangerous - fresh == set()
    assert fresh <= rest.ROUTES.keys()


def test_first_segments_of_routes_are_reserved_names():
    """A user named like a route would hide it, or be hidden."""
    first = {pattern.lstrip("/").partition("/")[0] for _name, pattern, _view in url_patterns()}
    first |= {str(route.pattern).partition("/")[0] for route in socket_routes}
    first |= {prefix.strip("/").partition("/")[0] for prefix in (*LEAN_PREFIXES, "/files/")}
    assert {segment.lower() for segment in first if re.fullmatch(r"[\w.-]+", segment)} - RESERVED == set()


def _page(request: HttpRequest) -> HttpResponse:
    return HttpResponse("seen")


class _Numbers(ViewSet):
    object_actions = {"list": "run.view"}

    def list(self, request: Request) -> Response:
        return Response([])

    def create(self, request: Request) -> Response:
        return Response([])


@declare("no.such.action")
def _misspelt(request: HttpRequest) -> HttpResponse:
    return HttpResponse("seen")


urlpatterns = [
    path("undeclared", _page),
    path("declared", declare(Open.ANYONE)(lambda request: HttpResponse("seen"))),
    path("misspelt", _misspelt),
    path("numbers", declare("run.view")(_Numbers).as_view({"get": "list", "post": "create"})),
]


@pytest.mark.django_db
@pytest.mark.urls("tests.permissions.test_routes")
class TestOwnRoutes:
    def test_an_undeclared_view_answers_405(self, client: Client):
        assert client.get("/undeclared").status_code == 405

    def test_a_declared_view_runs(self, client: Client):
        assert client.get("/declared").content == b"seen"

    def test_a_declaration_that_no_app_registered_is_an_error(self, client: Client):
        with pytest.raises(UnknownActionError):
            client.get("/misspelt")

    def test_a_rest_method_without_an_action_answers_405(self, client: Client):
        assert client.get("/numbers").status_code == 200
        assert client.post("/numbers").status_code == 405


def test_every_action_has_a_label_and_a_model():
    for name, spec in all_actions():
        assert spec.label, name
        assert spec.on, name


def test_an_action_on_another_model_is_an_error():
    with pytest.raises(UnknownActionError):
        spec_of("team.view", Run._meta.label)
