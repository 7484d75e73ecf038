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

pytestmark = pytest.mark.django_db(transaction=True)


def make_runs():
    first = RunFactory()
    user = first.project.team.memberships.get().user
    return user, first, RunFactory(project=first.project), RunFactory()


async def told(socket, group, message):
    """Send to a group and return what the page hears, None for nothing."""
    layer = get_channel_layer()
    assert layer is not None
    await layer.group_send(group, {"type": "live.message", "message": message})
    if await socket.receive_nothing(timeout=0.3):
        return None
    return json.loads((await socket.receive_output())["text"])


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


async def follow(socket, *uids):
    await socket.send_input({"type": "websocket.receive", "text": json.dumps({"follow": list(uids)})})
    await asyncio.sleep(0.2)


def test_only_followed_runs_are_heard_of():
    asyncio.run(_check())


async def _check():
    user, run, other, strange = await sync_to_async(make_runs)()
    socket = await opened(run, user)
    rows = {"type": "rows", "history": 5}
    assert await told(socket, live.run_group(run.pk), {**rows, "run": run.pk}) is None
    await follow(socket, run.uid, strange.uid, "no-such-run")
    assert await told(socket, live.run_group(run.pk), {**rows, "run": run.pk}) == {
        **rows,
        "run": run.pk,
        "uid": run.uid,
    }
    assert await told(socket, live.run_group(strange.pk), {**rows, "run": strange.pk}) is None
    await follow(socket, other.uid)
    assert await told(socket, live.run_group(run.pk), {**rows, "run": run.pk}) is None
    state = {"type": "run", "uid": run.uid, "state": "failed"}
    assert await told(socket, live.project_group(run.project_id), state) == state
    await socket.send_input({"type": "websocket.disconnect", "code": 1000})
    await socket.wait()
