"""What is limited of exports."""

from django.utils.translation import gettext_lazy as _

from access.actor import Actor
from access.limits.registry import REFUSED, Limit, LimitGroup, Used, register_limits
from exports.models import UNDER_WAY, Export
from teams.models import Team


def _running_exports(actor: Actor, team: Team | None) -> Used | None:
    if team is None:
        return None
    return Used(Export.objects.filter(team=team, asked_by=actor.lookup_id, state__in=UNDER_WAY).count())


def register() -> None:
    """Tell the page of limits."""
    register_limits(
        Limit(
            "exports.at_work", LimitGroup.TEAM, _("Running exports of a team per person"),
            lambda: 1,  # the constraint exports_export_one_under_way
            REFUSED, measure=_running_exports,
        ),
    )  # fmt: skip
