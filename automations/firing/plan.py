"""Which automations may act: those that the plan of their organization includes, and that can be read."""

import logging
from collections.abc import Iterable

from automations.conditions.filters import Condition, parse
from automations.models import Automation
from common.errors import Invalid
from teams.models import Team
from teams.plan_policy import has_feature, organizations_with

logger = logging.getLogger(__name__)

FEATURE = "automations"


def has_automations(team: Team) -> bool:
    """Say whether a team may use automations; its organization must be loaded."""
    return team.organization is None or has_feature(team.organization, FEATURE)


def with_plan(automations: Iterable[Automation]) -> list[Automation]:
    """Keep those of teams that may use automations, one query; others are silent. Their teams must be loaded."""
    rows = list(automations)
    organizations = {row.team.organization_id for row in rows if row.team.organization_id is not None}
    have = organizations_with(organizations, FEATURE)
    return [row for row in rows if row.team.organization_id is None or row.team.organization_id in have]


def with_conditions(automations: Iterable[Automation]) -> list[tuple[Automation, Condition]]:
    """Return automations with what they wait for; one that cannot be read must not stop the others."""
    found = []
    for automation in automations:
        try:
            found.append((automation, parse(automation.event, automation.filter)))
        except Invalid as error:  # of a release that knew more
            logger.warning("automation %s is left out: %s", automation.pk, error.message)
    return found
