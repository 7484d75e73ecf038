"""What every resolver is given."""

from dataclasses import dataclass, field
from urllib.parse import quote

from django.http import HttpRequest
from graphql import GraphQLResolveInfo

from access.actor import Actor
from common.web.origins import origin_of
from wandb_api.graphql.cost_budget import Budget


@dataclass(frozen=True, slots=True)
class Context:
    """Who asks, by which address of this installation, and what it may cost."""

    actor: Actor
    base_url: str
    budget: Budget = field(default_factory=Budget)
    wrapper: str = ""
    """The id of the run that the agent records the program as; see `runs.lifecycle.wrapped_commands`."""
    writer: str = ""
    """The id of the client's process where several write to a run (the SDK's shared mode)."""

    def absolute(self, path: str) -> str:
        """Return an absolute URL: the SDK's core resolves no relative ones."""
        return self.base_url + quote(path, safe="/:=-_.~%")


Info = GraphQLResolveInfo[Context]
"""What graphql-core gives every resolver."""


def base_url_of(request: HttpRequest) -> str:
    """Return what the answer's URLs begin with."""
    return origin_of(request)
