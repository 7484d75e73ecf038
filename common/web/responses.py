"""Answers that views of several apps give."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import orjson
from django.http import HttpRequest, HttpResponse
from django.utils.http import url_has_allowed_host_and_scheme
from django_htmx.middleware import HtmxDetails


def as_json(body: Mapping[str, Any]) -> HttpResponse:
    """Return a small JSON answer; NaN in it becomes null."""
    return HttpResponse(orjson.dumps(body), content_type="application/json")


def attachment(filename: str) -> str:
    """Return a ``Content-Disposition`` that saves a file; the name may have any character but a slash."""
    return f"attachment; filename*=UTF-8''{quote(filename, safe='')}"


def fragment(request: HttpRequest, template: str, part: str) -> str:
    """Return the template, or its named part when HTMX asks."""
    htmx = getattr(request, "htmx", None)
    return f"{template}#{part}" if isinstance(htmx, HtmxDetails) and htmx else template


def page_of_ours(request: HttpRequest, address: str, otherwise: str = "/") -> str:
    """Return an address that a form or a link gave as ``next`` if it is one of our pages, else another."""
    is_ours = url_has_allowed_host_and_scheme(
        address, {request.get_host()}, require_https=request.is_secure()
    )
    return address if is_ours else otherwise
