"""The sections that alerts add to the settings of people and teams."""

from django.utils.translation import gettext_lazy as _

from accounts.sections import Place, Section, register_sections
from alerts.access import AlertAction


def register() -> None:
    """Tell `accounts`, which makes rails of them."""
    words = _("notifications email slack webhook crashed finished mute")
    register_sections(Place.USER, Section(_("Alerts"), "bell", "alerts:own", rank=40, words=words))
    register_sections(
        Place.TEAM,
        Section(_("Alerts"), "bell", "alerts:team", rank=60, needs=AlertAction.MANAGE, words=words),
    )
