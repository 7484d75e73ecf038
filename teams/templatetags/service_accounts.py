"""What the pages of service accounts show."""

from collections.abc import Iterable

from django import template
from django.conf import settings

from accounts.models import ApiKey
from teams.models import Team

register = template.Library()


@register.simple_tag
def last_used(keys: Iterable[ApiKey]) -> ApiKey | None:
    """Return the key that was used last, None when none was."""
    used = [(key.last_used_at, key.pk, key) for key in keys if key.last_used_at]
    return max(used)[2] if used else None


@register.simple_tag
def service_account_variables(team: Team | None, key: str = "") -> str:
    """Return the lines that a job's environment needs."""
    lines = {
        "WANDB_BASE_URL": settings.BASE_URL, "WANDB_API_KEY": key or "ry-…",
        "WANDB_ENTITY": team.name if team else "TEAM", "WANDB_USERNAME": "MEMBER",
    }  # fmt: skip
    return "\n".join(f"export {name}={value}" for name, value in lines.items())
