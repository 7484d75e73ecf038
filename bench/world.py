"""A user, a project and bodies as the SDK posts them."""

import json
import random
from typing import Any

import orjson

from access.actor import SYSTEM
from access.web.requests import actor_of_user
from accounts.lifecycle.services import create_user
from runs.lifecycle.fields import RunFields
from runs.lifecycle.services import log_run
from runs.models import Project, Run
from runs.projects.services import ensure_project

STEPS, KEYS = 15, 40
"""Of one post: about 24 kB."""


def project(name: str) -> Project:
    """Make a user with a project."""
    user = create_user(actor=SYSTEM, username=f"bench-{name}", email=f"{name}@example.com")
    team = user.memberships.get().team
    return ensure_project(actor=actor_of_user(user), team=team, name=name)


def runs(where: Project, count: int) -> list[Run]:
    """Begin runs."""
    return [
        log_run(actor=SYSTEM, project=where, uid=f"run{number}", fields=RunFields())[0]
        for number in range(count)
    ]


def line_of(row: dict[str, Any]) -> str:
    """Encode one line as the SDK does."""
    return json.dumps(row)


def decoded(lines: list[str]) -> list[dict[str, Any]]:
    """Only decode: the reference of every figure."""
    rows: list[dict[str, Any]] = orjson.loads("[" + ",".join(lines) + "]")
    return rows


def decode_post(content: bytes) -> list[dict[str, Any]]:
    """Only decode a post and its lines."""
    return decoded(orjson.loads(content)["files"]["wandb-history.jsonl"]["content"])


def body(number: int, *, steps: int = STEPS, keys: int = KEYS, seed: int = 0) -> bytes:
    """Return the post that carries steps ``number * steps`` onwards."""
    source = random.Random(f"{seed}-{number}")  # noqa: S311 - test data
    lines = []
    for step in range(number * steps, (number + 1) * steps):
        row = {f"train/metric_{key}": source.random() for key in range(keys)}
        row |= {"_step": step, "_timestamp": 1.7e9 + step, "_runtime": float(step)}
        items = list(row.items())
        source.shuffle(
            items
        )  # the SDK's core walks a Go map: no two of its lines have their keys in one order
        lines.append(line_of(dict(items)))
    files = {
        "wandb-history.jsonl": {"offset": number * steps, "content": lines},
        "wandb-summary.json": {"offset": 0, "content": [lines[-1]]},
    }
    return json.dumps({"files": files}).encode()
