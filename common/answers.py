"""Answers that views of several apps give."""

from collections.abc import Mapping
from typing import Any

import orjson
from django.http import HttpResponse


def as_json(body: Mapping[str, Any]) -> HttpResponse:
    """Return a small JSON answer; NaN in it becomes null."""
    return HttpResponse(orjson.dumps(body), content_type="application/json")
