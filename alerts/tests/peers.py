"""Real peers and rows for tests of alerts: an HTTP server that keeps what it is sent, settings, destinations."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from typing import Any

from accounts.models import User
from alerts.models import AlertSettings, Destination, DestinationKind, Route
from alerts.outbox.routing import route_pending
from alerts.outbox.sending import send_due
from alerts.transports.addresses import sealed
from runs.lifecycle import services as lifecycle
from runs.models import Run
from runs.states import RunState
from teams.models import Team
from tests.fakes.serving import FakeHandler, serving


class Peer:
    """What a webhook's server took, in order, and how it answers."""

    def __init__(self) -> None:
        self.posts: list[dict[str, Any]] = []
        self.deliveries: list[str] = []
        self.status = 200
        self.headers: dict[str, str] = {}
        self.answers_after_s = 0.0
        self.url = ""
        self._lock = threading.Lock()

    def take(self, body: bytes, headers: Any) -> None:
        """Keep one post."""
        with self._lock:
            self.posts.append(json.loads(body))
            self.deliveries.append(headers.get("X-Runyard-Delivery", ""))

    @property
    def titles(self) -> list[str]:
        """What it was told."""
        return [post["title"] for post in self.posts]


@contextmanager
def http_peer() -> Iterator[Peer]:
    """Run one on a port of its own."""
    peer = Peer()

    class Handler(FakeHandler):
        def do_POST(self) -> None:
            peer.take(self.body(), self.headers)
            time.sleep(peer.answers_after_s)
            self.answer(peer.status, b"ok", peer.headers)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    peer.url = f"http://127.0.0.1:{server.server_address[1]}/hook"
    with serving(server):
        yield peer


def webhook(team: Team, url: str, name: str = "hook", **fields: Any) -> Destination:
    """Return a webhook of a team."""
    return Destination.objects.create(
        team=team,
        kind=DestinationKind.WEBHOOK,
        name=name,
        sealed_url=sealed(url),
        place="127.0.0.1",
        **fields,
    )


def asks(who: User | Team, *events: str, **fields: Any) -> AlertSettings:
    """Let a person or a team ask to be told: ``asks(user, "finished", "crashed")``."""
    whose = {"user": who} if isinstance(who, User) else {"team": who}
    return AlertSettings.objects.create(**whose, **{f"on_{event}": True for event in events}, **fields)


def goes_to(settings: AlertSettings, destination: Destination, **fields: Any) -> Route:
    """Let alerts go to a destination, too."""
    return Route.objects.create(settings=settings, destination=destination, **fields)


def ends(run: Run, state: RunState = RunState.FINISHED) -> Run:
    """End a run."""
    from django.db import transaction
    from django.utils import timezone

    with transaction.atomic():
        row = Run.objects.locked().select_related("project__team").get(pk=run.pk)
        lifecycle.set_state(row, state, at=timezone.now())
    return row


def told() -> int:
    """Let the worker do what it does: route and send; returns how many attempts it made."""
    route_pending()
    return send_due()
