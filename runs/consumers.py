"""Live pages: each follows one group, or those of some runs, after the same check as the page itself."""

from typing import Any

from asgiref.sync import sync_to_async

from access.actor import Actor
from access.engine import visible
from access.routes import Open, declare
from access.web.sockets import GroupConsumer
from common import live
from runs.access import ProjectAction, RunAction
from runs.models import Project, Run


@declare(Open.SIGNED_IN)
class HomeConsumer(GroupConsumer):
    """The home page: one's own runs."""

    def group_of(self, actor: Actor) -> str | None:
        """Follow oneself."""
        return live.user_group(actor.user_id) if actor.user_id is not None else None


@declare(ProjectAction.VIEW)
class ProjectConsumer(GroupConsumer):
    """A project's list of runs."""

    def group_of(self, actor: Actor) -> str | None:
        """Follow a visible project."""
        pk = self.scope["url_route"]["kwargs"]["pk"]
        seen = visible(actor, ProjectAction.VIEW, Project.objects.filter(pk=pk)).exists()
        return live.project_group(pk) if seen else None


@declare(RunAction.VIEW)
class RunConsumer(GroupConsumer):
    """A run's pages."""

    def group_of(self, actor: Actor) -> str | None:
        """Follow a visible run."""
        pk = self.scope["url_route"]["kwargs"]["pk"]
        seen = visible(actor, RunAction.VIEW, Run.objects.live().filter(pk=pk)).exists()
        return live.run_group(pk) if seen else None


@declare(ProjectAction.VIEW)
class ProjectRunsConsumer(GroupConsumer):
    """A workspace: states of all runs of a project, and new rows of the runs it names: ``{"follow": [id, …]}``."""

    MOST = 500
    """Runs followed at once."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.uid_of: dict[int, str] = {}

    def group_of(self, actor: Actor) -> str | None:
        """Follow a visible project."""
        pk = self.scope["url_route"]["kwargs"]["pk"]
        seen = visible(actor, ProjectAction.VIEW, Project.objects.filter(pk=pk)).exists()
        return live.project_group(pk) if seen else None

    def _runs(self, uids: list[str]) -> dict[int, str]:
        pk = self.scope["url_route"]["kwargs"]["pk"]
        runs = visible(self.actor(), RunAction.VIEW, Run.objects.live().filter(project=pk, uid__in=uids))
        return dict(runs.values_list("pk", "uid"))

    async def receive_json(self, content: Any, **_kwargs: Any) -> None:
        """Follow the visible ones of the runs named, and no others any more."""
        named = content.get("follow") if isinstance(content, dict) else None
        if self.group is None or not isinstance(named, list):
            return
        uids = [str(uid).replace("\x00", "") for uid in named[: self.MOST]]
        requested = await sync_to_async(self._runs)(uids)
        for pk in self.uid_of.keys() - requested.keys():
            await self.channel_layer.group_discard(live.run_group(pk), self.channel_name)
        for pk in requested.keys() - self.uid_of.keys():
            await self.channel_layer.group_add(live.run_group(pk), self.channel_name)
        self.uid_of = requested

    async def disconnect(self, code: int) -> None:
        """Leave all groups."""
        for pk in self.uid_of:
            await self.channel_layer.group_discard(live.run_group(pk), self.channel_name)
        await super().disconnect(code)

    async def live_message(self, event: dict[str, Any]) -> None:
        """Pass a message on; a run's rows with the id that the page knows it by."""
        message = event["message"]
        if message["type"] == "rows":
            uid = self.uid_of.get(message["run"])
            if uid is not None:
                await self.send_json({**message, "uid": uid})
        elif message["type"] == "run":  # a run's own group tells its state again
            await self.send_json(message)
