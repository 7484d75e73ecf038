"""Who looks after an organization's billing (BIL-9): choosing billing admins, and never losing the last.

Whatever changes billing admins, or takes an admin's place away, locks the places of the organization's admins first, so
that two of these wait for each other. Everybody whose role changes is told by mail.
"""

from collections.abc import Iterable

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from access.actor import SYSTEM, Actor
from access.audit.log import record
from access.engine import require
from accounts.mail import sending
from accounts.models import User
from billing.billing_admins.grants import acting_admins
from billing.models import BillingAdmin
from billing.subscriptions.billed import is_billed_organization
from billing.subscriptions.selectors import subscription_of
from common.errors import Conflict, NotFound
from teams.members.selectors import lock_admins, organization_admins
from teams.models import Organization, OrganizationMember
from teams.roles.signals import send_rights_changed
from usage.access import BillingAction


@transaction.atomic
def assign_billing_admin(*, actor: Actor, organization: Organization, user: User) -> list[User]:
    """Make an admin of the organization its billing admin; returns who is no longer one.

    Where the plan has one billing admin at a time, the role moves; those there are step down.

    Raises:
        Conflict: they are no admin of the organization, or are switched off.
    """
    require(actor, BillingAction.ASSIGN, organization)
    lock_admins(organization.pk)
    if not organization_admins([organization.pk]).filter(user=user).exists():
        names = {"who": user, "organization": organization}
        raise Conflict(_("%(who)s is not an admin of %(organization)s. Make them an admin first.") % names)
    before = _names(organization)
    rows = BillingAdmin.objects.filter(organization=organization).select_related("user").order_by("pk")
    lost = [] if has_many(organization) else [row.user for row in rows if row.user_id != user.pk]
    rows.filter(user__in=lost).delete()
    _row, is_new = BillingAdmin.objects.get_or_create(organization=organization, user=user)
    if is_new or lost:
        _record_and_notify(
            actor, "billing_admin.assign", organization, before, [*lost, *([user] if is_new else [])]
        )
    return lost


@transaction.atomic
def withdraw_billing_admin(*, actor: Actor, organization: Organization, user: User) -> None:
    """Take the role from one of several billing admins.

    Raises:
        NotFound: they do not have it.
        Conflict: nobody else has; assign somebody instead.
    """
    require(actor, BillingAction.ASSIGN, organization)
    lock_admins(organization.pk)
    rows = BillingAdmin.objects.filter(organization=organization, user=user)
    if not rows.exists():
        names = {"who": user, "organization": organization}
        if is_billed_organization(organization):
            raise NotFound(_("%(who)s is not a billing admin of %(organization)s.") % names)
        raise NotFound(_("%(who)s is not a usage admin of %(organization)s.") % names)
    if is_last(organization, user):
        raise _last_admin_error(organization, user)
    before = _names(organization)
    rows.delete()
    _record_and_notify(actor, "billing_admin.withdraw", organization, before, [user])


def has_many(organization: Organization) -> bool:
    """Whether the plan lets several be billing admins at a time."""
    return subscription_of(organization).plan.has_many_billing_admins


def is_last(organization: Organization, user: User) -> bool:
    """Whether no other billing admin could act if somebody were none any more."""
    return not acting_admins().filter(organization=organization).exclude(user=user).exists()


def require_a_billing_admin(actor: Actor, member: OrganizationMember) -> None:
    """Let nobody cease to be an admin who is the last billing admin; one of several loses that role with the place.

    Raises:
        Conflict: billing must be handed over first.
    """
    organization, user = member.organization, member.user
    rows = BillingAdmin.objects.filter(organization=organization, user=user)
    if not rows.exists():
        return
    if user.is_active and is_last(organization, user):
        raise _last_admin_error(organization, user)
    before = _names(organization)
    rows.delete()
    _record_and_notify(actor, "billing_admin.withdraw", organization, before, [user])


def remove_person(user: User) -> None:
    """Take away what somebody looked after whose account ends; `account_closure` says before what to hand over."""
    for row in BillingAdmin.objects.filter(user=user).select_related("organization"):
        before = _names(row.organization)
        row.delete()
        _record(SYSTEM, "billing_admin.withdraw", row.organization, before)


def move_person(source: User, target: User) -> None:
    """Give the role to the account that stays when two become one; it is an admin wherever the other was one."""
    for row in BillingAdmin.objects.filter(user=source).select_related("organization"):
        before = _names(row.organization)
        row.delete()
        BillingAdmin.objects.get_or_create(organization=row.organization, user=target)
        _record(SYSTEM, "billing_admin.assign", row.organization, before)


def _names(organization: Organization) -> list[str]:
    rows = BillingAdmin.objects.filter(organization=organization).order_by("pk")
    return list(rows.values_list("user__username", flat=True))


def _record(actor: Actor, action: str, organization: Organization, before: list[str]) -> None:
    record(
        actor, action, organization, organization_id=organization.pk,
        before={"billing_admins": before}, after={"billing_admins": _names(organization)},
    )  # fmt: skip


def _record_and_notify(
    actor: Actor, action: str, organization: Organization, before: list[str], changed: Iterable[User]
) -> None:
    """Note a change, and mail everybody whose role it changes."""
    _record(actor, action, organization, before)
    now, is_billed = _names(organization), is_billed_organization(organization)
    send_rights_changed()
    for user in changed:
        if user.is_active:
            context = {
                "organization": organization.name, "by": actor.shown_name, "admins": ", ".join(now),
                "is_one": user.username in now, "is_billed": is_billed,
                "url": reverse("billing:roles", args=[organization.name]),
            }  # fmt: skip
            sending.send("billing/email/billing_admin", user, context)


def _last_admin_error(organization: Organization, user: User) -> Conflict:
    if is_billed_organization(organization):
        message = _(
            "%(who)s is the only billing admin of %(organization)s. Transfer billing to another admin "
            "first, under Billing, Manage roles: %(page)s"
        )
    else:
        message = _(
            "%(who)s is the only usage admin of %(organization)s. Make another admin one first, under Usage, Manage"
            " roles: %(page)s"
        )
    page = reverse("billing:roles", args=[organization.name])
    return Conflict(message % {"who": user, "organization": organization, "page": page})
