"""The executable schema: the SDL is the contract, resolvers are bound to it by name."""

import hashlib
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from ariadne import MutationType, ObjectType, QueryType, ScalarType, make_executable_schema
from graphql import DocumentNode, FieldNode, GraphQLError, GraphQLSchema, Visitor, parse, validate, visit

from access.routes import Declaration, declare
from wandb_api.graphql.document_limits import MAX_CHARACTERS, check_limits
from wandb_api.graphql.errors import requoted

SDL = Path(__file__).with_name("schema.graphql")

query = QueryType()
mutation = MutationType()
run_type = ObjectType("Run")
project_type = ObjectType("Project")
user_type = ObjectType("User")
entity_type = ObjectType("Entity")
organization_type = ObjectType("Organization")
file_type = ObjectType("File")
_scalars = [ScalarType(name, serializer=lambda value: value) for name in ("JSON", "Duration")]


def _json_text(value: Any) -> str:
    """Take a text; who gave the value itself is told so, rather than failed at."""
    if not isinstance(value, str):
        raise GraphQLError(f"A JSONString is a text that holds JSON, not {type(value).__name__}.")
    return value


_json_string = ScalarType("JSONString", serializer=lambda value: value, value_parser=_json_text)


def _time_text(value: datetime | str) -> str:
    """Write a time to the second, as SDKs parse it; console lines come as text, with their fractions."""
    return value if isinstance(value, str) else value.strftime("%Y-%m-%dT%H:%M:%SZ")


_datetime = ScalarType("DateTime", serializer=_time_text)
_int64 = ScalarType("Int64", serializer=int)

roots: dict[str, Callable[..., Any]] = {}
"""Resolvers of root fields by ``Query.x`` and ``Mutation.x``; the access matrix walks them."""


def root(kind: QueryType | MutationType, name: str, need: Declaration) -> Callable[[Any], Any]:
    """Bind a resolver to a root field and declare what it needs."""

    def bind(resolver: Any) -> Any:
        kind.set_field(name, resolver)
        roots[f"{kind.name}.{name}"] = declare(need)(resolver)
        return resolver

    return bind


@lru_cache(maxsize=1)
def schema() -> GraphQLSchema:
    """Return the schema with all resolvers bound."""
    from wandb_api import resolvers

    resolvers.bind()
    types = [
        query,
        mutation,
        run_type,
        project_type,
        user_type,
        entity_type,
        organization_type,
        file_type,
        *_scalars,
        _json_string,
        _datetime,
        _int64,
    ]
    return make_executable_schema(SDL.read_text(), *types)


class _WholeRows(Visitor):
    """Takes the selections off sampled rows, which are JSON: wandb-mcp-server tells its readers to select in them."""

    def enter_field(self, node: FieldNode, *_: object) -> FieldNode | None:
        if node.name.value != "sampledHistory" or node.selection_set is None:
            return None
        return FieldNode(
            alias=node.alias, name=node.name, arguments=node.arguments, directives=node.directives
        )


@lru_cache(maxsize=256)  # the largest take 2 MB each
def _document(digest: bytes, text: str) -> tuple[DocumentNode | None, tuple[GraphQLError, ...]]:
    try:
        document = parse(text)
        check_limits(document)
        document = visit(document, _WholeRows())
    except GraphQLError as error:
        return None, (error,)
    problems = validate(schema(), document)
    for problem in problems:
        problem.message = requoted(problem.message)
    return document, tuple(problems)


def document_of(text: str) -> tuple[DocumentNode | None, tuple[GraphQLError, ...]]:
    """Parse and validate a document, remembered by hash: an SDK sends the same few (1.8 of 5 ms for 50 runs)."""
    if len(text) > MAX_CHARACTERS:
        return None, (GraphQLError(f"A document may have at most {MAX_CHARACTERS} characters."),)
    return _document(hashlib.sha256(text.encode(errors="replace")).digest(), text)
