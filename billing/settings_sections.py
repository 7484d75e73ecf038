"""The sections that billing adds to the settings of people and organizations."""

from dataclasses import replace
from typing import cast

from django.db.models import Model
from django.utils.translation import gettext_lazy as _

from access.actor import Actor
from accounts.settings.sections import Section, SectionGroup, SettingsScope, register_sections
from billing.subscriptions.billed import belongs_to_billed, is_billed_organization
from teams.models import Organization
from usage.access import BillingAction


def register() -> None:
    """Tell `accounts`, which makes rails of them."""
    billing, words = _("Billing"), _("plan subscription seats limits usage payment invoices price")
    register_sections(
        SettingsScope.USER,
        Section(billing, "credit-card", "billing:own", SectionGroup.USAGE, 10, words=words, variant=_own),
    )
    register_sections(
        SettingsScope.ORGANIZATION,
        Section(
            billing, "credit-card", "billing:overview", SectionGroup.USAGE, 10, BillingAction.VIEW, words,
            variant=_of_organization,
        ),
    )  # fmt: skip


def _own(actor: Actor, _row: Model | None) -> Section | None:
    return None if belongs_to_billed(actor) else _usage("billing:own")


def _of_organization(_actor: Actor, row: Model | None) -> Section | None:
    if is_billed_organization(cast("Organization", row)):
        return None
    return replace(_usage("billing:overview"), needs=BillingAction.VIEW)


def _usage(route: str) -> Section:
    """Return what billing is where nobody is billed."""
    words = _("plan seats limits hours storage cost gpu")
    return Section(_("Usage"), "chart-column", route, SectionGroup.USAGE, 10, words=words)
