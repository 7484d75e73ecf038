"""The sections that billing adds to the settings of people, teams and organizations."""

from dataclasses import replace
from typing import cast

from django.db.models import Model
from django.utils.translation import gettext_lazy as _

from access.actor import Actor
from accounts.settings.sections import Place, Section, register_sections
from billing.access import BillingAction
from billing.selectors.billed import belongs_to_billed, is_billed_organization
from teams.access import TeamAction
from teams.models import Organization


def register() -> None:
    """Tell `accounts`, which makes rails of them."""
    billing, storage, usage = _("Billing"), _("Storage"), TeamAction.VIEW_USAGE
    of_plans = _("plan subscription seats limits usage payment invoices price")
    of_bytes = _("bytes disk space files quota usage trash")
    of_hours = _("hours storage quota cost gpu")
    register_sections(
        Place.USER,
        Section(billing, "credit-card", "billing:own", rank=60, words=of_plans, variant=_own),
        Section(storage, "hard-drive", "billing:own_storage", rank=84, words=of_bytes),
    )
    register_sections(
        Place.TEAM,
        Section(_("Usage"), "chart-column", "billing:team_usage", 60, usage, of_hours),
        Section(storage, "hard-drive", "billing:team_storage", 70, usage, of_bytes),
    )
    register_sections(
        Place.ORGANIZATION,
        Section(
            billing, "credit-card", "billing:overview", 45, BillingAction.VIEW, of_plans, _of_organization
        ),
    )


def _own(actor: Actor, _row: Model | None) -> Section | None:
    return None if belongs_to_billed(actor) else _usage("billing:own", 60)


def _of_organization(_actor: Actor, row: Model | None) -> Section | None:
    if is_billed_organization(cast("Organization", row)):
        return None
    return replace(_usage("billing:overview", 45), needs=BillingAction.VIEW)


def _usage(route: str, rank: int) -> Section:
    """Return what billing is where nobody is billed."""
    return Section(
        _("Usage"), "chart-column", route, rank, words=_("plan seats limits hours storage cost gpu")
    )
