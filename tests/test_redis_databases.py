"""Installations that share a Redis, each with its own database, stay apart."""

import runpy
from collections.abc import Iterator
from typing import Any

import pytest
from channels.layers import get_channel_layer
from kombu import Connection
from redis.connection import parse_url

from common.server import embedded_redis
from config.env import ROOT

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Start a Redis for this module and return its URL."""
    with embedded_redis.running() as address:
        yield address


def settings_for(url: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the settings of an installation whose RUNYARD_REDIS_URL is this one."""
    monkeypatch.setenv("RUNYARD_REDIS_URL", url)
    return runpy.run_path(str(ROOT / "config/settings/redis.py"))


@pytest.mark.parametrize(
    "url",
    [
        "redis://h", "redis://h:6379/", "redis://h:6379/3", "rediss://user:p%2F1@h/12", "redis://h?db=4",
        "unix:///run/5/redis.sock", "unix:///redis.sock?db=6", "unix://:word@/redis.sock?client_name=a&db=7",
    ],
)  # fmt: skip
def test_the_database_is_the_one_that_clients_connect_to(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    config = settings_for(url, monkeypatch)["CHANNEL_LAYERS"]["default"]["CONFIG"]
    assert config["prefix"] == f"runyard.{parse_url(url).get('db', 0)}."


@pytest.mark.asyncio
async def test_live_messages_stay_within_their_installation(
    url: str, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    """Redis publishes across databases: an open page followed a run of another installation."""
    layers: list[Any] = []
    for database in (1, 2):
        settings.CHANNEL_LAYERS = settings_for(f"{url}?db={database}", monkeypatch)["CHANNEL_LAYERS"]
        layers.append(get_channel_layer())
    channels = [await layer.new_channel() for layer in layers]
    for layer, channel in zip(layers, channels, strict=True):
        await layer.group_add("user.1", channel)
    for layer in layers:
        await layer.group_send("user.1", {"type": "live.message", "of": layer.prefix})
    for layer, channel in zip(layers, channels, strict=True):
        assert (await layer.receive(channel))["of"] == layer.prefix
        assert layer._get_layer().channels[channel].empty()
        await layer.flush()


@pytest.mark.parametrize(("query", "database"), [("", 0), ("?db=5", 5), ("?client_name=runyard&db=5", 5)])
def test_tasks_are_queued_in_the_database_that_the_url_names(
    url: str, monkeypatch: pytest.MonkeyPatch, query: str, database: int
) -> None:
    """Celery calls the database of a socket `virtual_host`, and ignored `db`."""
    found = settings_for(url + query, monkeypatch)
    with Connection(found["CELERY_BROKER_URL"]) as connection:
        channel: Any = connection.channel()
        assert channel.client.connection_pool.connection_kwargs["db"] == database
        assert channel.client.ping()
