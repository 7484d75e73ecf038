"""Charts that teams have stored: who reads which, and what a specification is."""

import json
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import visible
from common.errors import Invalid, NotFound, TooLarge
from common.formats.lenient_json import check_nesting, clean_text
from runs.access import ChartAction
from runs.models import StoredChart
from runs.selectors import get_team
from teams.models import Team

MAX_SPEC_BYTES = 128 * 1024


def charts_of(actor: Actor, entity: str = "") -> QuerySet[StoredChart]:
    """Return the charts that the actor may draw with; only those of one entity if it is named."""
    charts = visible(actor, ChartAction.VIEW, StoredChart.objects.all()).select_related("team", "created_by")
    return charts.filter(team__name=entity) if entity else charts


def get_chart(actor: Actor, entity: str, name: str) -> StoredChart:
    """Return a chart.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    chart = charts_of(actor, entity).filter(name=name).first()
    if chart is None:
        message = _("The chart %(entity)s/%(name)s doesn’t exist, or you don’t have access to it.")
        raise NotFound(message % {"entity": entity, "name": name})
    return chart


def team_of(actor: Actor, entity: str, name: str) -> Team:
    """Return the team whose chart it is, or would be.

    Raises:
        NotFound: the actor sees neither the chart nor the entity.
    """
    chart = charts_of(actor, entity).filter(name=name).first()
    return chart.team if chart else get_team(actor, entity)


def checked_spec(spec: Any) -> str:
    """Return a specification as it is stored, the text that somebody wrote or that of an object.

    Raises:
        Invalid: no JSON object, or nested too deep.
        TooLarge: over MAX_SPEC_BYTES.
    """
    text = spec if isinstance(spec, str) else json.dumps(spec, indent=2, ensure_ascii=False)
    if len(text.encode(errors="replace")) > MAX_SPEC_BYTES:
        raise TooLarge(
            _("A chart’s specification can be at most %(most)s KiB.") % {"most": MAX_SPEC_BYTES // 1024}
        )
    try:
        read = json.loads(text)
        check_nesting(read)
    except (ValueError, RecursionError) as error:
        raise Invalid(
            _("A chart’s specification must be valid JSON: %(error)s.") % {"error": error}
        ) from None
    if not isinstance(read, dict):
        raise Invalid(_("A chart’s specification must be a JSON object."))
    return clean_text(text)
