"""Charts that teams store: members save them under names, for panels and for ``wandb.plot_table``."""

import re
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from common.errors import Conflict, Invalid
from common.formats.lenient_json import clean_text
from runs.access import ChartAction
from runs.charts.selectors import checked_spec
from runs.models import ChartAccess, StoredChart
from teams.models import Team

MAX_NAME = 128
MAX_CHARTS = 500
"""Of one team."""
_NAME = re.compile(r"[\w.-]+(?: [\w.-]+)*")


def _checked_name(name: str) -> str:
    name = clean_text(name).strip()
    if not _NAME.fullmatch(name) or len(name) > MAX_NAME:
        message = _(
            "A chart’s name must have 1 to %(most)s letters, digits, “-”, “_”, “.” and spaces, unlike "
            "“%(name)s”."
        )
        raise Invalid(message % {"most": MAX_NAME, "name": name[:80]})
    return name


def _check_access(team: Team, access: str) -> None:
    if access not in ChartAccess.values:
        raise Invalid(f"A chart's access must be one of {', '.join(ChartAccess.values)}, not {access!r}.")
    if access == ChartAccess.PUBLIC and not team.public_projects_allowed:
        raise Conflict(
            _(
                "The privacy settings of %(team)s do not allow public projects, nor public charts; an "
                "organization admin sets them."
            )
            % {"team": team}
        )


@transaction.atomic
def save_chart(
    *,
    actor: Actor,
    team: Team,
    name: str,
    spec: Any,
    display_name: str = "",
    access: str = ChartAccess.PRIVATE,
) -> StoredChart:
    """Store a chart under a name of the team; what had the name is replaced.

    Raises:
        Conflict: the team has MAX_CHARTS, or its privacy forbids what is public.
        Invalid, TooLarge: a wrong name, access or specification.
    """
    existing = StoredChart.objects.filter(team=team, name=name).first()
    require(actor, ChartAction.SAVE, existing or team)
    _check_access(team, access)
    name = _checked_name(name)
    Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    owned = StoredChart.objects.filter(team=team)
    if not owned.filter(name=name).exists() and owned.count() >= MAX_CHARTS:
        raise Conflict(
            _("A team can store at most %(most)s charts; delete one first.") % {"most": MAX_CHARTS}
        )
    given = {
        "spec": checked_spec(spec),
        "display_name": clean_text(display_name).strip()[:MAX_NAME],
        "access": access,
    }
    chart, is_new = StoredChart.objects.update_or_create(
        team=team, name=name, defaults=given, create_defaults=given | {"created_by_id": actor.user_id}
    )
    _record(actor, chart, "created" if is_new else "changed")
    return chart


@transaction.atomic
def delete_chart(*, actor: Actor, chart: StoredChart) -> None:
    """Delete a chart; panels that use it say that it is gone."""
    require(actor, ChartAction.SAVE, chart)
    _record(actor, chart, "deleted")
    chart.delete()


def _record(actor: Actor, chart: StoredChart, what: str) -> None:
    team = chart.team
    record(
        actor, ChartAction.SAVE, chart, organization_id=team.organization_id, team_id=team.pk,
        after={"chart": chart.name, "access": chart.access, "done": what},
    )  # fmt: skip
