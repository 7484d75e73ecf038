"""TEAM-25: every field of the SDK's API and every lean endpoint, by everybody, answers as the specification says."""

from typing import Any

import pytest
from django.db import transaction

from access.actor import SYSTEM
from runs.bulk_actions import deletion
from runs.models import Run
from tests.matrix import asking, graphql, lean
from tests.matrix.cases import Answer, Over, expected
from tests.matrix.cells import Asked, Check, cells_of, compare, rows, telling
from tests.matrix.permissions import ELEVATED
from tests.matrix.world import World, keys_for
from wandb_api.graphql.bindings import roots
from wandb_api.schema import schema


def test_every_graphql_root_field_has_a_row():
    schema()
    assert set(roots) == set(graphql.ROUTES)


def test_every_graphql_root_field_of_the_schema_is_bound():
    built = schema()
    kinds = [kind for kind in (built.query_type, built.mutation_type) if kind is not None]
    assert {f"{kind.name}.{name}" for kind in kinds for name in kind.fields} == set(roots)


def test_every_lean_endpoint_has_a_row():
    assert set(asking.lean_endpoints()) == set(lean.ROUTES)


@pytest.mark.parametrize("field", rows(graphql.ROUTES))
def test_graphql(field: str, world: World, checked: Check):
    cells, asked = [], Asked(set)
    for case, thing in cells_of(world, graphql.ROUTES[field]):
        keys = [*keys_for(case, thing), (ELEVATED, "full")]
        wants = [asking.graphql_answer(expected(case, *key, thing), key[0]) for key in keys]
        for (actor, scope), want in telling(zip(keys, wants, strict=True), asked[id(case)], thing):
            got = asking.ask_graphql(case, thing, world.headers(actor, scope))
            cells.append((f"{actor} ({scope} key) {field} as {case.needs!r} ({thing.label})", got, want))
    compare(checked, cells)


@pytest.mark.parametrize("route", rows(lean.ROUTES))
def test_lean(route: str, world: World, checked: Check):
    cells = []
    for case, thing in cells_of(world, lean.ROUTES[route]):
        for actor, scope in keys_for(case, thing):
            path = asking.lean_path(route, case, thing, world)
            got = asking.ask_lean(case, path, world.headers(actor, scope))
            want = expected(case, actor, scope, thing)
            if case.over is Over.RUN:
                want = asking.graphql_answer(want, actor)
            cells.append((f"{actor} ({scope} key) {case.method} {route} ({thing.label})", got, want))
    compare(checked, cells)


def test_the_matrix_has_no_deadrows(world: World):
    """A thing nobody may see, or everybody, would check little: each kind has both."""
    for over in (Over.ENTITY, Over.PROJECT, Over.RUN):
        visibilities: set[Any] = {thing.visibility for thing in world.things[over]}
        assert {"team", "public"} <= visibilities, over


def test_admins_open_a_restricted_project(world: World):
    """TEAM-21: visibility is changed by A and O, whether they were invited or not; so nobody is locked out."""
    project = next(thing for thing in world.things[Over.PROJECT] if thing.visibility == "restricted")
    case = next(case for case in graphql.ROUTES["Mutation.upsertModel"] if "visibility" in case.needs)
    assert asking.ask_graphql(case, project, world.headers("admin")) is Answer.OK


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
    assert {status for status, _ in hidden} == {400}


def test_streaming_to_what_is_hidden_and_to_what_is_missing_read_the_same(world: World):
    heard = set()
    for names in [("elsewhere", "team-project", "of-host"), ("elsewhere", "team-project", "no-such-run"),
                  ("elsewhere", "no-such-project", "x-run"), ("no-such-entity", "p-roject", "x-run")]:  # fmt: skip
        path = "/files/{}/{}/{}/file_stream".format(*names)
        status, text = asking.send_lean("POST", path, world.headers("stranger"))
        heard.add((status, _without(text, *names)))
    assert len(heard) == 1, heard
    assert {status for status, _ in heard} == {404}
