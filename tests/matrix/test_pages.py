"""TEAM-25: every web page and socket, by everybody, over everything, answers as the specification says."""

import pytest
from django.urls import reverse

from common.tasks import write_heartbeat
from config.sockets import urlpatterns as socket_routes
from tests.matrix import asking, sockets, web
from tests.matrix.cases import Answer, Over, expected
from tests.matrix.cells import Asked, Check, cells_of, compare, rows, telling
from tests.matrix.world import WEB_ACTORS, World, web_actors
from tests.suite.passes import share


def _pages() -> set[str]:
    pages = set()
    for name, pattern, view in asking.url_patterns():
        if not hasattr(view, "cls") and not name.startswith("admin:"):
            pages.add(name or pattern)
    return pages


def _admin() -> list[tuple[str, str]]:
    return [(name, pattern) for name, pattern, _view in asking.url_patterns() if name.startswith("admin:")]


def test_every_web_page_has_a_row():
    assert _pages() == set(web.ROUTES) | set(web.ASKED_ELSEWHERE)


def test_every_admin_page_has_a_row():
    kinds = ("changelist", "add", "history", "delete", "change")
    of_models = {f"admin:{model}_{kind}" for model in web.ADMIN_MODELS for kind in kinds}
    acts = {f"admin:{model}_act" for model in web.ADMIN_ACTS}
    assert {name for name, _ in _admin()} == of_models | acts | web.ADMIN_PAGES


def test_every_socket_has_a_row():
    assert {str(route.pattern) for route in socket_routes} == set(sockets.ROUTES)


@pytest.mark.parametrize("route", rows(web.ROUTES))
def test_web(route: str, world: World, checked: Check):
    write_heartbeat()  # /ready wants a worker that was there just now
    cells, asked = [], Asked(set)
    for case, thing in cells_of(world, web.ROUTES[route]):
        path = asking.page_path(route, case, thing)
        actors = web_actors(case)
        wants = [asking.web_answer(expected(case, actor, "full", thing), case, actor) for actor in actors]
        for actor, want in telling(zip(actors, wants, strict=True), asked[id(case)], thing):
            got = asking.ask_page(world.clients[actor], path, case.method)
            cells.append((f"{actor} {case.method} {path} ({thing.label})", got, want))
    compare(checked, cells)


def test_admin(world: World, checked: Check):
    cells, nothing = [], world.things[Over.NOTHING][0]
    for name, pattern in share("pages of the admin in the access matrix", _admin(), in_both=True):
        path = pattern if name in web.ADMIN_PAGES else ""
        for part in ("<path:content_type_id>", "<path:object_id>", "(?P<url>.*)$"):
            path = path.replace(part, "1")
        if not path:
            slug = {"slug": "none"} if name.endswith("_act") else {}
            about = {} if name.endswith(("_changelist", "_add")) else {"object_id": "1"}
            path = reverse(name, kwargs=about | slug)
        path = path.replace("^(?P<app_label>", "").partition("|")[0].removesuffix("$")
        wants = [
            Answer.LOGIN if name == "admin:login" else expected(web.ADMIN, actor, "full", nothing)
            for actor in WEB_ACTORS
        ]
        for actor, want in telling(zip(WEB_ACTORS, wants, strict=True), set(), nothing):
            if (actor, name) == ("operator", "admin:logout"):
                continue  # only by POST, which would end the session of all further cells
            got = asking.ask_page(world.clients[actor], path)
            # for operators some pages are read only; accounts/tests/operators/test_admin.py holds those that open
            any_answer = want is Answer.OK and not name.endswith(("_changelist", ":index"))
            cells.append((f"{actor} {path}", got, got if any_answer else want))
    compare(checked, cells)


@pytest.mark.parametrize("route", rows(sockets.ROUTES))
def test_sockets(route: str, world: World, checked: Check):
    cells = []
    for case, thing in cells_of(world, sockets.ROUTES[route]):
        path = route.replace("<int:pk>", str(getattr(thing.row, "pk", "")))
        for actor in WEB_ACTORS:
            got = asking.ask_socket(path, world.clients[actor])
            want = expected(case, actor, "full", thing)
            cells.append(
                (f"{actor} {path} ({thing.label})", got, Answer.HIDDEN if want is Answer.LOGIN else want)
            )
    compare(checked, cells)
