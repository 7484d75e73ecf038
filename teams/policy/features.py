"""Whether an organization's plan includes a feature. Everything is on until `billing` registers an answer."""

from collections.abc import Callable, Collection

from teams.models import Organization

FeatureAnswer = Callable[[Organization, str], bool]
Among = Callable[[Collection[int], str], set[int]]
"""Takes keys of organizations and a feature; returns the keys of those that have it, in one query."""
PlanWords = Callable[[Organization], str]
"""Returns sentences that say which plan an organization is on, and who can change it."""

_answers: list[FeatureAnswer] = []
_among: list[Among] = []
_words: list[PlanWords] = []
_comparable: list[Callable[[Organization], bool]] = []


def register_feature_answer(answer: FeatureAnswer, *, among: Among | None = None) -> None:
    """Set who answers; called in ``AppConfig.ready``. Without ``among`` each organization is asked about alone."""
    _answers[:] = [answer]
    _among[:] = [] if among is None else [among]


def register_plan_words(words: PlanWords, *, can_compare: Callable[[Organization], bool]) -> None:
    """Set who knows what plans are called, who changes them, and whether there is another one to look at.

    Called in ``AppConfig.ready``.
    """
    _words[:], _comparable[:] = [words], [can_compare]


def has_feature(organization: Organization, feature: str) -> bool:
    """Say whether the organization may use the feature, for example ``"service_accounts"``."""
    return _answers[0](organization, feature) if _answers else True


def having(organization_ids: Collection[int], feature: str) -> set[int]:
    """Return the keys of the organizations that may use the feature."""
    if not organization_ids or not _answers:
        return set(organization_ids)
    if _among:
        return _among[0](organization_ids, feature)
    rows = Organization.objects.filter(pk__in=organization_ids)
    return {row.pk for row in rows if has_feature(row, feature)}


def about_plan(organization: Organization) -> str:
    """Say which plan the organization is on and who can change it; "" until `billing` registers words."""
    return _words[0](organization) if _words else ""


def can_compare_plans(organization: Organization) -> bool:
    """Say whether there is another plan to compare the organization's with."""
    return any(answer(organization) for answer in _comparable)


def without(message: str, organization: Organization) -> str:
    """Return a refusal of what the plan does not include, with who can change that."""
    return f"{message} {about_plan(organization)}".strip()
