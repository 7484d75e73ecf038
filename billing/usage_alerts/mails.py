"""Mails about use that passed a threshold: recipients and wording (BIL-6)."""

from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from access.engine import who_may
from accounts.mail import sending
from accounts.models import User, UserKind
from accounts.settings.preferences import in_language_of
from billing.billing_admins.contacts import billing_contacts_message, raise_limits_message
from billing.billing_admins.grants import acting_admins
from billing.billing_admins.selectors import billing_recipients
from billing.formatting import day, usd
from billing.models import Subscription, UsageAlert, UsageCategory
from billing.plans.pricing import UsageLine, as_limit, overage_usd
from billing.plans.selectors import has_comparison
from billing.subscriptions.billed import is_billed
from usage.access import BillingAction
from usage.formatting import amount, unit_price
from usage.periods import Period
from usage.reports.usage_totals import UsageTotals


def category_name(category: str) -> str:
    """Return what a category is called, in the active language."""
    names = {
        UsageCategory.HOURS: _("Tracked hours"),
        UsageCategory.STORAGE: _("Storage"),
        UsageCategory.INGESTION: _("Trace data"),
        UsageCategory.CHARGES: _("Charges above the plan"),
    }
    return names[UsageCategory(category)]


def mail_alert(alert: UsageAlert, period: Period, lines: list[UsageLine], use: UsageTotals) -> list[str]:
    """Mail an alert to its recipients, in the caller's transaction; returns their usernames."""
    subscription = alert.subscription
    organization = subscription.organization
    admins = set(acting_admins().filter(organization=organization).values_list("user_id", flat=True))
    recipients = []
    for user in _recipients(subscription):
        with in_language_of(user):
            known = {
                **_what(alert, period, lines, use),
                **_advice(subscription, alert.category),
                "is_billing_admin": user.pk in admins,
                "contacts": raise_limits_message()
                if user.pk in admins
                else billing_contacts_message(subscription),
            }
        sending.send("billing/email/usage_alert", user, known)
        recipients.append(user.username)
    return recipients


def _recipients(subscription: Subscription) -> QuerySet[User]:
    """Return the organization's admins, or its billing admins alone; of a personal entity whose it is."""
    people = User.objects.filter(kind=UserKind.PERSON, is_active=True).exclude(email="").order_by("pk")
    if subscription.organization is None:
        return people.filter(claim__team__subscription=subscription)
    if subscription.plan.alerts_billing_admin_only:
        return billing_recipients(subscription.organization)
    return people.filter(pk__in=who_may(BillingAction.VIEW, subscription.organization).values("pk"))


def _what(alert: UsageAlert, period: Period, lines: list[UsageLine], use: UsageTotals) -> dict[str, Any]:
    """Return what was passed: amounts are those of now, the threshold may be lower."""
    shown: dict[str, Any] = {
        "payer": alert.subscription.payer.name,
        "category": alert.category,
        "what": category_name(alert.category),
        "threshold": alert.threshold,
        "amount": f"${alert.threshold:,}",
        "plan": alert.subscription.plan.name,
        "first": day(period.start),
        "last": day(period.last_day),
        "charges": usd(overage_usd(lines)),
    }
    line = next((line for line in lines if line.category == alert.category), None)
    if line is None:
        return shown
    limit = as_limit(line, alert.subscription, use.held_bytes)
    return {
        **shown,
        "used": amount(limit.used),
        "limit": amount(limit.included),
        "unit": line.unit,
        "price": unit_price(line.price_usd) if line.price_usd else "",
        "is_free": line.price_usd is None and line.category == UsageCategory.HOURS,
        "is_refused": line.price_usd is None
        and line.category != UsageCategory.HOURS
        and settings.ENFORCE_LIMITS,
    }


def _advice(subscription: Subscription, category: str) -> dict[str, Any]:
    """Return where limits are raised; storage is bought where the plan sells some."""
    plan = subscription.plan
    sells = bool(plan.extra_storage_price_usd) and category == UsageCategory.STORAGE
    pages = f"/organizations/{subscription.payer.name}/billing"
    return {
        "grace_days": plan.grace_days,
        "is_billed": is_billed(subscription),
        "has_comparison": has_comparison(subscription),
        "plans_page": f"{pages}/plans",
        "storage_page": f"{pages}/storage" if sells else "",
        "usage_page": f"{pages}/usage" if subscription.organization_id else "/settings/billing",
    }
