"""What of usage changes hands when two accounts become one (`accounts.lifecycle.account_merge`).

What the account used that ends is the other's from then on, in every team. Teams keep what was used in them: the
personal entity that ends keeps its past hours, and `runs.projects.account_merge` moves what it still holds.
"""

from collections.abc import Iterator

from django.db import connection

from accounts.lifecycle.participants import MergeLine
from accounts.models import User
from storage.models import ByteEntry
from usage.metering.day_sums import DAYS
from usage.metering.state import locked_state
from usage.models import (
    GpuClaim,
    HardwareShift,
    HardwareUse,
    IngestionEntry,
    ReportedTime,
    TrackedInterval,
    UsageDay,
)

_LEDGERS = (TrackedInterval, ReportedTime, IngestionEntry, HardwareUse, HardwareShift, GpuClaim, ByteEntry)


def preview_merge(source: User, _target: User) -> Iterator[MergeLine]:
    """Yield what the account that ends has."""
    days = UsageDay.objects.filter(user_id=source.pk).values("day").distinct()
    yield MergeLine(
        "days with use", days.count(), "added to those of the account that stays; teams stay as they are"
    )


def merge(source: User, target: User) -> None:
    """Hand over what was used."""
    locked_state()
    for model in _LEDGERS:
        model._default_manager.filter(user_id=source.pk).update(user_id=target.pk)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {DAYS.name} ({DAYS.columns}) SELECT {DAYS.columns.replace('user_id', '%s')}"  # noqa: S608 - names
            f" FROM {DAYS.name} WHERE user_id = %s {DAYS.add}",
            [target.pk, source.pk],
        )
    UsageDay.objects.filter(user_id=source.pk).delete()
