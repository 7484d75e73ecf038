"""Plausible variables for any operation of an SDK, made of the types that it declares."""

import json
from collections.abc import Mapping
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    OperationDefinitionNode,
    parse,
    type_from_ast,
)

from wandb_api.schema import schema

_SCALARS: dict[str, Any] = {
    "Int": 1, "Int64": 1, "Float": 1.0, "Boolean": True, "Duration": 1000, "JSONString": "{}", "JSON": {},
}  # fmt: skip
_JSON = {
    "spec": {"keys": ["loss"]},
    "specs": {"keys": ["loss"]},
    "eventFilter": {"run_filter": '{"$and":[]}', "run_state_filter": {"states": ["FAILED"]}},
}
"""Texts of JSON that may not be empty, by the names of their variables."""


def variables_for(text: str, known: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value for each variable of the document's operation.

    Types that the schema does not have get null: what asks for them is refused before its variables are looked at.

    Args:
        text: A document of one operation.
        known: Values by the names of variables and of fields of input objects.
    """
    [operation] = [one for one in parse(text).definitions if isinstance(one, OperationDefinitionNode)]
    return {
        variable.variable.name.value: _value(
            type_from_ast(schema(), variable.type), variable.variable.name.value, known
        )
        for variable in operation.variable_definitions or ()
    }


def _value(kind: GraphQLInputType | Any, name: str, known: Mapping[str, Any]) -> Any:
    if isinstance(kind, GraphQLNonNull):
        return _value(kind.of_type, name, known)
    if isinstance(kind, GraphQLList):
        return [_value(kind.of_type, name, known)]
    if isinstance(kind, GraphQLInputObjectType):
        needed = {key for key, one in kind.fields.items() if isinstance(one.type, GraphQLNonNull)}
        return {
            key: _value(one.type, key, known)
            for key, one in kind.fields.items()
            if key in needed or key in known
        }
    if isinstance(kind, GraphQLEnumType):
        return next(iter(kind.values))
    return _scalar(kind.name, name, known) if kind else None


def _scalar(kind: str, name: str, known: Mapping[str, Any]) -> Any:
    return json.dumps(_JSON[name]) if name in _JSON else known.get(name, _SCALARS.get(kind, "x"))
