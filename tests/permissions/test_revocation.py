"""Permissions that are withdrawn end what is already open within a minute: each channel that outlives a request."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from hashlib import md5
from typing import Any

import httpx
import pytest
import time_machine
from asgiref.sync import async_to_sync, sync_to_async
from asgiref.testing import ApplicationCommunicator
from django.conf import settings
from django.db import connections
from django.test import Client
from django.utils import timezone

from access.actor import Actor
from access.web import sockets
from accounts.api_keys.secrets import actor_of_secret
from accounts.models import ApiKey, User
from artifacts.drafts.manifests import announce_manifest
from artifacts.drafts.services import Given, begin_version
from artifacts.drafts.uploads import FileSpec, addresses_for
from artifacts.models import ManifestKind
from artifacts.tests.factories import md5_of
from config.asgi import application
from runs.files.services import upload_paths
from runs.models import Run
from storage.signed_urls import tickets
from teams.models import Membership, OrganizationMember
from tests.factories import RunFactory, UserFactory, actor, make_key, make_member
from tests.waiting import PATIENCE_S
from wandb_api.graphql.context import Context
from wandb_api.resolvers.artifacts.logging import _upload

pytestmark = pytest.mark.django_db(transaction=True)
CONTENT = b"content"


@pytest.fixture(autouse=True)
def _own_folder(settings: Any, tmp_path: Any) -> Any:
    settings.BLOB_ROOT = tmp_path
    yield
    connections.close_all()


@pytest.fixture
def run() -> Run:
    made: Run = RunFactory()
    made.user = make_member(made.project.team)
    made.save()
    return made


def author(run: Run) -> User:
    assert run.user is not None
    return run.user


def of_key(run: Run) -> Actor:
    return actor_of_secret(make_key(author(run)), "")


# -- what withdraws them -------------------------------------------------------------------------------------------


def leave(run: Run) -> None:
    Membership.objects.filter(user=author(run)).delete()
    OrganizationMember.objects.filter(user=author(run)).delete()


def lose_key(run: Run) -> None:
    ApiKey.objects.filter(user=author(run)).delete()


def be_deactivated(run: Run) -> None:
    User.objects.filter(pk=author(run).pk).update(is_active=False)


def key_expires(run: Run) -> None:
    ApiKey.objects.filter(user=author(run)).update(expires_at=timezone.now() - timedelta(days=1))


# -- upload tickets ------------------------------------------------------------------------------------------------


def file_of_run(run: Run) -> str:
    [path] = upload_paths(actor=of_key(run), run=run, names=["notes.txt"])
    assert path is not None
    return path


def _draft(run: Run) -> tuple[Actor, Any]:
    who = of_key(run)
    given = Given(type_name="model", name="weights", digest="0" * 32)
    return who, begin_version(actor=who, project=run.project, run=run, given=given)


def file_of_draft(run: Run) -> str:
    who, version = _draft(run)
    [address] = addresses_for(actor=who, files=[FileSpec(version.pk, "a.bin", md5_of(CONTENT))])
    return address.put_url


def part_of_draft(run: Run) -> str:
    who, version = _draft(run)
    parts = [(1, md5(CONTENT, usedforsecurity=False).hexdigest())]
    [address] = addresses_for(actor=who, files=[FileSpec(version.pk, "a.bin", md5_of(CONTENT), parts)])
    return str(address.part_urls[0][1])


def manifest_of_draft(run: Run) -> str:
    who, version = _draft(run)
    manifest = announce_manifest(
        actor=who, version=version, kind=ManifestKind.FULL, name="m", digest="", base=None
    )
    made = _upload(Context(who, ""), manifest)
    return str(made["artifactManifest"]["file"]["uploadUrl"])


@async_to_sync
async def put(path: str) -> int:
    transport = httpx.ASGITransport(application)
    async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
        return (await client.put(path, content=CONTENT)).status_code


UPLOADS = [file_of_run, file_of_draft, part_of_draft, manifest_of_draft]
LATER = timedelta(seconds=tickets.CHECKED_AFTER_S + 5)


@pytest.mark.parametrize("upload", UPLOADS)
@pytest.mark.parametrize("withdraw", [leave, lose_key, be_deactivated, key_expires])
def test_an_upload_is_refused_a_minute_after_the_permission_is_withdrawn(
    upload: Callable[[Run], str], withdraw: Callable[[Run], None], run: Run
):
    path = upload(run)
    withdraw(run)
    with time_machine.travel(timezone.now() + LATER):
        assert put(path) in {401, 403, 404}


def test_an_operator_who_is_none_any_more_uploads_nothing_as_one(run: Run):
    boss: User = UserFactory(is_operator=True)
    elevated = replace(actor(boss), elevated=True)
    [path] = upload_paths(actor=elevated, run=run, names=["notes.txt"])
    assert path is not None
    with time_machine.travel(timezone.now() + LATER):
        assert put(path) == 200
        User.objects.filter(pk=boss.pk).update(is_operator=False)
        assert put(path) == 404


@pytest.mark.parametrize("upload", UPLOADS)
def test_an_upload_that_is_still_allowed_is_taken_hours_later(upload: Callable[[Run], str], run: Run):
    """As after an outage."""
    path = upload(run)
    with time_machine.travel(timezone.now() + timedelta(hours=5)):
        assert put(path) == 200


# -- open pages ----------------------------------------------------------------------------------------------------


def sign_out(run: Run, client: Client) -> None:
    client.logout()


def leave_team(run: Run, client: Client) -> None:
    leave(run)


def deactivated(run: Run, client: Client) -> None:
    be_deactivated(run)


async def _listen(path: str, client: Client, between: Callable[[], None]) -> Any:
    cookie = f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"
    scope = {
        "type": "websocket", "path": path, "query_string": b"", "headers": [(b"cookie", cookie.encode())],
        "subprotocols": [],
    }  # fmt: skip
    socket = ApplicationCommunicator(application, scope)
    await socket.send_input({"type": "websocket.connect"})
    assert (await socket.receive_output(timeout=PATIENCE_S))["type"] == "websocket.accept"
    await asyncio.sleep(3 * sockets.CHECK_EVERY_S)
    assert await socket.receive_nothing(timeout=0.02), "closed although it is allowed"
    await sync_to_async(between)()
    message = await socket.receive_output(timeout=PATIENCE_S)
    socket.stop()
    return message


@pytest.mark.parametrize("page", ["/ws/runs/{run}", "/ws/projects/{project}", "/ws/me"])
@pytest.mark.parametrize("withdraw", [sign_out, leave_team, deactivated])
def test_an_open_page_is_closed(
    page: str, withdraw: Callable[[Run, Client], None], run: Run, monkeypatch: pytest.MonkeyPatch
):
    if page == "/ws/me" and withdraw is leave_team:
        pytest.skip("one's own runs are one's own in any team")
    monkeypatch.setattr(sockets, "CHECK_EVERY_S", 0.1)
    client = Client()
    client.force_login(author(run))
    path = page.format(run=run.pk, project=run.project_id)
    message = async_to_sync(_listen)(path, client, lambda: withdraw(run, client))
    assert (message["type"], message["code"]) == ("websocket.close", sockets.NOT_VISIBLE)
