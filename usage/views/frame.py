"""The frame of an organization's pages of usage and billing."""

from typing import Any

from teams.models import Organization
from usage.policy import usage_policy


def frame_context(organization: Organization, tab: str) -> dict[str, Any]:
    """Return what the frame of an organization's pages needs: whether they tell of money, and which tab is open."""
    return {"organization": organization, "tab": tab, "is_billed": usage_policy().is_billed(organization.pk)}
