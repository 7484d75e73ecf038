"""Organizations."""

from django.db import models

from accounts.models import Name
from common.models import Timestamped


class Organization(Timestamped):
    """Owns teams, members and, later, a plan (TEAM-1)."""

    claim = models.OneToOneField(Name, models.PROTECT, related_name="organization")
    name = models.CharField(max_length=64, unique=True, help_text="The reserved name; it never changes.")
    display_name = models.CharField(max_length=120, blank=True)
    enforced_privacy = models.JSONField(
        default=dict,
        blank=True,
        help_text="Privacy settings that apply to all of its teams.",
    )
    api_keys_allowed = models.BooleanField(
        "member API keys", default=True, help_text="Whether members may create API keys."
    )
    api_key_max_days = models.PositiveIntegerField(
        "API key lifetime (days)",
        null=True,
        blank=True,
        help_text="At most, of a member's new API key; empty means no limit.",
    )
    deleted_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="Only its name is left, for ever."
    )
    api_keys_limited = models.BooleanField(
        "limited API keys",
        default=False,
        help_text="Whether a member's new API key must be limited to some actions.",
    )

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
