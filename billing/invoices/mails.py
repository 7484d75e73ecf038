"""Mails about money: to the billing admins, each in their own language, in the transaction of what they tell."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet

from accounts.mail import sending
from accounts.models import User, UserKind
from accounts.settings.preferences import in_language_of
from billing.billing_admins.selectors import billing_recipients
from billing.formatting import day, usd
from billing.models import Invoice, Plan, Subscription
from teams.models import Organization


def mail_issued(invoice: Invoice) -> None:
    """Mail a new invoice."""
    _mail("invoice_new", invoice)


def mail_paid(invoice: Invoice) -> None:
    """Mail the receipt."""
    _mail("invoice_paid", invoice)


def mail_failed(invoice: Invoice, next_attempt_at: datetime | None) -> None:
    """Mail that a payment failed, and what to do."""
    _mail("invoice_failed", invoice, next_attempt_at=next_attempt_at)


def mail_void(invoice: Invoice, reason: str) -> None:
    """Mail that an invoice need not be paid."""
    _mail("invoice_void", invoice, reason=reason)


def mail_overdue(invoice: Invoice) -> None:
    """Mail that a bank transfer has not arrived."""
    _mail("invoice_overdue", invoice)


def mail_trial_ends(subscription: Subscription) -> None:
    """Mail that a trial ends soon, and what comes then."""
    _mail_trial("trial_ends", subscription, subscription.plan)


def mail_trial_ended(subscription: Subscription, trial: Plan) -> None:
    """Mail that a trial of a plan has ended."""
    _mail_trial("trial_ended", subscription, trial)


def _mail_trial(name: str, subscription: Subscription, trial: Plan) -> None:
    organization, ends_at = subscription.organization, subscription.trial_ends_at
    page = f"/organizations/{organization.name}/billing" if organization else "/settings/billing"
    afterwards = subscription.trial_then or subscription.plan
    for user in _recipients(subscription):
        with in_language_of(user):
            last = day((ends_at - timedelta(microseconds=1)).date()) if ends_at else ""
        known = {
            "payer": subscription.payer.name, "plan": trial.name, "afterwards": afterwards.name, "last": last,
            "page": page, "organization": organization.name if organization else "",
        }  # fmt: skip
        sending.send(f"billing/email/{name}", user, known)


def _recipients(subscription: Subscription) -> QuerySet[User]:
    """Return who looks after a payer: `billing_recipients`, or the person whose entity it is."""
    if subscription.organization is not None:
        return billing_recipients(subscription.organization)
    people = User.objects.filter(kind=UserKind.PERSON, is_active=True).exclude(email="")
    return people.filter(claim__team__subscription=subscription)


def _mail(name: str, invoice: Invoice, **more: Any) -> None:
    organization = invoice.subscription.organization
    if organization is None:
        return
    next_attempt_at = more.pop("next_attempt_at", None)
    for user in billing_recipients(organization):
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
