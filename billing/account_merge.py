"""What of billing changes hands when two accounts become one (`accounts.lifecycle.account_merge`)."""

from collections.abc import Iterator

from accounts.lifecycle.participants import MergeLine
from accounts.models import User
from billing.billing_admins.services import move_person
from billing.models import BillingAdmin, NoticeDismissal


def preview_merge(source: User, _target: User) -> Iterator[MergeLine]:
    """Yield what the account that ends has."""
    yield MergeLine(
        "organizations whose billing they manage", BillingAdmin.objects.filter(user=source).count()
    )


def merge(source: User, target: User) -> None:
    """Hand over the role of billing admin; notices that were closed are read once more."""
    move_person(source, target)
    NoticeDismissal.objects.filter(user=source).delete()
