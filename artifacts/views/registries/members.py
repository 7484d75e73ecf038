"""The people and teams in a registry."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from access.engine import can
from access.routes import declare
from access.web.requests import actor_of
from artifacts.access import RegistryAction
from artifacts.models import EVERYONE_ROLES, Registry, RegistryMember, RegistryRole
from artifacts.pages.addresses import registry_page
from artifacts.pages.registry_members import abilities, addable, last_admin, members_of
from artifacts.registries.members import (
    add_members,
    candidate_teams,
    candidates,
    change_member,
    remove_member,
)
from artifacts.registries.services import RegistryChanges, update_registry
from artifacts.views.registries.base import registry_context, registry_of
from common.errors import Invalid, NotFound
from common.web.responses import fragment
from teams.members.people import MemberFilter
from teams.views.base import answer, number_in


@declare(RegistryAction.VIEW)
@never_cache
@require_GET
def members(request: HttpRequest, **names: str) -> HttpResponse:
    """Show who is in a registry with which role; who manages it also adds and removes people and teams."""
    registry, actor = registry_of(request, names), actor_of(request)
    can_manage = can(actor, RegistryAction.MANAGE_MEMBERS, registry)
    rows = list(members_of(registry))
    wanted = MemberFilter.of(request.GET.dict())
    context = {
        **registry_context(request, registry),
        "members": rows,
        "can_manage": can_manage,
        "roles": list(RegistryRole),
        "everyone_roles": EVERYONE_ROLES,
        "new_role": RegistryRole.ADMIN if registry.is_of_team else RegistryRole.MEMBER,
        "last_admin": last_admin(rows) if not registry.is_of_team else 0,
        "abilities": abilities(),
        "wanted": wanted,
        "found": addable(registry, wanted) if can_manage else None,
    }
    return render(request, fragment(request, "artifacts/registries/members.html", "found"), context)


@declare(RegistryAction.MANAGE_MEMBERS)
@require_POST
def members_act(request: HttpRequest, act: str, **names: str) -> HttpResponse:
    """Add somebody, give them another role, remove them, or set what everyone in the organization is."""
    registry = registry_of(request, names, RegistryAction.MANAGE_MEMBERS)
    do = _ACTS.get(act)
    if do is None:
        raise NotFound(_("Unknown action."))
    reply = answer(request, lambda: do(request, registry), registry_page(registry, "registry_members"))
    # who took themselves out may see the registry no more
    is_out = not can(actor_of(request), RegistryAction.VIEW, registry)
    return redirect("artifacts:registries") if is_out and isinstance(reply, HttpResponseRedirect) else reply


def _add(request: HttpRequest, registry: Registry) -> str:
    user = candidates(registry).filter(pk=number_in(request, "user")).first()
    team = candidate_teams(registry).filter(pk=number_in(request, "team")).first()
    if user is None and team is None:
        raise Invalid(_("Choose a person or a team of the organization."))
    role = _role(request)
    add_members(
        actor=actor_of(request), registry=registry, role=role,
        users=[user] if user else [], teams=[team] if team else [],
    )  # fmt: skip
    return _("%(who)s now has access as %(role)s.") % {"who": user or team, "role": role.label}


def _change_role(request: HttpRequest, registry: Registry) -> str:
    member, role = _member(request, registry), _role(request)
    change_member(actor=actor_of(request), member=member, role=role)
    return _("%(who)s is now %(role)s.") % {"who": member.user or member.team, "role": role.label}


def _remove(request: HttpRequest, registry: Registry) -> str:
    member = _member(request, registry)
    remove_member(actor=actor_of(request), member=member)
    return _("%(who)s removed from the registry.") % {"who": member.user or member.team}


def _change_everyone(request: HttpRequest, registry: Registry) -> str:
    role = request.POST.get("everyone_role")
    if role is None:
        raise Invalid(_("Choose a role."))
    update_registry(actor=actor_of(request), registry=registry, changes=RegistryChanges(everyone_role=role))
    return _("Visibility saved.")


_ACTS: dict[str, Callable[[HttpRequest, Registry], str]] = {
    "add": _add, "role": _change_role, "remove": _remove, "everyone": _change_everyone,
}  # fmt: skip


def _member(request: HttpRequest, registry: Registry) -> RegistryMember:
    rows = RegistryMember.objects.filter(registry=registry)
    rows = rows.select_related("registry__project__team", "user", "team")
    member = rows.filter(pk=number_in(request, "member")).first()
    if member is None:
        raise Invalid(_("They are no longer in the registry."))
    return member


def _role(request: HttpRequest) -> RegistryRole:
    role = request.POST.get("role", "")
    if role not in RegistryRole.values:
        raise Invalid(_("Choose a role."))
    return RegistryRole(role)
