"""TEAM-25: every action of the REST API, by everybody, over everything, answers as the specification says."""

import re
from functools import cache
from string import Template
from typing import Any
from urllib.parse import urlencode

import pytest
from django.urls import resolve, reverse
from rest_framework.test import APIRequestFactory

from access.rest.query_parameters import known_parameters
from tests.matrix import asking, rest
from tests.matrix.cases import Case, Over, Thing, expected
from tests.matrix.cells import Asked, Check, cells_of, compare, one_each, rows, telling
from tests.matrix.permissions import ELEVATED
from tests.matrix.rest_addresses import names_in_address
from tests.matrix.world import World, keys_for, web_actors


@cache
def viewsets() -> dict[str, tuple[str, set[str]]]:
    """Return ``viewset.action`` to (URL name, what its address names) of the REST API."""
    found = {}
    for name, pattern, view in asking.url_patterns():
        if hasattr(view, "cls"):
            for method, action in view.actions.items():
                if method != "head":
                    names = set(re.findall(r"\(\?P<(\w+)>", pattern))
                    found[f"{view.cls.__name__}.{action}"] = name, names
    return found


def test_every_rest_action_has_a_row():
    assert set(viewsets()) == set(rest.ROUTES)


def _filled(case: Case, thing: Thing) -> dict[str, str]:
    """Return the query of a case with the thing's names in the place of ``$entity`` and the like."""
    names = asking.names_of(case, thing) if case.args else {}
    return {key: Template(str(value)).safe_substitute(names) for key, value in case.args.items()}


def _parameters(path: str, action: str) -> frozenset[str]:
    """Return what the query string of an endpoint may have."""
    match: Any = resolve(path)
    view = match.func.cls()
    view.setup(APIRequestFactory().get(path), **match.kwargs)
    view.action = action.partition(".")[2]
    return known_parameters(view)


def _rest_path(action: str, case: Case, thing: Thing) -> str:
    name, wanted = viewsets()[action]
    path = reverse(name, kwargs=names_in_address(case, thing.row, wanted) if wanted else {})
    asked = {"per_page": "1000", **_filled(case, thing)} if case.method == "GET" else {}
    if not wanted and case.over in {Over.PROJECT, Over.RUN, Over.VIEW, Over.OWN_VIEW, Over.CHART}:
        project = getattr(thing.row, "project", thing.row)
        place = {"entity": project.team.name, "project": project.name}
        known = _parameters(path, action) if case.method == "GET" else place.keys()
        asked |= {key: place[key] for key in place if key in known}
    return f"{path}?{urlencode(asked)}"


@pytest.mark.parametrize("action", rows(rest.ROUTES))
def test_rest(action: str, world: World, checked: Check):
    cells, asked = [], Asked(set)
    for case, thing in cells_of(world, rest.ROUTES[action]):
        path = _rest_path(action, case, thing)
        only = action in rest.SIGNED_IN_ONLY or case.method != "GET"
        keys = [*keys_for(case, thing), (ELEVATED, "full")]
        sessions = [(actor, "session") for actor in web_actors(case)]
        wants = {
            asker: asking.rest_answer(expected(case, *asker, thing), asker[0], only_signed_in=only)
            for asker in [*keys, *sessions]
        }
        for (actor, scope), want in telling(((key, wants[key]) for key in keys), asked[id(case)], thing):
            got = asking.ask_rest(path, case, thing, world.headers(actor, scope))
            cells.append((f"{actor} ({scope} key) {case.method} {path} ({thing.label})", got, want))
        # a session only says otherwise who asks, and everybody has asked by key
        for (actor, _scope), want in one_each(
            ((session, wants[session]) for session in sessions), asked[id(case), "session"], thing
        ):
            got = asking.ask_rest(path, case, thing, {}, world.clients[actor])
            cells.append((f"{actor} (session) {case.method} {path} ({thing.label})", got, want))
    compare(checked, cells)
