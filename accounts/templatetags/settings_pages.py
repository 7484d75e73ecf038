"""The rail of settings pages."""

from typing import Any

from django import template
from django.db.models import Model
from django.urls import reverse

from access.web.requests import actor_of
from accounts.mail.outbox import is_outbox_used
from accounts.models import SignInProvider
from accounts.settings.sections import Section, SettingsScope, rail_of, section_at
from accounts.sign_in.providers import enabled_providers

register = template.Library()


@register.inclusion_tag("settings/rail.html", takes_context=True)
def settings_rail(context: dict[str, Any], scope: str, row: Model | None = None) -> dict[str, Any]:
    """List the sections of ``scope`` that the viewer may open; ``row`` is the team or organization.

    A page below a section names it by ``section_route``.
    """
    request = context["request"]
    actor, place = actor_of(request), SettingsScope(scope)
    arguments = [] if row is None else [str(row)]
    section = current_section(context, place, row)
    groups = [
        (group, [{"section": one, "url": reverse(one.route, args=arguments)} for one in sections])
        for group, sections in rail_of(actor, place, row).items()
    ]
    return {
        "row": row or request.user,
        "groups": groups,
        "here": section and (section.under or section.route),
        "label": section.label if section else "",
    }


def current_section(context: dict[str, Any], scope: SettingsScope, row: Model | None) -> Section | None:
    """Return the section that a page is of, or below."""
    request = context["request"]
    route = context.get("section_route") or request.resolver_match.view_name
    return section_at(actor_of(request), scope, route, row)


@register.simple_tag(takes_context=True)
def settings_heading(context: dict[str, Any], scope: str) -> str:
    """Return the name of the section whose page this is."""
    request = context["request"]
    section = section_at(
        actor_of(request), SettingsScope(scope), request.resolver_match.view_name, context.get(scope)
    )
    return str(section.label) if section else ""


@register.simple_tag
def sends_mail() -> bool:
    """Say whether this installation sends mail, for pages that promise one."""
    return not is_outbox_used()


@register.inclusion_tag("partials/no_mail.html", takes_context=True)
def no_mail_note(context: dict[str, Any], more: str = "") -> dict[str, Any]:
    """Say that this installation sends no mail, where it sends none, and what operators can do about it.

    Args:
        context: The page's.
        more: A sentence that follows.
    """
    user = getattr(context.get("request"), "user", None)
    return {"is_shown": is_outbox_used(), "is_operator": getattr(user, "is_operator", False), "more": more}


@register.simple_tag
def sign_in_providers() -> list[SignInProvider]:
    """Return the providers that the sign-in and sign-up pages offer."""
    return enabled_providers()
