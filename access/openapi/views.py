"""The API's description and its documentation, served from here; and what answers where the API has nothing."""

from functools import cache
from typing import Any

import orjson
import yaml
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import conditional_page, require_GET

from access.openapi import schema
from access.openapi.page import chapters, text_in
from access.routes import Open, declare
from common.web.responses import as_json as json_answer

_WRITER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)  # four times as fast, where PyYAML was built with it


@declare(Open.ANYONE)
@require_GET
@gzip_page
@conditional_page
def as_json(request: HttpRequest) -> HttpResponse:
    """Return the description as JSON."""
    return json_answer(schema.document())


@cache
def _yaml() -> str:
    return str(yaml.dump(schema.document(), Dumper=_WRITER, sort_keys=False, allow_unicode=True))


@declare(Open.ANYONE)
@require_GET
@gzip_page
@conditional_page
def as_yaml(request: HttpRequest) -> HttpResponse:
    """Return the description as YAML."""
    return HttpResponse(_yaml(), content_type="application/yaml")


@declare(Open.ANYONE)
@require_GET
@gzip_page
def docs(request: HttpRequest) -> HttpResponse:
    """Show the documentation of the API, whose text is kept; the frame around it is the viewer's, with a nonce."""
    text = text_in(get_language() or settings.LANGUAGE_CODE)
    return render(request, "api/docs.html", {"chapters": chapters(), "text": text})


@declare(Open.ANYONE)
@csrf_exempt
def unknown_endpoint(request: HttpRequest, **_: Any) -> HttpResponse:
    """Say in the API's own words that there is no such endpoint."""
    message = "Unknown endpoint. GET /api/v1/openapi.json describes all endpoints."
    body = {"error": {"code": "not_found", "message": message, "detail": None}}
    return HttpResponse(orjson.dumps(body), status=404, content_type="application/json")
