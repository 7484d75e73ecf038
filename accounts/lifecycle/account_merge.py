"""Making one account of two of the same person (TEAM-21): what one has goes to the other, and its name stays taken.

Each app that keeps something of people moves it (`accounts.lifecycle.participants`). What would clash is named before
anything moves; all of it happens in one transaction or not at all.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.db import transaction
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from access.signals import rights_changed
from accounts.access import AccountAction
from accounts.lifecycle.deletion import make_tombstone
from accounts.lifecycle.participants import AccountParticipant, MergeLine, account_participants
from accounts.mail import sending
from accounts.models import ApiKey, User, UserKind
from common.errors import Conflict, Invalid


@dataclass(slots=True)
class MergePlan:
    """What merging would do."""

    lines: list[MergeLine] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)


def plan_merge(source: User, target: User) -> MergePlan:
    """Return what would move and what stands in the way; changes nothing."""
    plan = MergePlan(conflicts=list(_basic_conflicts(source, target)))
    if not plan.conflicts:
        for participant in (OWN, *account_participants()):
            plan.lines += [line for line in participant.preview_merge(source, target) if line.count]
            plan.conflicts += participant.conflicts(source, target)
    return plan


def _basic_conflicts(source: User, target: User) -> Iterator[str]:
    if source.pk == target.pk:
        yield _("An account cannot be merged into itself.")
    for user in (source, target):
        names = {"name": user}
        if user.kind != UserKind.PERSON:
            yield _("%(name)s is a service account; only people’s accounts are merged.") % names
        if user.deleted_at is not None:
            yield _("The account %(name)s is deleted; that cannot be undone.") % names
    if source.is_operator:
        yield _("%(name)s is an operator. Remove their operator rights first.") % {"name": source}
    if target.deleted_at is None and not target.is_active:
        yield _("%(name)s is deactivated. Reactivate the account you want to keep.") % {"name": target}


@transaction.atomic
def merge_accounts(*, actor: Actor, source: User, target: User, typed: str) -> MergePlan:
    """Give all that one account has to another and leave a tombstone of it; returns what was done.

    Args:
        actor: An operator.
        source: The account that ends.
        target: The account that stays, with its name, password and second factors.
        typed: The username of the account that ends, typed by the operator.

    Raises:
        Invalid: another name was typed.
        Conflict: something stands in the way.
    """
    require(actor, AccountAction.ADMINISTER, source)
    require(actor, AccountAction.ADMINISTER, target)
    pks = sorted({source.pk, target.pk})
    rows = {
        row.pk: row for row in User.objects.select_for_update(no_key=True).filter(pk__in=pks).order_by("pk")
    }
    source, target = rows[source.pk], rows[target.pk]
    if typed.strip() != source.username:
        raise Invalid(
            _("Type the username of the account that will be removed, %(name)s.") % {"name": source}
        )
    plan = plan_merge(source, target)
    if plan.conflicts:
        raise Conflict(" ".join(plan.conflicts))
    for participant in (OWN, *account_participants()):
        participant.merge(source, target)
    moved = {line.what: line.count for line in plan.lines}
    record(actor, "account.merge", target, after={"merged": source.username, "moved": moved})
    record(actor, "account.merge_away", source, after={"into": target.username})
    sending.send("accounts/email/account_merged", target, {"merged": source.username})
    make_tombstone(source)
    transaction.on_commit(partial(rights_changed.send, User))
    return plan


# What this app keeps of people itself


def _preview_own(source: User, target: User) -> Iterator[MergeLine]:
    yield MergeLine("API keys", ApiKey.objects.filter(user=source).count())
    yield MergeLine(
        "email addresses", EmailAddress.objects.filter(user=source).count(), "not as the primary one"
    )
    yield MergeLine("connected sign-in providers", SocialAccount.objects.filter(user=source).count())
    factors = Authenticator.objects.filter(user=source).count()
    yield MergeLine("second factors", factors, "removed: the account that stays keeps its own")


def _merge_own(source: User, target: User) -> None:
    ApiKey.objects.filter(user=source).update(user=target)
    theirs = set(EmailAddress.objects.filter(user=target).values_list("email", flat=True))
    EmailAddress.objects.filter(user=source, email__in=theirs).delete()
    EmailAddress.objects.filter(user=source).update(user=target, primary=False)
    SocialAccount.objects.filter(user=source).update(user=target)


OWN = AccountParticipant(preview_merge=_preview_own, merge=_merge_own)
