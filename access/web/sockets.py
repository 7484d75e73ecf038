"""The adapter for WebSockets: a page's consumer joins one group after the same check as the page."""

from typing import Any

from asgiref.sync import sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer

from access.actor import Actor
from access.web.requests import actor_of_user

NOT_VISIBLE = 4404
"""Close code for a thing that is not there or not visible; the page stops trying."""


class GroupConsumer(AsyncJsonWebsocketConsumer):
    """Forwards the messages of one group. Subclasses say which, or None to refuse."""

    group: str | None = None

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

    async def disconnect(self, code: int) -> None:
        """Leave the group."""
        if self.group is not None:
            await self.channel_layer.group_discard(self.group, self.channel_name)

    async def live_message(self, event: dict[str, Any]) -> None:
        """Pass one message on to the page."""
        await self.send_json(event["message"])
