"""Buckets that teams begin with: what `teams.teams.new_bucket` asks for (TEAM-40)."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from access.actor import Actor
from storage.models import Bucket
from storage.team_buckets import connector
from storage.team_buckets.forms import NewTeamBucketForm
from storage.team_buckets.probe import refusing_as_conflict
from teams.models import Team


class NewTeamConnector:
    """Connects the buckets of teams that are created."""

    def form(self, data: Any) -> NewTeamBucketForm:
        """Return the fields."""
        return NewTeamBucketForm(data)

    def check(self, actor: Actor, url: str, credentials: Mapping[str, str]) -> Callable[[Team], None]:
        """Try a bucket, and return what gives it to a team; raises as `teams.teams.new_bucket`."""
        with refusing_as_conflict():
            bucket = connector.checked_bucket(actor, url, credentials)
        return partial(_give, actor, bucket)


def _give(actor: Actor, bucket: Bucket, team: Team) -> None:
    connector.give_to_new_team(actor=actor, team=team, bucket=bucket)
