"""Open WebSockets are counted while they are open."""

from typing import Any

import pytest
from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator
from django.conf import settings
from django.test import Client

from common.telemetry.definitions import REGISTRY
from config.asgi import application
from tests.factories import UserFactory
from tests.waiting import PATIENCE_S


def is_open() -> float | None:
    return REGISTRY.get_sample_value("runyard_websocket_connections")


def opened(path: str, client: Client) -> ApplicationCommunicator:
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    scope: dict[str, Any] = {"type": "websocket", "path": path, "query_string": b"", "subprotocols": []}
    scope["headers"] = [(b"cookie", f"{cookie.key}={cookie.value}".encode())]
    return ApplicationCommunicator(application, scope)


@pytest.mark.django_db(transaction=True)
def test_a_socket_is_counted_while_it_is_open(client: Client):
    client.force_login(UserFactory())

    async def look() -> list[float | None]:
        seen = [is_open()]
        socket = opened("/ws/me", client)
        await socket.send_input({"type": "websocket.connect"})
        await socket.receive_output(timeout=PATIENCE_S)
        seen.append(is_open())
        await socket.send_input({"type": "websocket.disconnect", "code": 1000})
        await socket.wait(timeout=PATIENCE_S)
        return [*seen, is_open()]

    assert async_to_sync(look)() == [0, 1, 0]
