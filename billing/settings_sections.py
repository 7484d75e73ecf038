"""The sections that billing adds to the settings of people, teams and organizations."""

from django.utils.translation import gettext_lazy as _

from accounts.sections import Place, Section, register_sections
from billing.access import BillingAction
from teams.access import TeamAction


def register() -> None:
    """Tell `accounts`, which makes rails of them."""
    billing, storage, usage = _("Billing"), _("Storage"), TeamAction.VIEW_USAGE
    of_plans = _("plan subscription seats limits usage payment invoices price")
    of_bytes = _("bytes disk space files quota usage trash")
    of_hours = _("hours storage quota cost gpu")
    register_sections(
        Place.USER,
        Section(billing, "credit-card", "billing:own", rank=60, words=of_plans),
        Section(storage, "hard-drive", "billing:own_storage", rank=84, words=of_bytes),
    )
    register_sections(
        Place.TEAM,
        Section(_("Usage"), "chart-column", "billing:team_usage", 60, usage, of_hours),
        Section(storage, "hard-drive", "billing:team_storage", 70, usage, of_bytes),
    )
    register_sections(
        Place.ORGANIZATION,
        Section(billing, "credit-card", "billing:overview", 45, BillingAction.VIEW, of_plans),
    )
