"""The types of the schema, to which resolvers are bound by name; `wandb_api.schema` makes it executable."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from ariadne import MutationType, ObjectType, QueryType, ScalarType
from graphql import GraphQLError

from access.routes import Declaration, declare

query = QueryType()
mutation = MutationType()
run_type = ObjectType("Run")
project_type = ObjectType("Project")
user_type = ObjectType("User")
entity_type = ObjectType("Entity")
organization_type = ObjectType("Organization")
file_type = ObjectType("File")
artifact_type = ObjectType("Artifact")
artifact_kind_type = ObjectType("ArtifactType")
sequence_type = ObjectType("ArtifactSequence")
portfolio_type = ObjectType("ArtifactPortfolio")
membership_type = ObjectType("ArtifactCollectionMembership")
manifest_file_type = ObjectType("ArtifactManifestFile")
sweep_type = ObjectType("Sweep")
sweep_agent_type = ObjectType("Agent")
_scalars = [ScalarType(name, serializer=lambda value: value) for name in ("JSON", "Duration")]


def _json_text(value: Any) -> str:
    """Take a text; a client that sent the value itself gets a message that says so."""
    if not isinstance(value, str):
        raise GraphQLError(f"A JSONString is a text that holds JSON, not {type(value).__name__}.")
    return value


_json_string = ScalarType("JSONString", serializer=lambda value: value, value_parser=_json_text)


def _time_text(value: datetime | str) -> str:
    """Write a time to the second, as SDKs parse it; console lines come as text, with their fractions."""
    return value if isinstance(value, str) else value.strftime("%Y-%m-%dT%H:%M:%SZ")


_datetime = ScalarType("DateTime", serializer=_time_text)
_int64 = ScalarType("Int64", serializer=int)

types = [
    query, mutation, run_type, project_type, user_type, entity_type, organization_type, file_type, artifact_type,
    artifact_kind_type, sequence_type, portfolio_type, membership_type, manifest_file_type, sweep_type,
    sweep_agent_type, *_scalars, _json_string, _datetime, _int64,
]  # fmt: skip
"""All that the schema is made of besides its text."""

roots: dict[str, Callable[..., Any]] = {}
"""Resolvers of root fields by ``Query.x`` and ``Mutation.x``; the access matrix walks them."""


def root(kind: QueryType | MutationType, name: str, need: Declaration) -> Callable[[Any], Any]:
    """Bind a resolver to a root field and declare what it needs."""

    def bind(resolver: Any) -> Any:
        kind.set_field(name, resolver)
        roots[f"{kind.name}.{name}"] = declare(need)(resolver)
        return resolver

    return bind
