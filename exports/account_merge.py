"""Archives go with their asker when two accounts become one (`accounts.lifecycle.account_merge`)."""

from collections.abc import Iterator

from django.utils import timezone

from accounts.lifecycle.participants import MergeLine
from accounts.models import User
from exports.models import UNDER_WAY, Export, ExportState


def preview_merge(source: User, target: User) -> Iterator[MergeLine]:
    """Yield the archives that the account that ends asked for."""
    yield MergeLine("exports", Export.objects.filter(asked_by=source).count(), "those under way are canceled")


def merge(source: User, target: User) -> None:
    """Hand them over; what is being made was asked for by who no longer is."""
    rows = Export.objects.filter(asked_by=source)
    rows.filter(state__in=UNDER_WAY).update(state=ExportState.CANCELED, ended_at=timezone.now())
    rows.update(asked_by=target)
