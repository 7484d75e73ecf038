"""Where the files of a team lie, as its settings tell (TEAM-9, TEAM-40)."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import islice
from urllib.parse import parse_qsl, unquote, urlsplit

from access.actor import Actor
from access.engine import can
from storage import owners
from storage.buckets.services import default_bucket
from storage.models import Bucket, BucketMove
from storage.team_buckets import moving
from teams.access import TeamAction
from teams.models import Team

MOST_NAMED = 50
"""Files that cannot be read, of which a page or an answer tells."""


class Provider(StrEnum):
    """Who keeps bytes; the values are the schemes of addresses."""

    FOLDER = "folder"
    """The data folder of the installation."""
    S3 = "s3"
    GOOGLE = "gs"
    AZURE = "az"


@dataclass(frozen=True, slots=True)
class BucketAddress:
    """A bucket without its secrets, or the data folder."""

    provider: str
    bucket: str = ""
    """Its name; of Azure that of the container."""
    account: str = ""
    """Of Azure."""
    prefix: str = ""
    region: str = ""
    endpoint: str = ""


def address_of(bucket: Bucket | None) -> BucketAddress:
    """Return where a bucket is, None for the data folder."""
    if bucket is None:
        return BucketAddress(Provider.FOLDER)
    parts, options = urlsplit(bucket.url), dict(parse_qsl(urlsplit(bucket.url).query))
    host, path = parts.netloc, unquote(parts.path).strip("/")
    account = ""
    if parts.scheme == Provider.AZURE:
        account, (host, _slash, path) = host, path.partition("/")
    return BucketAddress(
        parts.scheme, host, account, path, options.get("region", ""), options.get("endpoint", "")
    )


@dataclass(frozen=True, slots=True)
class UnreadableFile:
    """A content that a move leaves where it is."""

    name: str
    """As its owner calls it, "" where the viewer may not see whose it is."""
    reason: str


@dataclass(frozen=True)
class TeamStorage:
    """What an actor is told of a team's storage."""

    team: Team
    bucket: Bucket | None
    """The team's own."""
    move: BucketMove | None
    """Under way."""
    last_move: BucketMove | None
    """That has ended."""
    may_manage: bool
    """Whether the actor is told what is wrong, and can change something."""
    actor: Actor

    @cached_property
    def address(self) -> BucketAddress:
        """Where new files go."""
        return address_of(self.bucket or default_bucket())

    @property
    def error(self) -> str:
        """What the last check found wrong with the team's bucket, for who may manage it."""
        return self.bucket.check_error if self.bucket is not None and self.may_manage else ""

    @property
    def has_failed(self) -> bool:
        """Whether the last check found anything wrong."""
        return self.bucket is not None and bool(self.bucket.check_error)

    @cached_property
    def unreadable(self) -> list[UnreadableFile]:
        """The first files that the move cannot read, for who may manage the storage."""
        if self.move is None or not self.may_manage:
            return []
        return list(_unreadable(self.actor, self.move))


def storage_of_team(actor: Actor, team: Team) -> TeamStorage:
    """Return where a team's files lie; the caller has checked that the actor sees the team's settings."""
    ended = BucketMove.objects.filter(team=team).exclude(finished_at=None)
    return TeamStorage(
        team=team,
        bucket=Bucket.objects.filter(team=team).first(),
        move=moving.under_way(team.pk),
        last_move=ended.select_related("source", "target").first(),
        may_manage=can(actor, TeamAction.MANAGE_STORAGE, team),
        actor=actor,
    )


def _unreadable(actor: Actor, move: BucketMove) -> Iterator[UnreadableFile]:
    reasons = {int(key): str(reason) for key, reason in islice(move.unreadable.items(), MOST_NAMED)}
    names: dict[int, str] = {}
    for owner in owners.blob_owners():
        names |= dict(owner.names_in_team(actor, move.team_id, reasons.keys()))
    for key, reason in reasons.items():
        yield UnreadableFile(names.get(key, ""), reason)
