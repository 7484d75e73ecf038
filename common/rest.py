"""One error shape and one pagination for the REST API.

Every error is ``{"error": {"code": str, "message": str, "detail": object | null}}``.
"""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions, serializers
from rest_framework.pagination import CursorPagination
from rest_framework.response import Response
from rest_framework.views import set_rollback

from common.errors import DomainError


class Pages(CursorPagination):
    """Pages by cursor, newest first: 50 rows unless ``per_page`` (1-1000) says otherwise."""

    ordering = "-pk"
    page_size = 50
    page_size_query_param = "per_page"
    max_page_size = 1000


def _body(code: str, message: str, detail: Any = None) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "detail": detail}}


def handle_exception(exc: Exception, context: dict[str, Any]) -> Response | None:
    """Turn what a view raised into the one error shape; None lets a programming error through to the log."""
    set_rollback()
    if isinstance(exc, DomainError):
        return Response(_body(exc.code, exc.message, exc.detail), status=exc.status)
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
        return Response(_body("invalid", "The input is not valid.", exc.detail), status=exc.status_code)
    codes = exc.get_codes()
    code = codes if isinstance(codes, str) else exc.default_code
    return Response(_body(code, str(exc.detail)), status=exc.status_code, headers=headers)


def validated(serializer_class: type[serializers.Serializer[Any]], data: Any) -> dict[str, Any]:
    """Return the validated input; raises ValidationError, which answers 400 naming each field."""
    serializer = serializer_class(data=data)
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)
