"""The outbox of alerts: events a second from the table to a local peer, and how soon a crash is in somebody's mail."""

import email
import email.policy
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from celery import current_app
from django.conf import settings
from django.db import connection
from django.utils import timezone

from alerts.models import AlertSettings, Event, EventKind, Message, MessageState
from alerts.outbox.routing import route_pending
from alerts.outbox.sending import THREADS, send_due
from alerts.tests.peers import http_peer, webhook
from automations.models import Automation
from bench import world
from common.safe_http.client import post
from runs.models import Run
from tests.installation import Installation
from tests.ports import free_port

EVENTS, HOOKS, ROUNDS = 1000, 4, 3
PEOPLE, CRASHES = 10, 3
"""So many people have a run each that crashes, so many times."""

CRASH = """
import json
from datetime import timedelta
from django.utils import timezone
from access.actor import SYSTEM
from accounts.models import User
from accounts.lifecycle.services import create_user
from alerts.models import AlertSettings
from runs.models import Pulse
from runs.lifecycle.services import RunFields, log_run
from runs.projects.services import ensure_project
for number in range({people}):
    name = f"bench{{number}}"
    user = User.objects.filter(username=name).first()
    if user is None:
        user = create_user(actor=SYSTEM, username=name, email=f"{{name}}@example.com")
        AlertSettings.objects.create(user=user, on_crashed=True)
    project = ensure_project(actor=SYSTEM, team=user.memberships.get().team, name="bench")
    run, _ = log_run(actor=SYSTEM, project=project, uid="run{crash}", user=user, fields=RunFields())
    Pulse.objects.filter(run=run).update(heartbeat_at=timezone.now() - timedelta(hours=1))
"""
NOTICED = """
import json
from runs.models import StateChange
rows = StateChange.objects.filter(state="crashed", run__uid="run{crash}")
print(json.dumps({{row.run.user.email: row.noticed_at.timestamp() for row in rows.select_related("run__user")}}))
"""


class Inbox:
    """A mail server that notes when each address was mailed last."""

    def __init__(self) -> None:
        self.arrived: dict[str, float] = {}

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        """Note one mail."""
        at = time.time()
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        self.arrived[str(mail["To"])] = at
        return "250 OK"


_MET = {
    "event": "RUN_METRIC", "condition": {"threshold_filter": {"name": "loss", "cmp_op": "$gt", "threshold": 0.5}},
    "metric": "loss", "value": 1.0, "measured": 1.0, "threshold": 0.5, "step": 1,
}  # fmt: skip


def _events(count: int, automations: list[Automation], run: Run) -> None:
    Event.objects.bulk_create(
        [
            Event(
                kind=EventKind.RUN_METRIC, team_id=run.project.team_id, project=run.project, run=run,
                automation=automations[number % len(automations)],
                data=_MET,
            )
            for number in range(count)
        ]
    )  # fmt: skip


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds of the clock and of CPU; the peer, a thread of this process, is a part of the latter."""
    begin, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - begin, time.process_time() - cpu


def _throughput() -> None:
    """Each event is a message of its own, as of automations that call webhooks: nothing gathers."""
    current_app.conf.update(broker_url="memory://")  # nobody listens: the bench itself routes and sends
    settings.ALLOWED_NETWORKS = ["127.0.0.0/8"]
    project = world.project("alerts")
    (run,) = world.runs(project, 1)
    with http_peer() as peer:
        automations = [
            Automation.objects.create(
                team=project.team, project=project, name=f"watch{number}", event="RUN_METRIC",
                action="GENERIC_WEBHOOK", destination=webhook(project.team, peer.url, name=f"hook{number}"),
            )
            for number in range(HOOKS)
        ]  # fmt: skip
        figures: dict[str, list[tuple[float, float]]] = {"limit": [], "routed": [], "sent": []}
        for _ in range(ROUNDS):
            body = b'{"title": "watch"}' + b" " * 600
            with ThreadPoolExecutor(THREADS) as pool:
                limit = _timed(
                    lambda: list(pool.map(lambda _: post(peer.url, body=body, headers={}), range(EVENTS)))  # noqa: B023
                )
            _events(EVENTS, automations, run)
            routed, sent = _timed(route_pending), _timed(lambda: send_due(budget_s=600))
            for name, took in (("limit", limit), ("routed", routed), ("sent", sent)):
                figures[name].append(took)
        assert Message.objects.filter(state=MessageState.SENT).count() == EVENTS * ROUNDS
        assert len(set(peer.deliveries)) == EVENTS * ROUNDS + 1
    for name, values in figures.items():
        took_s, cpu_s = map(statistics.median, zip(*values, strict=True))
        print(f"{name:<8} {EVENTS / took_s:7.0f} a second, {cpu_s * 1e3 / EVENTS:5.1f} ms CPU each")


def _gathered() -> None:
    """A thousand runs that end at once, told to one person: what routing takes where all of it gathers."""
    project = world.project("gathered")
    runs = world.runs(project, EVENTS)
    AlertSettings.objects.create(user=project.created_by, on_crashed=True)
    Run.objects.filter(project=project).update(user=project.created_by)
    data = {"state": "crashed", "before": "running"}
    Event.objects.bulk_create(
        [
            Event(kind=EventKind.RUN_STATE, team=project.team, project=project, run=run, data=data)
            for run in runs
        ]
    )
    routed, cpu = _timed(route_pending)
    Message.objects.filter(is_open=True).update(send_at=timezone.now())
    sent, _cpu = _timed(lambda: send_due(budget_s=600))
    print(
        f"digest   {EVENTS / routed:7.0f} a second, {cpu * 1e3 / EVENTS:5.1f} ms CPU each; its mail {sent:.1f} s"
    )


def _delays(home: Path, gather_s: int) -> None:
    inbox = Inbox()
    controller = Controller(inbox, hostname="127.0.0.1", port=free_port())
    controller.start()
    variables: dict[str, Any] = {
        "RUNYARD_EMAIL_URL": f"smtp://127.0.0.1:{controller.port}",
        "RUNYARD_ALERT_GATHER_S": str(gather_s),
    }
    delays: list[float] = []
    try:
        with (
            tempfile.TemporaryDirectory(dir=home) as folder,
            Installation(Path(folder), **variables) as server,
        ):
            for crash in range(CRASHES):
                inbox.arrived.clear()
                server.manage("shell", "--no-imports", "-c", CRASH.format(people=PEOPLE, crash=crash))
                while len(inbox.arrived) < PEOPLE:
                    time.sleep(0.1)
                noticed = server.manage("shell", "--no-imports", "-c", NOTICED.format(crash=crash))
                delays += [inbox.arrived[address] - at for address, at in noticed.items()]
    finally:
        controller.stop()
    delays.sort()
    p95 = delays[int(len(delays) * 0.95)]
    print(
        f"gathering {gather_s:>2} s: from the crash noticed to the mail {statistics.median(delays):.2f} s (p50),"
        f" {p95:.2f} s (p95), {len(delays)} mails"
    )


def run(home: Path) -> None:
    """Print events a second beside bare posts to the same peer, then seconds to the mail."""
    print(f"{EVENTS} events, {connection.vendor}; load {os.getloadavg()[0]:.1f}\n")
    _throughput()
    _gathered()
    for gather_s in (10, 0):
        _delays(home, gather_s)
