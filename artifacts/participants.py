"""What apps above follow of artifacts: each change is told in the transaction that makes it."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from django.db import DatabaseError

from access.actor import Actor
from artifacts.models import Collection, Version

logger = logging.getLogger(__name__)


class ArtifactEvent(StrEnum):
    """What happens to artifacts, by the SDK's names of the events of automations."""

    CREATE_ARTIFACT = "CREATE_ARTIFACT"
    LINK_MODEL = "LINK_MODEL"
    UNLINK_ARTIFACT = "UNLINK_ARTIFACT"
    ADD_ARTIFACT_ALIAS = "ADD_ARTIFACT_ALIAS"
    ADD_ARTIFACT_TAG = "ADD_ARTIFACT_TAG"
    REMOVE_ARTIFACT_TAG = "REMOVE_ARTIFACT_TAG"
    ADD_COLLECTION_TAG = "ADD_COLLECTION_TAG"
    REMOVE_COLLECTION_TAG = "REMOVE_COLLECTION_TAG"


class Reach(StrEnum):
    """Whom an event concerns: what happens to a version happens wherever it is linked, and each hears of it once."""

    TEAM = "team"
    """Those of the collection, of its project and of the team."""
    PROJECT = "project"
    """Those of the collection and of its project; the team has it from another collection."""
    COLLECTION = "collection"
    """Those of the collection; its project has it from another one."""


@dataclass(frozen=True, slots=True)
class ArtifactChange:
    """One event."""

    event: ArtifactEvent
    actor: Actor
    collection: Collection
    version: Version | None = None
    index: int | None = None
    """The number of the version in the collection."""
    name: str = ""
    """The alias or the tag."""
    reach: Reach = Reach.TEAM


_followers: list[Callable[[ArtifactChange], None]] = []


def register_follower(follow: Callable[[ArtifactChange], None]) -> None:
    """Add who is told of every change; called once in an ``AppConfig.ready``."""
    _followers.append(follow)


def happened(change: ArtifactChange) -> None:
    """Tell all followers; the fault of one does not undo the change, unless the database is what failed."""
    for follow in _followers:
        try:
            follow(change)
        except DatabaseError:  # the transaction is lost in any case
            raise
        except Exception:
            logger.exception("%s failed for %s, which is stored nevertheless", follow, change.event)
