"""The description of the REST API (OpenAPI 3.1): what is the same of every endpoint is said here, once.

Views say the rest: ``tag``, docstrings (the first line is the summary), serializers, `extend_schema` where an answer is
none of the viewset's own serializer.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from django.utils import translation
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import build_parameter_type
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

FILE = Path(__file__).resolve().parents[2] / "docs" / "openapi.json"
PATHS: dict[str, tuple[str, str]] = {
    "id": ("integer", "The number that lists give as `id`."),
    "name": ("string", "The name in addresses, which never changes."),
    "team": ("string", "The team's name."),
    "organization": ("string", "The organization's name."),
    "username": ("string", "The person's, or service account's, username."),
    "run": ("integer", "The run's `id`; `GET /api/v1/runs/?entity=…&project=…&uid=…` finds it."),
    "project": ("integer", "The project's `id`; `GET /api/v1/projects/?entity=…&name=…` finds it."),
    "number": ("integer", "The role's `id`."),
    "entity": (
        "string",
        "The name of the team, person or organization that the project or registry belongs to.",
    ),
    "project_name": ("string", "The project's name."),
    "uid": ("string", "The run ID chosen by the client."),
    "file": ("string", "The file's path, including slashes."),
    "collection": (
        "integer",
        "The collection's `id`; `GET /api/v1/artifact-collections/?…&name=…` finds it.",
    ),
    "version": ("string", "The version's number in the collection (`v3`), an alias, or its digest."),
    "alias": ("string", "The alias."),
    "registry": ("string", "The registry’s name, with or without the prefix that SDKs write before it."),
    "path": ("string", "`entity/name`."),
}
"""What stands in braces in addresses, here for all of them: its type, and what it is."""

_EVERYWHERE = {
    "400": "Invalid input: the message explains it, and `detail` names the fields.",
    "401": "No credentials, or invalid ones.",
    "403": "A permission is missing: `detail.permission` names it, and the message says who can help.",
    "404": "The object doesn’t exist, or you don’t have access to it; the two are indistinguishable on purpose.",
    "406": "The requested format is not available.",
    "429": "Too many requests; retry after the seconds given in `Retry-After`.",
}
_WHERE_SOMETHING_CHANGES = {
    "409": "Not possible in the current state: the name is taken, the run has ended, …",
    "410": "Permanently gone.",
    "413": "Over a limit stated in the message.",
    "415": "Unsupported content type: all endpoints take JSON, except for pictures.",
}
_ERROR = {
    "type": "object",
    "description": "The form of every error.",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "code": {"type": "string", "description": "For programs; stable."},
                "message": {"type": "string", "description": "For people; the wording can change."},
                "detail": {
                    "description": "More for programs: for invalid input, the problems of each field."
                },
            },
            "required": ["code", "message", "detail"],
        }
    },
    "required": ["error"],
}
_EXAMPLE = {
    "error": {
        "code": "not_found",
        "message": "This run doesn’t exist, or you don’t have access to it.",
        "detail": None,
    }
}
_COUNTS = {"schema": {"type": "integer", "minimum": 0}}
_RATE_HEADERS = {
    "RateLimit-Limit": {"description": "Requests that the key or person has in a minute.", **_COUNTS},
    "RateLimit-Remaining": {"description": "How many of them are left.", **_COUNTS},
    "RateLimit-Reset": {"description": "Seconds until all are there again.", **_COUNTS},
}
_REFUSALS = {**_EVERYWHERE, **_WHERE_SOMETHING_CHANGES}
METHODS = ("get", "post", "put", "patch", "delete")
_VERBS = {"partial_update": "update", "destroy": "delete", "update": "replace"}
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")


class KeyOrSession(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # its metaclass has no types
    """The ways to say who asks; without any, what is public is answered."""

    target_class = "access.rest.policy.ActorAuthentication"
    name = ["key", "bearer", "session"]

    def get_security_requirement(self, auto_schema: AutoSchema) -> list[dict[str, list[str]]]:
        """Return the alternatives; the empty one is nobody."""
        return [{"key": []}, {"bearer": []}, {"session": []}, {}]

    def get_security_definition(self, auto_schema: AutoSchema) -> list[dict[str, str]]:
        """Return what each of them is."""
        return [
            {"type": "http", "scheme": "basic", "description": "User `api`, password the API key: as SDKs do."},
            {"type": "http", "scheme": "bearer", "description": "The API key as a Bearer token."},
            {
                "type": "apiKey", "in": "cookie", "name": "runyard_session",
                "description": "A browser's session, with the port in its name where RUNYARD_URL has one (`_8000`);"
                " what changes something needs the header `X-CSRFToken`, too.",
            },
        ]  # fmt: skip


class Schema(AutoSchema):
    """How endpoints are described."""

    def is_excluded(self) -> bool:
        """Leave out what speaks another protocol."""
        return not self.path.startswith("/api/v1/")

    def get_operation_id(self) -> str:
        """Return noun and verb: ``run_list``, ``team_member_delete``."""
        noun = _WORDS.sub("_", type(self.view).__name__.removesuffix("ViewSet")).lower()
        action = str(getattr(self.view, "action", ""))
        verb = _VERBS.get(action, action)
        return noun if noun == verb else f"{noun}_{verb}"

    def get_tags(self) -> list[str]:
        """Return the one heading."""
        return [str(getattr(self.view, "tag", ""))]

    def _words(self) -> tuple[str, str]:
        summary, _, rest = super().get_description().partition("\n")
        return summary.removesuffix("."), rest.strip()

    def get_summary(self) -> str:
        """Return the docstring's first line, which is plain text there."""
        return self._words()[0].replace("`", "")

    def get_description(self) -> str:  # type: ignore[override]  # as in drf-spectacular
        """Return what follows it."""
        return self._words()[1]

    def _resolve_path_parameters(self, variables: list[str]) -> list[dict[str, Any]]:
        found = []
        for name in variables:
            kind, words = PATHS[name]
            schema = {"type": kind}
            if kind == "string":
                schema["minLength"] = 1  # type: ignore[assignment]
            found.append(build_parameter_type(name=name, schema=schema, location="path", description=words))
        return found


def query(name: str, words: str, **more: Any) -> OpenApiParameter:
    """Describe a parameter of the query string; a text unless ``type`` says otherwise."""
    return OpenApiParameter(name, description=words, **more)


def add_refusals(
    result: dict[str, Any],
    generator: SchemaGenerator,
    request: Request,
    public: bool,  # noqa: FBT001 - the form of such hooks
) -> dict[str, Any]:
    """Say once what refusals look like, and of every operation which there are."""
    components = result["components"]
    components["schemas"]["Error"] = _ERROR
    components["headers"] = {name.replace("-", ""): words for name, words in _RATE_HEADERS.items()}
    links = {name: {"$ref": f"#/components/headers/{name.replace('-', '')}"} for name in _RATE_HEADERS}
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}, "example": _EXAMPLE}}
    components["responses"] = {
        f"Refused{status}": {"description": words, "content": content} for status, words in _REFUSALS.items()
    }
    for address, methods in result["paths"].items():
        # by itself the order is another in each process
        result["paths"][address] = {method: methods[method] for method in METHODS if method in methods}
        for method, operation in methods.items():
            for answer in operation["responses"].values():
                answer.setdefault("headers", {}).update(links)
            for status in _EVERYWHERE if method == "get" else _REFUSALS:
                operation["responses"][status] = {"$ref": f"#/components/responses/Refused{status}"}
    return result


@cache
def document() -> dict[str, Any]:
    """Return the whole description, in English; made once in a process."""
    with translation.override("en"):
        generator = SchemaGenerator()  # type: ignore[no-untyped-call]  # it has no types
        made: dict[str, Any] = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]  # it has no types
    return made


def document_text() -> str:
    """Return the description as `FILE` keeps it, so that a change of the API is seen in review."""
    return json.dumps(document(), indent=1, ensure_ascii=False, default=str) + "\n"
