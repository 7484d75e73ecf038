"""The API's documentation as a page: the description, in chapters and steps that a template can write."""

import json
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import quote

from django.template.loader import render_to_string
from django.utils import translation
from django.utils.safestring import SafeString

from access.openapi.schema import document

Node = dict[str, Any]
_DEEPEST = 4
_CURL = """curl -u "api:$WANDB_API_KEY" "$WANDB_BASE_URL/api/v1/me/"

curl -u "api:$WANDB_API_KEY" \\
  "$WANDB_BASE_URL/api/v1/runs/?entity=vision&project=mnist&per_page=5"
"""
_PYTHON = """import os, requests

api = requests.Session()
api.auth = ("api", os.environ["WANDB_API_KEY"])
url = os.environ["WANDB_BASE_URL"] + "/api/v1/runs/"
answer = api.get(url, params={"entity": "vision", "project": "mnist"})
answer.raise_for_status()
for run in answer.json()["results"]:
    print(run["display_name"], run["state"])
"""


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter, or a value in a body."""

    name: str
    type: str
    words: str
    is_required: bool = False
    depth: int = 0
    """How far within others."""

    @property
    def indent(self) -> str:
        """The class that moves it to the right."""
        return f"api-depth-{min(self.depth, 3)}"


@dataclass(frozen=True, slots=True)
class Answer:
    """What one status means."""

    status: str
    words: str
    media: str
    fields: list[Field]


@dataclass(frozen=True, slots=True)
class Operation:
    """One endpoint and method."""

    id: str
    method: str
    path: str
    summary: str
    words: str
    parameters: list[Field]
    body: list[Field]
    answers: list[Answer]
    refusals: list[str]
    example: str
    """A command line."""


@dataclass(slots=True)
class Chapter:
    """The endpoints under one heading."""

    name: str
    anchor: str
    words: str
    operations: list[Operation] = field(default_factory=list)


def _resolve(node: Node) -> Node:
    """Follow a reference."""
    while "$ref" in node:
        target: Any = document()
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    alternatives = [
        one for one in (*node.get("allOf", ()), *node.get("oneOf", ())) if one.get("type") != "null"
    ]
    if len(alternatives) == 1:
        return {
            **_resolve(alternatives[0]),
            **{name: node[name] for name in ("description", "default") if name in node},
        }
    return node


def _type(node: Node) -> str:
    """Name a type in a word or two."""
    node = _resolve(node)
    kinds = node.get("type", "any")
    names = [kind for kind in ([kinds] if isinstance(kinds, str) else kinds) if kind != "null"]
    name = " or ".join(names)
    if name == "array":
        name = f"list of {_type(node.get('items', {}))}"
    elif node.get("format") in {"date-time", "binary"}:
        name = {"date-time": "time", "binary": "bytes"}[node["format"]]
    if "null" in kinds and not isinstance(kinds, str):
        name += " or null"
    return name


def _description(node: Node) -> str:
    """Return a description with the choices and the default."""
    node = _resolve(node)
    enum = [value for value in node.get("enum", ()) if value not in ("", None)]
    parts = [
        node.get("description", "").replace("\n", " ") if "enum" not in node or not enum else "",
        f"One of {', '.join(f'`{value}`' for value in enum)}." if enum else "",
        f"`{json.dumps(node['default'])}` unless given." if "default" in node else "",
    ]
    return " ".join(part for part in parts if part)


def _fields(node: Node, depth: int = 0) -> list[Field]:
    """Return the values of an object, each followed by those in it."""
    node = _resolve(node)
    if "items" in node and depth == 0:
        return _fields(node["items"])
    rows: list[Field] = []
    for name, inner in node.get("properties", {}).items():
        is_required = name in node.get("required", ())
        rows.append(Field(name, _type(inner), _description(inner), is_required, depth))
        within = _resolve(inner)
        within = _resolve(within["items"]) if "items" in within else within
        if depth + 1 < _DEEPEST and "properties" in within:
            rows += _fields(within, depth + 1)
    return rows


def _sample(name: str, node: Node) -> Any:
    """Return a value that could be sent."""
    node = _resolve(node)
    known = {"entity": "vision", "project": "mnist", "name": "vision", "organization": "acme", "username": "ada",
             "role": "member", "uids": ["k3x9a1bc"], "people": ["grace@example.com"]}  # fmt: skip
    if name in known:
        return known[name]
    if "default" in node:
        return node["default"]
    if node.get("enum"):
        return node["enum"][0]
    kinds = node.get("type", "string")
    kind = kinds if isinstance(kinds, str) else kinds[0]
    return {"integer": 1, "number": 0.5, "boolean": True, "array": [], "object": {}}.get(kind, "…")


_FORM = "multipart/form-data"
"""How files are sent; of pictures, the one kind so far."""


def _body_of(operation: Node) -> Node:
    content = operation.get("requestBody", {}).get("content", {})
    kind = _FORM if _FORM in content else "application/json"
    return _resolve(content[kind]["schema"]) if content else {}


def _sent(operation: Node) -> list[str]:
    """Return how a command line says what is sent, as JSON or as a form."""
    body = _body_of(operation)
    if not body:
        return []
    needs = body.get("required") or list(body.get("properties", {}))[:1]
    if _FORM in operation["requestBody"]["content"]:
        return [f"-F {name}=@{name}.png" for name in needs]
    sent = {name: _sample(name, body["properties"][name]) for name in needs}
    return [f"-H 'Content-Type: application/json' -d '{json.dumps(sent, ensure_ascii=False)}'"]


def _example(method: str, path: str, operation: Node) -> str:
    """Return a command line that asks this."""
    for row in operation.get("parameters", []):
        if row["in"] == "path":
            value = _sample(row["name"], row["schema"])
            path = path.replace(
                f"{{{row['name']}}}", quote("vision/roc" if row["name"] == "path" else str(value))
            )
    needed = [row for row in operation.get("parameters", []) if row["in"] == "query" and row.get("required")]
    wanted = {"entity": "vision", "project": "mnist", "keys": "loss", "text": "error"}
    query = "&".join(f"{row['name']}={wanted.get(row['name'], 'x')}" for row in needed)
    lines = ['curl -u "api:$WANDB_API_KEY"']
    if method != "get":
        lines[0] += f" -X {method.upper()}"
    lines += _sent(operation)
    lines.append(f'"$WANDB_BASE_URL{path}{"?" + query if query else ""}"')
    return " \\\n  ".join(lines)


def _answers(operation: Node) -> tuple[list[Answer], list[str]]:
    good, refused = [], []
    for status, answer in operation["responses"].items():
        if "$ref" in answer:
            refused.append(status)
            continue
        media = answer.get("content", {})
        schema: Node = next((one["schema"] for kind, one in media.items() if kind == "application/json"), {})
        words = answer.get("description", "").replace("No response body", "")
        good.append(Answer(status, words, ", ".join(media), _fields(schema)))
    return good, sorted(refused)


def _operation(method: str, path: str, operation: Node) -> Operation:
    answers, refusals = _answers(operation)
    parameters = [
        Field(row["name"], _type(row["schema"]),
              " ".join(filter(None, [row.get("description", ""), _description({**row["schema"], "description": ""})])),
              bool(row.get("required")))
        for row in operation.get("parameters", [])
    ]  # fmt: skip
    return Operation(
        id=operation["operationId"], method=method.upper(), path=path, summary=operation.get("summary", ""),
        words=operation.get("description", ""), parameters=parameters, body=_fields(_body_of(operation)),
        answers=answers, refusals=refusals, example=_example(method, path, operation),
    )  # fmt: skip


@cache
def chapters() -> list[Chapter]:
    """Return all endpoints under their headings; made once in a process."""
    described = document()
    made = {
        tag["name"]: Chapter(tag["name"], tag["name"].lower().replace(" ", "-"), tag["description"])
        for tag in described["tags"]
    }
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            made[operation["tags"][0]].operations.append(_operation(method, path, operation))
    return [chapter for chapter in made.values() if chapter.operations]


@cache
def text_in(language: str) -> SafeString:
    """Return intro and chapters as HTML, in English with buttons in a language; made once in a process for each."""
    with translation.override(language):
        context = {"chapters": chapters(), "intro": document()["info"], "curl": _CURL, "python": _PYTHON}
        return render_to_string("api/chapters.html", context)
