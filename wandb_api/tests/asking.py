"""Asking GraphQL as the SDK does, in this process."""

import json
from dataclasses import dataclass
from typing import Any

from django.test import Client

from accounts.models import User
from tests.factories import basic, make_key


@dataclass(frozen=True)
class Answer:
    """A reply of ``POST /graphql``."""

    status: int
    body: dict[str, Any]

    @property
    def data(self) -> Any:
        """The data of an answer without errors."""
        assert "errors" not in self.body, self.body
        assert self.status == 200
        return self.body["data"]

    @property
    def messages(self) -> list[str]:
        """The errors' messages."""
        return [error["message"] for error in self.body["errors"]]


class Asker:
    """Somebody with an API key."""

    def __init__(self, user: User, **headers: str) -> None:
        self.user = user
        self.headers = {"Authorization": basic(make_key(user)), **headers}

    def send(self, content: Any, **headers: str) -> Answer:
        """Send a body as it is, if it is bytes, else as JSON."""
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        reply = Client().post(
            "/graphql", body, content_type="application/json", headers={**self.headers, **headers}
        )
        return Answer(reply.status_code, json.loads(reply.content))

    def ask(self, query: str, **variables: Any) -> Answer:
        """Send one document."""
        return self.send({"query": query, "variables": variables})
