"""One error shape and one pagination for the REST API.

Every error is ``{"error": {"code": str, "message": str, "detail": object | null}}``.
"""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404
from rest_framework import exceptions, serializers
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import set_rollback

from common.budgets.statements import refusal_of
from common.errors import DomainError, Invalid
from common.formats.numbers import parse_int
from common.rest.unknown_fields import check_fields, error_sentences
from common.web.request_size import body_too_large

_MOST_TOLD = 5
"""Problems in one message; all are in its detail."""


class NewestFirstPagination(CursorPagination):
    """Pages by cursor, newest first: 50 rows unless ``per_page`` (1-1000) says otherwise."""

    ordering = "-pk"
    page_size = 50
    page_size_query_param = "per_page"
    max_page_size = 1000
    page_size_query_description = "How many rows a page has, 1 to 1000; 50 unless given."
    cursor_query_description = "Take it from `next` or `previous` of a page."

    def decode_cursor(self, request: Request) -> Cursor | None:
        """Read the cursor of the query string.

        Raises:
            NotFound: this list never gave it.
        """
        cursor = super().decode_cursor(request)
        place = None if cursor is None else cursor.position
        if place and not _could_be_place(str(place), self.ordering):
            raise exceptions.NotFound(self.invalid_cursor_message)
        return cursor


class NamePagination(NewestFirstPagination):
    """Pages by the rows' own name, A to Z."""

    ordering = "name"


class OldestFirstPagination(NewestFirstPagination):
    """Pages by age, oldest first."""

    ordering = "pk"


def _could_be_place(text: str, ordering: Any) -> bool:
    """Say whether the database can compare rows with it: keys are numbers, and no text has a NUL."""
    if str(ordering).removeprefix("-") == "pk":
        return is_key(text)
    return "\x00" not in text


def is_key(text: str) -> bool:
    """Say whether this could be the key of a row."""
    return parse_int(text) is not None


def is_yes(given: Mapping[str, str], name: str) -> bool:
    """Read a parameter that is yes or no, and no unless given.

    Raises:
        Invalid: it is something else.
    """
    text = given.get(name, "").lower()
    if text not in {"", "0", "1", "false", "true"}:
        raise Invalid(f"{name} must be true or false, not {text[:40]!r}.")
    return text in {"1", "true"}


def _body(code: str, message: str, detail: Any = None) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "detail": detail}}


def _refusal(body: dict[str, Any], status: int, headers: Mapping[str, str] | None = None) -> Response:
    """Return a refusal, which is JSON whatever the answer would have been."""
    return Response(body, status=status, headers=dict(headers or {}), content_type="application/json")


def handle_exception(exc: Exception, context: dict[str, Any]) -> Response | None:
    """Turn what a view raised into the one error shape; None lets a programming error through to the log."""
    set_rollback()
    exc = refusal_of(exc) or exc
    if isinstance(exc, RequestDataTooBig):
        exc = body_too_large(context["request"].path)
    if isinstance(exc, DomainError):
        body = _body(exc.code, exc.message, exc.detail)
        return _refusal(body, exc.status, exc.headers)
    if isinstance(exc, Http404):
        exc = exceptions.NotFound()
    if isinstance(exc, PermissionDenied):
        exc = exceptions.PermissionDenied()
    if not isinstance(exc, exceptions.APIException):
        return None
    headers: dict[str, str] = {}
    challenge, wait = getattr(exc, "auth_header", None), getattr(exc, "wait", None)
    if challenge:
        headers["WWW-Authenticate"] = challenge
    if wait:
        headers["Retry-After"] = str(int(wait))
    if isinstance(exc, exceptions.ValidationError):
        message = " ".join(error_sentences(exc.detail)[:_MOST_TOLD]) or "The input is not valid."
        return _refusal(_body("invalid", message, exc.detail), exc.status_code)
    codes = exc.get_codes()
    code = codes if isinstance(codes, str) else exc.default_code
    return _refusal(_body(code, str(exc.detail)), exc.status_code, headers)


def validated(serializer_class: type[serializers.Serializer[Any]], data: Any) -> dict[str, Any]:
    """Return the validated input.

    Raises:
        ValidationError: names each field that is wrong, and each that there is not.
    """
    serializer = serializer_class(data=data)
    check_fields(serializer, data)
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)
