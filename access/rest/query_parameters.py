"""Which parameters a query string may have: those that the description of the endpoint names, and no others.

A misspelt filter that is left out would answer everything, as if it had been asked for.
"""

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from drf_spectacular.utils import OpenApiParameter

from common.errors import Invalid
from common.rest.responses import NewestFirstPagination
from common.rest.unknown_fields import unknown_name_message

if TYPE_CHECKING:
    from rest_framework.request import Request
    from rest_framework.views import APIView

_ALWAYS = frozenset(
    {"format", NewestFirstPagination.page_size_query_param, NewestFirstPagination.cursor_query_param}
)
"""How the answer is to look: none of these leaves rows out, so they do no harm where they mean nothing."""
_known: dict[tuple[type, str], frozenset[str]] = {}


def check_query(request: "Request", view: "APIView") -> None:
    """Refuse a query string with a parameter that the endpoint does not have.

    Raises:
        Invalid: which, and which there are.
    """
    if request.method != "GET":
        return
    known = known_parameters(view)
    unknown = sorted(set(request.query_params) - known - _ALWAYS)
    if unknown:
        problems = {name: [unknown_name_message(name, known, "parameter")] for name in unknown}
        error = Invalid(" ".join(words[0] for words in problems.values()))
        error.detail = problems
        raise error


def known_parameters(view: "APIView") -> frozenset[str]:
    """Return the names of the parameters that the description of the view's action has."""
    endpoint = type(view), str(getattr(view, "action", ""))
    if endpoint not in _known:
        _known[endpoint] = frozenset(_described(view, endpoint[1]))
    return _known[endpoint]


def _described(view: "APIView", action: str) -> set[str]:
    kwargs: Mapping[str, Any] = getattr(getattr(view, action), "kwargs", {})
    made: Any = kwargs.get("schema")
    if made is None:
        return set()
    schema = made()
    schema.view = view
    names: set[str] = set()
    for parameter in schema.get_override_parameters():
        if isinstance(parameter, OpenApiParameter):
            names.add(parameter.name)
        else:
            serializer: Any = parameter() if inspect.isclass(parameter) else parameter
            names |= set(serializer.fields)
    return names
