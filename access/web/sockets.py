"""The adapter for WebSockets: a page's consumer joins one group after the same check as the page."""

import asyncio
import contextlib
from importlib import import_module
from typing import Any

from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from django.conf import settings
from django.contrib.auth import get_user
from django.db import DatabaseError
from django.http import HttpRequest

from access.actor import ANONYMOUS, Actor
from access.web.requests import actor_of_user

NOT_VISIBLE = 4404
"""Close code for a thing that is not there or not visible; the page stops trying."""


CHECK_EVERY_S = 45.0
"""Seconds after which an open socket must still be allowed: a permission that is withdrawn, or a session that ends,
closes it within a minute."""


class GroupConsumer(AsyncJsonWebsocketConsumer):
    """Forwards the messages of one group. Subclasses say which, or None to refuse."""

    group: str | None = None
    _watching: asyncio.Task[None] | None = None

    def group_of(self, actor: Actor) -> str | None:
        """Return the group the actor may follow, or None; runs in a thread and may query."""
        raise NotImplementedError

    def actor(self) -> Actor:
        """Return who listens."""
        return actor_of_user(self.scope.get("user"))

    def _group(self) -> str | None:
        return self.group_of(self.actor())

    async def connect(self) -> None:
        """Join the group or close with NOT_VISIBLE."""
        self.group = await sync_to_async(self._group)()
        if self.group is None:
            await self.accept()  # a close code reaches the browser only on an accepted socket
            await self.close(code=NOT_VISIBLE)
            return
        await self.channel_layer.group_add(self.group, self.channel_name)
        await self.accept()
        self._watching = asyncio.create_task(self._close_once_refused())

    def _is_still_allowed(self) -> bool:
        """Whether who listens is still signed in and would be let in today."""
        user: Any = self.scope.get("user")
        key = getattr(self.scope.get("session"), "session_key", None)
        if user is None or not user.is_authenticated:
            return self.group_of(ANONYMOUS) == self.group
        request = HttpRequest()
        request.session = import_module(settings.SESSION_ENGINE).SessionStore(key)
        now = get_user(request)
        if not now.is_authenticated:
            return False
        if getattr(user, "impersonated_by", ""):  # the session is the operator's; the hour is limited anyway
            return self._group() == self.group
        return now.pk == user.pk and self.group_of(actor_of_user(now)) == self.group

    async def _close_once_refused(self) -> None:
        while True:
            await asyncio.sleep(CHECK_EVERY_S)
            with contextlib.suppress(DatabaseError):  # looks again the next time
                if not await database_sync_to_async(self._is_still_allowed)():
                    await self.close(code=NOT_VISIBLE)
                    return

    async def disconnect(self, code: int) -> None:
        """Leave the group."""
        if self._watching is not None:
            self._watching.cancel()
        if self.group is not None:
            await self.channel_layer.group_discard(self.group, self.channel_name)

    async def live_message(self, event: dict[str, Any]) -> None:
        """Pass one message on to the page."""
        await self.send_json(event["message"])
