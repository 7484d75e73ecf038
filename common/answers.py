"""Answers that views of several apps give."""

from collections.abc import Mapping
from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse
from django_htmx.middleware import HtmxDetails


def as_json(body: Mapping[str, Any]) -> HttpResponse:
    """Return a small JSON answer; NaN in it becomes null."""
    return HttpResponse(orjson.dumps(body), content_type="application/json")


def fragment(request: HttpRequest, template: str, part: str) -> str:
    """Return the template, or its named part when HTMX asks."""
    htmx = getattr(request, "htmx", None)
    return f"{template}#{part}" if isinstance(htmx, HtmxDetails) and htmx else template
