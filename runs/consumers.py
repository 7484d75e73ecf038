"""Live pages: each follows one group, after the same check as the page itself."""

from access.actor import Actor
from access.engine import visible
from access.routes import Open, declare
from access.sockets import GroupConsumer
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
