"""What pages say of API keys."""

from collections.abc import Collection

from django import template

from accounts.api_keys import scopes

register = template.Library()


@register.simple_tag
def reach_label(granted: Collection[str] | None) -> str:
    """Return what a key may, in a word or two."""
    return scopes.reach_label(granted)
