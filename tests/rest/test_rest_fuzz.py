"""The REST API holds what its description says, whatever is sent: no server error, declared statuses and shapes.

Each operation is sent what fits its description and what does not, mostly about things that there are, by an
organization's admin, a member, a key that may only read, and nobody. Each request is undone, but what is streamed to
runs, which is stored beside Django.
"""

from typing import Any
from urllib.parse import unquote

import pytest
import requests
import schemathesis
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.transport import Response
from schemathesis.specs.openapi import checks

from access.openapi.schema import document
from ingest.api import stream
from tests.in_process import db
from tests.matrix.asking import lean_reply
from tests.matrix.cases import Over
from tests.matrix.world import World, build
from tests.streams import body_of
from tests.suite.passes import amount, share

__all__ = ["db"]
CALLERS = [
    ("chief", "full"),
    ("chief", "full"),
    ("member", "full"),
    ("member", "read"),
    ("anonymous", "full"),
]
"""Who, with which key; an admin is let in most deeply, so asks most."""
EXAMPLES = amount("examples for each operation of the REST API", 5, 200)
CHECKS: list[Any] = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
SCHEMA = schemathesis.openapi.from_dict(document())
OPERATIONS: dict[str, Any] = {found.ok().label: found.ok() for found in SCHEMA.get_all_operations()}  # type: ignore[union-attr]  # a wrong one raises


@pytest.fixture(scope="module")
def world(db: None) -> World:
    """Build the world once; what it is asked is undone."""
    with transaction.atomic():
        return build()


def _known(world: World) -> dict[str, list[Any]]:
    """Return what there is, by the name that paths and bodies have for it."""
    projects = [thing.row for thing in world.things[Over.PROJECT]]
    runs = [thing.row for thing in world.things[Over.RUN]]
    return {
        "name": ["team", "elsewhere", "org"],
        "team": ["team", "elsewhere"],
        "organization": ["org"],
        "username": ["member", "viewer", "chief", "lead", "bot", "team.bot", "stranger"],
        "run": [run.pk for run in runs],
        "project": [project.pk for project in projects],
        "file": ["notes.txt", "a.txt"],
        "path": ["team/a-private-chart", "team/a-public-chart"],
        "entity": ["team", "elsewhere", "member"],
        "role": ["member", "admin", "view-only", "viewer"],
        "project_name": [project.name for project in projects],
        "uid": ["of-member", "of-colleague", "of-host"],
        "writer": ["0123456789abcdef"],
        "uids": [["of-member", "of-colleague"], ["of-member"]],
        "keys": [["loss"], ["loss", "_step"]],
        "search": ["m"],
        "collection": [thing.row.pk for thing in world.things[Over.COLLECTION]],
        "version": ["v0", "latest", "best"],
        "alias": ["best", "latest"],
        "type": ["model"],
        "tag": ["<s>"],
    }


def _ids(world: World, path: str) -> list[Any]:
    """Return the numbers of what an address is about."""
    of = {
        "keys": Over.KEY, "runs": Over.RUN, "projects": Over.PROJECT, "views": Over.VIEW,
        "destinations": Over.DESTINATION, "webhook-secrets": Over.SECRET, "automations": Over.AUTOMATION,
        "alert-messages": Over.ACTED, "alert-routes": Over.ROUTE, "alert-mutes": Over.MUTE,
        "artifact-collections": Over.COLLECTION, "sweeps": Over.SWEEP,
    }  # fmt: skip
    kind = next((kind for part, kind in of.items() if f"/v1/{part}/" in path), Over.INVITATION)
    return [thing.row.pk for thing in world.things[kind]]


def _at_home(world: World, case: Case[Any], draw: Any) -> None:
    """Put names of what there is into most requests: others are soon refused."""
    known = _known(world) | {"id": _ids(world, case.path)}
    for part in (case.path_parameters, case.query, case.body):
        if not isinstance(part, dict):
            continue
        is_path = part is case.path_parameters
        for name in part:
            there = known.get(name, [])
            if name == "project" and not is_path:
                there = ["team-project", "public-project", "restricted-project"]
            if there and draw(st.integers(0, 9)) < (9 if is_path else 6):
                part[name] = draw(st.sampled_from(there))


def _send(case: Case[Any], headers: dict[str, str]) -> Response:
    """Send a request to the application, and take it back."""
    asked = requests.Request(**case.as_transport_kwargs(base_url="http://testserver")).prepare()
    told = {
        name: str(value)
        for name, value in asked.headers.items()
        if name.lower() not in {"content-length", "cookie"}
    }
    kind = told.pop("Content-Type", "application/json")
    given = asked.body or b""
    body: Any = given.encode() if isinstance(given, str) else given
    if case.method == "POST" and stream.PATH.fullmatch(unquote(asked.path_url.partition("?")[0])):
        reply = lean_reply(case.method, asked.path_url, {**told, "Content-Type": kind, **headers}, body)
        names = {name: [value] for name, value in reply.headers.items()}
        return Response(reply.status_code, names, reply.content, asked, elapsed=0.0, verify=False)
    client = Client(raise_request_exception=True)
    with transaction.atomic():
        got = client.generic(
            case.method, asked.path_url, body, content_type=kind, headers={**told, **headers}
        )
        content = body_of(got) if got.streaming else got.content
        transaction.set_rollback(True)
    names = {name.lower(): [value] for name, value in got.headers.items()}
    return Response(got.status_code, names, content, asked, elapsed=0.0, verify=False)


@pytest.mark.parametrize("label", share("operations of the REST API", list(OPERATIONS), in_both=True))
def test_answers_are_as_described(world: World, label: str):
    """Issue 7: schemathesis over the whole OpenAPI with no server error."""
    operation = OPERATIONS[label]
    fitting, not_fitting = map(operation.as_strategy, (GenerationMode.POSITIVE, GenerationMode.NEGATIVE))

    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def ask(data: Any) -> None:
        headers = world.headers(*data.draw(st.sampled_from(CALLERS)))
        case = data.draw(fitting if data.draw(st.integers(0, 3)) else not_fitting)
        _at_home(world, case, data.draw)
        case.validate_response(_send(case, headers), checks=CHECKS)

    ask()
