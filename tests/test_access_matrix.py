"""TEAM-25: every route of every interface, by everybody, over everything, answers as the specification says.

On a second database (`RUNYARD_TEST_MATRIX=answers`) one asks for all who expect the same answer to the same request.
Who it is changes a number in the queries and not the queries; whom these let in is told by `test_access_worlds`.

To add a route, add its row to `tests.matrix`: in ``web`` (by URL name), ``rest`` (viewset.action), ``graphql`` (root
field), ``sockets`` or ``lean``. A row is a list of `Case`: which permission of `permissions.TABLE` it needs, over what
(a project, a run, ...), and how it is asked. A permission that is new is copied from the table in TEAM-21 of the
specification, never from the code. Who is asked, and about which things, is in `world`; a route without a row fails.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from string import Template
from typing import Any, TypeVar
from urllib.parse import urlencode

import pytest
from django.core.management import call_command
from django.db import connections, transaction
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from access.actor import SYSTEM
from common.tasks import write_heartbeat
from config.sockets import urlpatterns as socket_routes
from metrics import group_commit
from runs.models import Run
from runs.services import deletion
from tests.matrix import asking, graphql, lean, rest, sockets, web
from tests.matrix.cases import Answer, Case, Over, Thing, expected
from tests.matrix.permissions import ELEVATED
from tests.matrix.world import WEB_ACTORS, World, build, keys_for, web_actors
from wandb_api.schema import roots, schema

Check = Callable[[int], None]
Asker = TypeVar("Asker")

ANSWERS_ALONE = os.environ.get("RUNYARD_TEST_MATRIX") == "answers"

BROKEN: dict[str, str] = {}
"""Routes that are known to answer wrongly, and why; mend the route, then take it out here."""


def _rows(routes: Iterable[str]) -> list[Any]:
    def marks(route: str) -> list[Any]:
        return [pytest.mark.xfail(strict=True, reason=BROKEN[route])] if route in BROKEN else []

    return [pytest.param(route, marks=marks(route)) for route in sorted(routes)]


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Take the place of pytest-django's: what is committed stays until the module ends, seen by all threads."""
    with django_db_blocker.unblock():
        yield
        call_command("flush", verbosity=0, interactive=False)
        connections.close_all()


@pytest.fixture(scope="module")
def world(db: None) -> Iterator[World]:
    """Build the world once."""
    with transaction.atomic():
        built = build()
    group_commit.start()
    yield built
    group_commit.stop()


def _wrong(cells: Sequence[tuple[str, Answer, Answer]]) -> str:
    return "\n".join(
        f"{cell}: answers {got}, expected {want}" for cell, got, want in cells if got is not want
    )


def _compare(checked: Check, cells: Sequence[tuple[str, Answer, Answer]]) -> None:
    """Fail with every cell that differs."""
    assert cells, "a row without cells checks nothing"
    checked(len(cells))
    wrong = _wrong(cells)
    assert not wrong, f"\n{wrong}"


def _cases(world: World, cases: list[Case]) -> Iterator[tuple[Case, Thing]]:
    for case in cases:
        for thing in world.things[case.over]:
            if not case.without & {thing.visibility, thing.place}:
                yield case, thing


def _one_each(askers: Iterable[tuple[Asker, Answer]]) -> Iterator[tuple[Asker, Answer]]:
    """Yield the first who expects each answer, with it."""
    first = dict[Answer, Asker]()
    for asker, answer in askers:
        first.setdefault(answer, asker)
    for answer, asker in first.items():
        yield asker, answer


def _telling(askers: Iterable[tuple[Asker, Answer]]) -> Iterator[tuple[Asker, Answer]]:
    """Yield who asks, with the answer expected: everybody, or one for each answer where these alone are asked for."""
    return _one_each(askers) if ANSWERS_ALONE else iter(askers)


@cache
def _viewsets() -> dict[str, tuple[str, set[str]]]:
    """Return ``viewset.action`` to (URL name, what its address names) of the REST API."""
    found = {}
    for name, pattern, view in asking.url_patterns():
        if hasattr(view, "cls"):
            for method, action in view.actions.items():
                if method != "head":
                    names = set(re.findall(r"\(\?P<(\w+)>", pattern))
                    found[f"{view.cls.__name__}.{action}"] = name, names
    return found


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


def test_every_rest_action_has_a_row():
    assert set(_viewsets()) == set(rest.ROUTES)


def test_every_graphql_root_field_has_a_row():
    schema()
    assert set(roots) == set(graphql.ROUTES)


def test_every_graphql_root_field_of_the_schema_is_bound():
    built = schema()
    kinds = [kind for kind in (built.query_type, built.mutation_type) if kind is not None]
    assert {f"{kind.name}.{name}" for kind in kinds for name in kind.fields} == set(roots)


def test_every_socket_has_a_row():
    assert {str(route.pattern) for route in socket_routes} == set(sockets.ROUTES)


def test_every_lean_endpoint_has_a_row():
    assert set(asking.lean_endpoints()) == set(lean.ROUTES)


@pytest.mark.parametrize("route", _rows(web.ROUTES))
def test_web(route: str, world: World, checked: Check):
    write_heartbeat()  # /ready wants a worker that was there just now
    cells = []
    for case, thing in _cases(world, web.ROUTES[route]):
        path = asking.page_path(route, case, thing)
        actors = web_actors(case)
        wants = [asking.web_answer(expected(case, actor, "full", thing), case, actor) for actor in actors]
        for actor, want in _telling(zip(actors, wants, strict=True)):
            got = asking.ask_page(world.clients[actor], path, case.method)
            cells.append((f"{actor} {case.method} {path} ({thing.label})", got, want))
    _compare(checked, cells)


def test_admin(world: World, checked: Check):
    cells = []
    for name, pattern in _admin():
        path = pattern if name in web.ADMIN_PAGES else ""
        for part in ("<path:content_type_id>", "<path:object_id>", "(?P<url>.*)$"):
            path = path.replace(part, "1")
        if not path:
            slug = {"slug": "none"} if name.endswith("_act") else {}
            about = {} if name.endswith(("_changelist", "_add")) else {"object_id": "1"}
            path = reverse(name, kwargs=about | slug)
        path = path.replace("^(?P<app_label>", "").partition("|")[0].removesuffix("$")
        for actor in WEB_ACTORS:
            if (actor, name) == ("operator", "admin:logout"):
                continue  # only by POST, which would end the session of all further cells
            got = asking.ask_page(world.clients[actor], path)
            want = expected(web.ADMIN, actor, "full", world.things[Over.NOTHING][0])
            if name == "admin:login":
                want = Answer.LOGIN
            if want is Answer.OK and not name.endswith(("_changelist", ":index")):
                want = got  # for operators some pages are read only; accounts/tests/test_admin.py holds those that open
            cells.append((f"{actor} {path}", got, want))
    _compare(checked, cells)


def _filled(case: Case, thing: Thing) -> dict[str, str]:
    """Return the query of a case with the thing's names in the place of ``$entity`` and the like."""
    names = asking.names_of(case, thing) if case.args else {}
    return {key: Template(str(value)).safe_substitute(names) for key, value in case.args.items()}


def _rest_path(action: str, case: Case, thing: Thing) -> str:
    name, wanted = _viewsets()[action]
    path = reverse(name, kwargs=rest.names_in_address(case, thing.row, wanted) if wanted else {})
    asked = {"per_page": "1000", **_filled(case, thing)} if case.method == "GET" else {}
    if not wanted and case.over in {Over.PROJECT, Over.RUN, Over.VIEW, Over.OWN_VIEW, Over.CHART}:
        project = getattr(thing.row, "project", thing.row)
        asked |= {"entity": project.team.name, "project": project.name}
    return f"{path}?{urlencode(asked)}"


@pytest.mark.parametrize("action", _rows(rest.ROUTES))
def test_rest(action: str, world: World, checked: Check):
    cells = []
    for case, thing in _cases(world, rest.ROUTES[action]):
        path = _rest_path(action, case, thing)
        dress = asking.sign_in_answer if action in rest.SIGNED_IN_ONLY else asking.rest_answer
        keys = [*keys_for(case, thing), (ELEVATED, "full")]
        sessions = [(actor, "full") for actor in web_actors(case)]
        wants = {asker: dress(expected(case, *asker, thing), asker[0]) for asker in [*keys, *sessions]}
        for (actor, scope), want in _telling((key, wants[key]) for key in keys):
            got = asking.ask_rest(path, case, thing, world.headers(actor, scope))
            cells.append((f"{actor} ({scope} key) {case.method} {path} ({thing.label})", got, want))
        # a session only says otherwise who asks, and everybody has asked by key
        for (actor, _scope), want in _one_each((session, wants[session]) for session in sessions):
            got = asking.ask_rest(path, case, thing, {}, world.clients[actor])
            cells.append((f"{actor} (session) {case.method} {path} ({thing.label})", got, want))
    _compare(checked, cells)


@pytest.mark.parametrize("field", _rows(graphql.ROUTES))
def test_graphql(field: str, world: World, checked: Check):
    cells = []
    for case, thing in _cases(world, graphql.ROUTES[field]):
        keys = [*keys_for(case, thing), (ELEVATED, "full")]
        wants = [asking.graphql_answer(expected(case, *key, thing), key[0]) for key in keys]
        for (actor, scope), want in _telling(zip(keys, wants, strict=True)):
            got = asking.ask_graphql(case, thing, world.headers(actor, scope))
            cells.append((f"{actor} ({scope} key) {field} as {case.needs!r} ({thing.label})", got, want))
    _compare(checked, cells)


@pytest.mark.parametrize("route", _rows(sockets.ROUTES))
def test_sockets(route: str, world: World, checked: Check):
    cells = []
    for case, thing in _cases(world, sockets.ROUTES[route]):
        path = route.replace("<int:pk>", str(getattr(thing.row, "pk", "")))
        for actor in WEB_ACTORS:
            got = asking.ask_socket(path, world.clients[actor])
            want = expected(case, actor, "full", thing)
            cells.append(
                (f"{actor} {path} ({thing.label})", got, Answer.HIDDEN if want is Answer.LOGIN else want)
            )
    _compare(checked, cells)


@pytest.mark.parametrize("route", _rows(lean.ROUTES))
def test_lean(route: str, world: World, checked: Check):
    cells = []
    for case, thing in _cases(world, lean.ROUTES[route]):
        for actor, scope in keys_for(case, thing):
            path = asking.lean_path(route, case, thing, world)
            got = asking.ask_lean(case, path, world.headers(actor, scope))
            want = expected(case, actor, scope, thing)
            if case.over is Over.RUN:
                want = asking.graphql_answer(want, actor)
            cells.append((f"{actor} ({scope} key) {case.method} {route} ({thing.label})", got, want))
    _compare(checked, cells)


def test_the_matrix_has_no_dead_rows(world: World):
    """A thing nobody may see, or everybody, would check little: each kind has both."""
    for over in (Over.ENTITY, Over.PROJECT, Over.RUN):
        visibilities: set[Any] = {thing.visibility for thing in world.things[over]}
        assert {"team", "public"} <= visibilities, over


_NEW_RUN = graphql.ROUTES["Mutation.upsertBucket"][1].document


def _told(world: World, entity: str, project: str, run: str) -> tuple[int, str]:
    """Return what a stranger hears who logs there, without the names they gave."""
    variables = {"entity": entity, "project": project, "run": run}
    with transaction.atomic():
        answer = asking.post_graphql(_NEW_RUN, variables, world.headers("stranger"))
        transaction.set_rollback(True)
    return answer.status_code, _without(answer.content.decode(), entity, project, run)


def _without(text: str, *names: str) -> str:
    for name in names:
        text = text.replace(name, "_")
    return text


def test_admins_open_a_restricted_project(world: World):
    """TEAM-21: visibility is changed by A and O, whether they were invited or not; so nobody is locked out."""
    project = next(thing for thing in world.things[Over.PROJECT] if thing.visibility == "restricted")
    case = next(case for case in graphql.ROUTES["Mutation.upsertModel"] if "visibility" in case.needs)
    assert asking.ask_graphql(case, project, world.headers("admin")) is Answer.OK


def test_logging_to_what_is_hidden_and_to_what_is_missing_read_the_same(world: World):
    """Otherwise anybody with a key could try out the names of other people's teams, projects and runs."""
    with transaction.atomic():
        gone = Run.objects.get(uid="of-host")
        deletion.delete_run(actor=SYSTEM, run=gone)
        hidden = {
            _told(world, "elsewhere", "team-project", "of-host"),
            _told(world, "elsewhere", "team-project", "a-new-run"),
            _told(world, "elsewhere", "no-such-project", "a-new-run"),
        }
        transaction.set_rollback(True)
    assert len(hidden) == 1, "\n".join(map(str, hidden))
    assert {status for status, _ in hidden} == {404}


def test_streaming_to_what_is_hidden_and_to_what_is_missing_read_the_same(world: World):
    heard = set()
    for names in [("elsewhere", "team-project", "of-host"), ("elsewhere", "team-project", "no-such-run"),
                  ("elsewhere", "no-such-project", "x-run"), ("no-such-entity", "p-roject", "x-run")]:  # fmt: skip
        path = "/files/{}/{}/{}/file_stream".format(*names)
        status, text = asking.send_lean("POST", path, world.headers("stranger"))
        heard.add((status, _without(text, *names)))
    assert len(heard) == 1, heard
    assert {status for status, _ in heard} == {404}
