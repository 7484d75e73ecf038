"""Messages to open pages, from threads and from the loop that serves."""

import asyncio
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from channels.layers import get_channel_layer

from common import live

MESSAGE = {"type": "state", "state": "running"}


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    live.send_on(None)


async def listening() -> tuple[Any, str]:
    layer: Any = get_channel_layer()
    channel = await layer.new_channel()
    await layer.group_add("run.1", channel)
    return layer, channel


@pytest.mark.asyncio
async def test_a_thread_hands_its_message_to_the_loop_that_serves() -> None:
    layer, channel = await listening()
    live.send_on(asyncio.get_running_loop())
    await asyncio.to_thread(live.send, "run.1", MESSAGE)
    assert await layer.receive(channel) == {"type": "live.message", "message": MESSAGE}


@pytest.mark.asyncio
async def test_without_a_serving_loop_the_sender_sends() -> None:
    layer, channel = await listening()
    await asyncio.to_thread(live.send, "run.1", MESSAGE)
    assert await layer.receive(channel) == {"type": "live.message", "message": MESSAGE}


def test_a_loop_that_has_ended_is_no_failure() -> None:
    loop = asyncio.new_event_loop()
    loop.close()
    live.send_on(loop)
    live.send("run.1", MESSAGE)


@pytest.mark.asyncio
async def test_a_redis_that_is_away_is_logged_once_for_all_that_waits(
    settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": ["unix:///nowhere/redis.sock"]},
        }
    }
    notifier = live.Notifier()
    with caplog.at_level(logging.WARNING, live.__name__):
        for number in range(3):
            notifier.notify(f"run.{number}", MESSAGE)
        assert notifier._task is not None
        await notifier._task
    assert len(caplog.records) == 1
