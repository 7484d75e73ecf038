"""Whether an organization's plan includes a feature. Everything is on until `billing` registers an answer."""

from collections.abc import Callable

from teams.models import Organization

FeatureAnswer = Callable[[Organization, str], bool]

_answers: list[FeatureAnswer] = []


def register_feature_answer(answer: FeatureAnswer) -> None:
    """Set who answers; called in ``AppConfig.ready``."""
    _answers[:] = [answer]


def has_feature(organization: Organization, feature: str) -> bool:
    """Say whether the organization may use the feature, for example ``"service_accounts"``."""
    return _answers[0](organization, feature) if _answers else True
