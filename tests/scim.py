"""An identity provider that speaks SCIM 2.0 to an organization."""

import json
from typing import Any
from urllib.parse import quote

from django.test import Client

USER = "urn:ietf:params:scim:schemas:core:2.0:User"
PLACE = "urn:ietf:params:scim:schemas:extension:runyard:2.0:User"
GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"


class Provider:
    """An identity provider: sends a request with its key, returns (status, JSON)."""

    def __init__(self, key: str, organization: str = "acme") -> None:
        self._key, self._organization = key, organization

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        response = Client().generic(
            method, f"/scim/v2/{self._organization}/{path}", json.dumps(body) if body is not None else "",
            content_type="application/scim+json", headers={"Authorization": f"Bearer {self._key}"},
        )  # fmt: skip
        if response.content:
            assert response["Content-Type"] == "application/scim+json"
        return response.status_code, json.loads(response.content or b"null")

    def patch(self, path: str, *operations: dict[str, Any]) -> tuple[int, Any]:
        return self.ask("PATCH", path, {"schemas": [PATCH], "Operations": list(operations)})

    def make(self, user_name: str = "bob@example.com", **more: Any) -> Any:
        body = {
            "schemas": [USER],
            "userName": user_name,
            "emails": [{"value": user_name, "primary": True}],
            **more,
        }
        status, told = self.ask("POST", "Users", body)
        assert status == 201, told
        return told

    def find(self, which: str, wanted: str) -> list[Any]:
        status, told = self.ask("GET", f"{which}?filter={quote(wanted)}")
        assert status == 200, told
        return list(told["Resources"]) if told["totalResults"] else []
