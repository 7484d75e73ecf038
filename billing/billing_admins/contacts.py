"""Contacts: who can change an organization's plan, by name."""

from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext as _

from billing.billing_admins.grants import acting_admins
from billing.models import Plan, Subscription
from billing.plans.selectors import has_comparison
from billing.subscriptions.billed import is_billed_organization
from billing.subscriptions.selectors import subscription_of
from common import installation_settings
from teams.models import Organization

_MOST = 5


def billing_admin_names(organization: Organization) -> list[str]:
    """Return the usernames of the organization's billing admins, the first five."""
    rows = acting_admins().filter(organization=organization)
    return list(rows.values_list("user__username", flat=True)[:_MOST])


def plan_admins_message(organization: Organization) -> str:
    """Say who changes the organization's plan: its billing admins, or who helps where it has none."""
    is_billed = is_billed_organization(organization)
    names = {"organization": organization, "admins": ", ".join(billing_admin_names(organization))}
    if names["admins"] and is_billed:
        return _("Billing admins of %(organization)s can change the plan: %(admins)s.") % names
    if names["admins"]:
        return _("Usage admins of %(organization)s can change the plan: %(admins)s.") % names
    names["contact"] = _support_contact()
    if is_billed:
        return _("%(organization)s has no billing admin; ask %(contact)s.") % names
    return _("%(organization)s has no usage admin; ask %(contact)s.") % names


def raise_limits_message() -> str:
    """Name the contact for billing admins who have no other plan to choose."""
    return _("To raise limits, ask %(contact)s.") % {"contact": _support_contact()}


def _support_contact() -> str:
    return installation_settings.support_contact().removeprefix("mailto:") or _(
        "an operator of this installation"
    )


def plan_message(organization: Organization) -> str:
    """Say which plan the organization is on, and who changes it (`teams.plan_policy`)."""
    plan: Plan = subscription_of(organization).plan
    sentence = _("%(organization)s has the plan %(plan)s.") % {
        "organization": organization,
        "plan": plan.name,
    }
    return f"{sentence} {plan_admins_message(organization)}"


def can_compare(organization: Organization) -> bool:
    """Say whether there is another plan to compare an organization's with (`teams.plan_policy`)."""
    return has_comparison(subscription_of(organization))


def billing_contacts_message(subscription: Subscription) -> str:
    """Say who changes a payer's plan or frees space: billing admins, of personal entities the person and who helps."""
    if subscription.organization is not None:
        return plan_admins_message(subscription.organization)
    return _("Delete what you no longer need, or ask %(contact)s.") % {"contact": _support_contact()}


@dataclass(frozen=True, slots=True)
class Contact:
    """Who sells plans."""

    url: str
    text: str


def sales_contact() -> Contact | None:
    """Return who is asked for plans that are not bought on pages: who sells, or else who helps; None for nobody."""
    given = settings.SALES_CONTACT or installation_settings.support_contact()
    if not given:
        return None
    is_url = given.startswith(("https://", "http://", "mailto:"))
    return Contact(given if is_url else f"mailto:{given}", given.removeprefix("mailto:"))
