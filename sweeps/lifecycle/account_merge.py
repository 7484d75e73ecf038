"""What of sweeps changes hands when two accounts become one (`accounts.lifecycle.account_merge`)."""

from collections.abc import Iterator

from accounts.lifecycle.participants import MergeLine
from accounts.models import User
from sweeps.models import Sweep, SweepAgent


def preview_merge(source: User, _target: User) -> Iterator[MergeLine]:
    """Yield what the account that ends has."""
    yield MergeLine("sweeps", Sweep.objects.filter(created_by=source).count())


def merge(source: User, target: User) -> None:
    """Hand over sweeps and agents."""
    Sweep.objects.filter(created_by=source).update(created_by=target)
    SweepAgent.objects.filter(user=source).update(user=target)
