"""A workspace hears of the runs it follows, and of no others (RUN-28)."""

import asyncio
import json

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from channels.layers import get_channel_layer

from common import live
from runs.consumers import ProjectRunsConsumer
from tests.factories import RunFactory
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.django_db(transaction=True)


def make_runs():
    first = RunFactory()
    user = first.project.team.memberships.get().user
    return user, first, RunFactory(project=first.project), RunFactory()


async def tell(group, message):
    layer = get_channel_layer()
    assert layer is not None
    await layer.group_send(group, {"type": "live.message", "message": message})


async def heard(socket, run):
    """Return what the page has heard; what its project is told last ends it."""
    last, found = {"type": "run", "uid": "last", "state": "running"}, []
    await tell(live.project_group(run.project_id), last)
    while (message := json.loads((await socket.receive_output(timeout=PATIENCE_S))["text"])) != last:
        found.append(message)
    return found


async def opened(run, user):
    scope = {
        "type": "websocket",
        "path": "/",
        "user": user,
        "url_route": {"kwargs": {"pk": run.project_id}},
        "headers": [],
    }
    socket = ApplicationCommunicator(ProjectRunsConsumer.as_asgi(), scope)
    await socket.send_input({"type": "websocket.connect"})
    assert (await socket.receive_output())["type"] == "websocket.accept"
    return socket


async def follow(socket, run, *uids):
    """Follow runs; one message is taken after the other, so that what is heard next comes after that."""
    await socket.send_input({"type": "websocket.receive", "text": json.dumps({"follow": list(uids)})})
    assert await heard(socket, run) == []


def test_only_followed_runs_are_heard_of():
    asyncio.run(_check())


async def _check():
    user, run, other, strange = await sync_to_async(make_runs)()
    socket = await opened(run, user)
    rows = {"type": "rows", "history": 5}
    await tell(live.run_group(run.pk), {**rows, "run": run.pk})
    assert await heard(socket, run) == []
    await follow(socket, run, run.uid, strange.uid, "no-such-run")
    await tell(live.run_group(run.pk), {**rows, "run": run.pk})
    assert await heard(socket, run) == [{**rows, "run": run.pk, "uid": run.uid}]
    await tell(live.run_group(strange.pk), {**rows, "run": strange.pk})
    assert await heard(socket, run) == []
    await follow(socket, run, other.uid)
    await tell(live.run_group(run.pk), {**rows, "run": run.pk})
    assert await heard(socket, run) == []
    state = {"type": "run", "uid": run.uid, "state": "failed"}
    await tell(live.project_group(run.project_id), state)
    assert await heard(socket, run) == [state]
    await socket.send_input({"type": "websocket.disconnect", "code": 1000})
    await socket.wait()
