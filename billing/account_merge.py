"""What of billing changes hands when two accounts become one (`accounts.lifecycle.account_merge`)."""

from collections.abc import Iterator

from accounts.lifecycle.account_merge import Line
from accounts.models import User
from billing.admins.services import move_person
from billing.models import BillingAdmin, NoticeDismissal


def lines(source: User, _target: User) -> Iterator[Line]:
    """Yield what the account that ends has."""
    yield Line("organizations whose billing they manage", BillingAdmin.objects.filter(user=source).count())


def move(source: User, target: User) -> None:
    """Hand over the role of billing admin; notices that were closed are read once more."""
    move_person(source, target)
    NoticeDismissal.objects.filter(user=source).delete()
