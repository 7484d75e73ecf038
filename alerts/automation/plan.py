"""Which automations the plan of their organization includes; personal teams have no plan."""

from collections.abc import Iterable

from alerts.models import Automation
from teams.features import has_feature
from teams.models import Team

FEATURE = "automations"


def has_automations(team: Team) -> bool:
    """Say whether a team may use automations; its organization must be loaded."""
    return team.organization is None or has_feature(team.organization, FEATURE)


def with_plan(automations: Iterable[Automation]) -> list[Automation]:
    """Keep those of teams that may use automations; others are silent. Teams and organizations must be loaded."""
    answers: dict[int, bool] = {}
    kept = []
    for automation in automations:
        key = automation.team.organization_id or 0
        if key not in answers:
            answers[key] = has_automations(automation.team)
        if answers[key]:
            kept.append(automation)
    return kept
