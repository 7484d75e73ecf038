"""The bucket that a new team can begin with (TEAM-40); the app that keeps files registers what tries it."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from access.actor import Actor
from teams.models import Team


class NewBucketForm(Protocol):
    """Asks for a bucket, which nobody need enter; a form of Django, shown by `storage/bucket_fields.html`."""

    @property
    def is_chosen(self) -> bool:
        """Whether one was chosen."""

    @property
    def url(self) -> str:
        """Return the address that was entered."""

    @property
    def credentials(self) -> dict[str, str]:
        """Return the credentials that were entered."""

    def is_valid(self) -> bool:
        """Whether everything was entered that is needed."""

    def add_error(self, field: str | None, error: Any) -> None:
        """Show a refusal."""


class BucketConnector(Protocol):
    """What only who keeps files can do."""

    def form(self, data: Any) -> NewBucketForm:
        """Return the fields, with what was sent or None."""

    def check(self, actor: Actor, url: str, credentials: Mapping[str, str]) -> Callable[[Team], None]:
        """Try a bucket, and return what gives it to a team, in the transaction that creates it.

        Takes half a minute at most, in no transaction.

        Raises:
            Invalid: the address or the credentials cannot be right.
            Conflict: the bucket cannot be used; says which permission is missing, or what else.
            TooManyRequests: the actor has tried often enough.
        """


_connectors: list[BucketConnector] = []


def register_bucket_connector(connector: BucketConnector) -> None:
    """Say who does it; called once in ``AppConfig.ready``."""
    _connectors[:] = [connector]


def bucket_connector() -> BucketConnector:
    """Return who does it."""
    return _connectors[0]
