"""Two installations on two databases of one Redis do not hear of each other."""

import runpy
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from channels.layers import get_channel_layer
from kombu import Connection

from common.server import embedded_redis
from config.env import ROOT

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Give the URL of a Redis of its own."""
    folder = embedded_redis.make_folder()
    process = subprocess.Popen(embedded_redis.command(folder), stdout=subprocess.DEVNULL)
    embedded_redis.wait_until_ready(folder, process)
    yield embedded_redis.url_of(folder)
    process.terminate()
    process.wait()
    shutil.rmtree(folder)


def settings_for(url: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the settings of an installation whose RUNYARD_REDIS_URL is this one."""
    monkeypatch.setenv("RUNYARD_REDIS_URL", url)
    return runpy.run_path(str(ROOT / "config/settings/redis.py"))


@pytest.mark.asyncio
async def test_open_pages_hear_of_their_own_installation_only(
    url: str, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    """Redis delivers what is published to all its databases: a page followed the run of another installation."""
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


@pytest.mark.parametrize("database", [0, 5])
def test_tasks_are_kept_in_the_database_that_the_url_names(
    url: str, monkeypatch: pytest.MonkeyPatch, database: int
) -> None:
    """Celery's URL of a socket names the database otherwise, and took `db` for nothing."""
    found = settings_for(f"{url}?db={database}" if database else url, monkeypatch)
    with Connection(found["CELERY_BROKER_URL"]) as connection:
        channel: Any = connection.channel()
        assert channel.client.connection_pool.connection_kwargs["db"] == database
        assert channel.client.ping()
