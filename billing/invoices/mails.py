"""Mails about money: to the billing admins, each in their own language, in the transaction of what they tell."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet

from accounts.mail import sending
from accounts.models import User, UserKind
from accounts.settings.preferences import in_language_of
from billing.admins.selectors import billing_people
from billing.formatting import day, usd
from billing.models import Invoice, Plan, Subscription
from teams.models import Organization


def tell_issued(invoice: Invoice) -> None:
    """Mail a new invoice."""
    _tell("invoice_new", invoice)


def tell_paid(invoice: Invoice) -> None:
    """Mail the receipt."""
    _tell("invoice_paid", invoice)


def tell_failed(invoice: Invoice, next_attempt_at: datetime | None) -> None:
    """Mail that a payment failed, and what to do."""
    _tell("invoice_failed", invoice, next_attempt_at=next_attempt_at)


def tell_void(invoice: Invoice, reason: str) -> None:
    """Mail that an invoice need not be paid."""
    _tell("invoice_void", invoice, reason=reason)


def tell_overdue(invoice: Invoice) -> None:
    """Mail that a bank transfer has not arrived."""
    _tell("invoice_overdue", invoice)


def tell_trial_ends(subscription: Subscription) -> None:
    """Mail that a trial ends soon, and what comes then."""
    _tell_of_trial("trial_ends", subscription, subscription.plan)


def tell_trial_ended(subscription: Subscription, trial: Plan) -> None:
    """Mail that a trial of a plan has ended."""
    _tell_of_trial("trial_ended", subscription, trial)


def _tell_of_trial(name: str, subscription: Subscription, trial: Plan) -> None:
    organization, ends_at = subscription.organization, subscription.trial_ends_at
    page = f"/organizations/{organization.name}/billing" if organization else "/settings/billing"
    afterwards = subscription.trial_then or subscription.plan
    for user in _people_of(subscription):
        with in_language_of(user):
            last = day((ends_at - timedelta(microseconds=1)).date()) if ends_at else ""
        known = {
            "payer": subscription.payer.name, "plan": trial.name, "afterwards": afterwards.name, "last": last,
            "page": page, "organization": organization.name if organization else "",
        }  # fmt: skip
        sending.send(f"billing/email/{name}", user, known)


def _people_of(subscription: Subscription) -> QuerySet[User]:
    """Return who looks after a payer: `billing_people`, or the person whose entity it is."""
    if subscription.organization is not None:
        return billing_people(subscription.organization)
    people = User.objects.filter(kind=UserKind.PERSON, is_active=True).exclude(email="")
    return people.filter(claim__team__subscription=subscription)


def _tell(name: str, invoice: Invoice, **more: Any) -> None:
    organization = invoice.subscription.organization
    if organization is None:
        return
    next_attempt_at = more.pop("next_attempt_at", None)
    for user in billing_people(organization):
        with in_language_of(user):
            known = {**_facts(invoice, organization), **more}
            if next_attempt_at is not None:
                known["next_attempt"] = day(next_attempt_at.date())
        sending.send(f"billing/email/{name}", user, known)


def _facts(invoice: Invoice, organization: Organization) -> dict[str, Any]:
    """Return what the templates know, days in the active language."""
    pages = f"/organizations/{organization.name}/billing"
    return {
        "number": invoice.number,
        "organization": organization.name,
        "total": usd(invoice.total_usd),
        "due": day(invoice.due_at.date()),
        "by_transfer": invoice.by_transfer,
        "payment": invoice.details.get("payment"),
        "is_deleted": organization.deleted_at is not None,
        "page": f"{pages}/invoices/{invoice.number}",
        "pdf": f"{pages}/invoices/{invoice.number}.pdf",
        "payment_page": f"{pages}/payment",
        "failure": invoice.failure,
    }
