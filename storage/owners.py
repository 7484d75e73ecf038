"""Apps whose rows refer to blobs: each registers one object, which takes uploads and says what is in use."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from access.actor import Actor
from common.errors import DomainError
from storage.contents.openable import Openable
from storage.models import Blob


class BlobOwner:
    """One app with foreign keys to Blob."""

    upload_purpose = ""
    """For which tickets it receives uploads; "" for none."""

    def used_blobs(self) -> "QuerySet[Blob, int]":
        """Return the ids of the blobs in use."""
        raise NotImplementedError

    def blobs_of_team(self, team_id: int) -> "QuerySet[Blob, int]":
        """Return the ids of the blobs that a team uses."""
        raise NotImplementedError

    def names_in_team(
        self, actor: Actor, team_id: int, blob_ids: Collection[int]
    ) -> Iterable[tuple[int, str]]:
        """Return what a team calls some blobs, by id, as far as the actor may know; an untranslated path."""
        return ()

    def repoint(self, team_id: int, old: Blob, new: Blob) -> None:
        """Let what a team has name the same content in another place; call in a transaction."""
        raise NotImplementedError

    def require_upload(self, ticket: dict[str, Any], actor: Actor) -> None:
        """Let pass whoever may still upload what a ticket that they requested is for.

        Raises:
            NotFound, Forbidden: they may not any more.
        """
        raise NotImplementedError

    def receive_upload(self, ticket: dict[str, Any], blob: Blob) -> None:
        """Name a blob that arrived, in the transaction that stores it.

        Args:
            ticket: What the ticket carries.
            blob: What arrived.
        """
        raise NotImplementedError

    def receive_uploads(self, arrived: Sequence[tuple[dict[str, Any], Blob]]) -> list[DomainError | None]:
        """Name blobs that arrived together, in the transaction that stores them; returns why one is not taken."""
        return [self._refusal(ticket, blob) for ticket, blob in arrived]

    def _refusal(self, ticket: dict[str, Any], blob: Blob) -> DomainError | None:
        try:
            with transaction.atomic():
                self.receive_upload(ticket, blob)
        except DomainError as error:
            return error
        return None

    def awaited_locations(self, bucket_id: int, locations: Collection[str]) -> Iterable[str]:
        """Return those of some locations in a bucket at which content is expected that no row names yet."""
        return ()

    def upload_refused(self, ticket: dict[str, Any], reason: str) -> None:
        """Follow an upload that was refused because the storage quota is used up."""

    def masked_pieces(self, content: Openable, name: str) -> Iterator[bytes] | None:
        """Return a text with its secrets masked; None for one that has none to mask, which is sent as it is."""
        return None


_owners: list[BlobOwner] = []


def register_blob_owner(owner: BlobOwner) -> None:
    """Add an app; called once in its ``AppConfig.ready``."""
    _owners.append(owner)


def blob_owners() -> tuple[BlobOwner, ...]:
    """Return all of them."""
    return tuple(_owners)


def receiver_of(purpose: str) -> BlobOwner:
    """Return who receives uploads of the purpose.

    Raises:
        KeyError: nobody does.
    """
    return {owner.upload_purpose: owner for owner in _owners if owner.upload_purpose}[purpose]


def masked_pieces(content: Openable, name: str) -> Iterator[bytes] | None:
    """Return the content with secrets masked; None for one that has none to mask, which is sent as it is."""
    pieces = (owner.masked_pieces(content, name) for owner in _owners)
    return next((some for some in pieces if some is not None), None)
