"""GraphQL documents that no SDK sends, and variables as large as the server takes."""

import pytest

from tests.sdk.wire import Wire
from wandb_api.tests.wire.hostile import fine
from wandb_api.tests.wire.reading import ask

DOCUMENTS = {
    "braces": "{a" * 5000 + "}" * 5000,
    "list literals": "{ viewer(a: " + "[" * 9000 + "]" * 9000 + ") { id } }",
    "object literals": "{ viewer(a: " + "{a:" * 4000 + "1" + "}" * 4000 + ") { id } }",
    "list types": "query Q($a: " + "[" * 9000 + "Int" + "]" * 9000 + ") { viewer { id } }",
    "a few list types": "query Q($a: " + "[" * 90 + "Int" + "]" * 90 + ") { viewer { id } }",
    "the same field": "{" + "viewer{id} " * 450 + "}",
    "unknown fields": "{" + " ".join(f"viewe{i}" for i in range(900)) + "}",
    "a long name": "{ " + "v" * 1_000_000 + " }",
    "a long string": '{ viewer(a: "' + "x" * 10_000_000 + '") { id } }',
    "directives": "{ viewer { id " + "@include(if: true) " * 900 + "} }",
    "a circle of fragments": "{ viewer { ...a } } fragment a on User { id ...b } fragment b on User { ...a }",
    "a circle of unused fragments": "{ viewer { id } } fragment a on User { ...b } fragment b on User { ...a }",
    "operations": " ".join(f"query Q{i} {{ viewer {{ id }} }}" for i in range(500)),
    "no operation": "fragment a on User { id }",
    "a schema": "type A { a: Int }",
    "nothing": "",
}
SEARCHES = {
    "lone surrogates": '{ organization(name: "\ud800") { id } }',
    "NUL": '{ organization(name: "\\u0000") { id } \x00 }',
    "numbers": '{ project(name: "a") { runs(first: 99999999999999999999) { edges { node { id } } } } }',
    "negative numbers": '{ project(name: "a") { runs(first: -1) { edges { node { id } } } } }',
    "numbers with ends": '{ project(name: "a") { runs(first: 1e999) { edges { node { id } } } } }',
}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_a_hostile_document_is_refused_or_answered(ada: Wire, document: str) -> None:
    fine(ask(ada, document), 200, 400)


@pytest.mark.dialect
@pytest.mark.parametrize("document", SEARCHES.values(), ids=SEARCHES.keys())
def test_a_hostile_search_is_refused_or_answered(ada: Wire, document: str) -> None:
    ada.begin("a")
    fine(ask(ada, document), 200, 400)


def test_huge_variables_are_413(ada: Wire) -> None:
    reply = ada.ask("query Q($n: String!) { entity(name: $n) { id } }", n="x" * (33 << 20))
    assert "RUNYARD_GRAPHQL_MAX_MIB" in fine(reply, 413).json()["errors"][0]["message"]


@pytest.mark.dialect
def test_variables_just_under_the_limit_are_used(ada: Wire) -> None:
    fine(ada.ask("query Q($n: String!) { organization(name: $n) { id } }", n="x" * (31 << 20)), 200)
