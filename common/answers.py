"""Answers that views of several apps give."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import orjson
from django.http import HttpRequest, HttpResponse
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
