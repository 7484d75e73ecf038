"""WebSocket routes."""

from typing import Any

from django.urls import path

from access.web.sockets import GroupConsumer
from runs.consumers import HomeConsumer, ProjectConsumer, ProjectRunsConsumer, RunConsumer


def _socket(route: str, consumer: type[GroupConsumer]) -> Any:
    """Return a route that Channels takes; Django's types know only views."""
    application: Any = consumer.as_asgi()
    return path(route, application)


urlpatterns = [
    _socket("ws/me", HomeConsumer),
    _socket("ws/projects/<int:pk>", ProjectConsumer),
    _socket("ws/projects/<int:pk>/runs", ProjectRunsConsumer),
    _socket("ws/runs/<int:pk>", RunConsumer),
]
