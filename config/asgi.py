"""The composition for the server: lean endpoints for bytes and posts, Django for pages, Channels for WebSockets."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.prod")

import django

django.setup(set_prefix=False)  # before the imports below: they need the app registry

from channels.auth import AuthMiddlewareStack
from channels.routing import URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.conf import settings
from django.urls import get_resolver
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route, Router

from access.routes import Open, declare
from accounts.operators.impersonation import impersonating_sockets
from automations.evaluation import watcher
from common import live
from common.database.connecting import limit_statements
from common.server import own_process
from common.server.django_handler import DjangoHandler
from common.server.static_files import HashedStaticFiles
from common.telemetry import vitals
from common.telemetry.definitions import INGEST_QUEUE, WEBSOCKETS
from common.telemetry.requests import Application, measure
from common.telemetry.tracing import export
from config.sockets import urlpatterns as socket_urlpatterns
from ingest.api import stream
from ingest.endpoint import refused_posts
from metrics.ingest import committer
from storage.signed_urls import endpoints, tickets
from storage.signed_urls.cors import SignedUrlsMiddleware
from wandb_api.file_stream import endpoint
from wandb_api.schema import schema

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Scope = Any


@declare(Open.ANYONE)
async def no_telemetry(request: Request) -> Response:
    """Answer the SDK's telemetry probe so that it stays silent."""
    return Response(status_code=404)


static_files = declare(Open.ANYONE)(
    HashedStaticFiles(settings.STATIC_FOLDERS, max_age_s=settings.STATIC_MAX_AGE_S)
)

lean_routes = [
    Route(tickets.PUT_PATH + "{token}", endpoints.put, methods=["PUT"]),
    Route(tickets.PART_PATH + "{token}", endpoints.put_part, methods=["PUT"]),
    Route(tickets.GET_PATH + "{token}", endpoints.get, methods=["GET"]),
    Route(tickets.GET_PATH + "{token}/{name}", endpoints.get, methods=["GET"]),
    Route("/sdk/otel/v1/{signal}", no_telemetry, methods=["GET", "POST"]),
    Mount(settings.STATIC_URL.rstrip("/"), static_files),
]
lean = ExceptionMiddleware(Router(lean_routes, redirect_slashes=False))
signed_urls = SignedUrlsMiddleware(lean)
django_application = DjangoHandler()
probe_application = DjangoHandler(threads=4)
"""Threads of its own: a supervisor must not take a server for dead that is busy."""
LEAN_PREFIXES = ("/storage/", "/sdk/otel/", settings.STATIC_URL)
PROBES = ("/healthz", "/ready", "/metrics")
OWN_HOST = urlsplit(settings.BASE_URL).netloc.encode()

sockets = AllowedHostsOriginValidator(
    AuthMiddlewareStack(impersonating_sockets(URLRouter(socket_urlpatterns)))
)


async def _lifespan(receive: Receive, send: Send) -> None:
    """Start the group commit with the server and drain it before the process ends."""
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            limit_statements()
            export.start("web")
            live.send_on(asyncio.get_running_loop())
            committer.start()
            watcher.start()
            vitals.sample(INGEST_QUEUE, committer.queued)
            vitals.watch("web")
            get_resolver().url_patterns  # noqa: B018 - imports all views, which the first request would wait for
            own_process.settle("web")
            await send({"type": "lifespan.startup.complete"})
            await asyncio.to_thread(schema)  # which the first client would wait for
        else:
            live.send_on(None)
            await refused_posts.buffer.save()
            committer.stop()
            watcher.stop()
            await asyncio.to_thread(export.stop)
            await send({"type": "lifespan.shutdown.complete"})
            return


async def probes(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer whoever asks by the address of a host or pod, as load balancers, Kubernetes and Prometheus do."""
    headers = [(name, value) for name, value in scope["headers"] if name != b"host"]
    await probe_application({**scope, "headers": [(b"host", OWN_HOST), *headers]}, receive, send)


SURFACES = (
    ("storage", ("/storage/",)),
    ("static", (settings.STATIC_URL,)),
    ("graphql", ("/graphql",)),
    ("rest", ("/api/",)),
    ("probes", (*PROBES, "/sdk/otel/")),
)


def _served(method: str, path: str) -> tuple[str, Application]:
    """Return the surface a path belongs to, by which it is measured, and who serves it."""
    if path.endswith("/file_stream") and path.startswith("/files/"):
        return "file_stream", endpoint.file_stream
    if method == "POST" and stream.PATH.fullmatch(path):
        return "stream", stream.stream
    surface = next((name for name, prefixes in SURFACES if path.startswith(prefixes)), "pages")
    if surface == "storage":
        return surface, signed_urls
    if path in PROBES:
        return surface, probes
    return surface, lean if path.startswith(LEAN_PREFIXES) else django_application


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Send each connection to who serves it."""
    if scope["type"] == "http":
        surface, served_by = _served(scope["method"], scope["path"])
        await measure(surface, served_by, scope, receive, send)
    elif scope["type"] == "websocket":
        with WEBSOCKETS.track_inprogress():
            await sockets(scope, receive, send)
    else:
        await _lifespan(receive, send)
