"""Roles that an organization defines for itself (TEAM-20): a built-in role of teams, and actions added to it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import Count, Field, ForeignObjectRel, Model, OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from access.actions import Preset
from access.actor import Actor
from access.audit.log import record
from access.engine import require
from common.errors import Conflict, Invalid, NotFound
from teams.access import OrganizationAction
from teams.models import Invitation, Membership, Organization, Role, RoleGrant, ServiceAccount
from teams.plan_policy import denied_message, has_feature
from teams.roles.builtin import addable_actions, built_in, built_in_names, set_grants
from teams.roles.signals import send_rights_changed

MOST_ROLES = 100
MAX_NAME, MAX_DESCRIPTION = 80, 300
BASES = (Preset.VIEW_ONLY, Preset.MEMBER)
_KINDS = (
    gettext_noop("members of restricted projects"), gettext_noop("group mappings"),
    gettext_noop("memberships of deactivated people"),
)  # fmt: skip
"""What Django calls rows of models of elsewhere that hold roles, named here for translators."""


@dataclass(frozen=True, slots=True)
class RoleFields:
    """What defines a custom role."""

    name: str
    base: Preset
    actions: frozenset[str]
    """What it adds; whatever the base gives besides is left out."""
    description: str = ""


@dataclass(frozen=True, slots=True)
class RoleUses:
    """Where a role is held: what falls back to its base when it is deleted."""

    members: list[Membership] = field(default_factory=list)
    accounts: list[ServiceAccount] = field(default_factory=list)
    invitations: int = 0
    elsewhere: dict[str, int] = field(default_factory=dict)
    """What other things hold it, by their plural name: memberships of restricted projects, groups of providers."""

    @property
    def teams(self) -> list[str]:
        """The names of the teams whose members hold it."""
        return sorted({row.team.name for row in self.members})

    @property
    def total(self) -> int:
        """How many things hold it."""
        return len(self.members) + len(self.accounts) + self.invitations + sum(self.elsewhere.values())


def custom_roles_of(organization: Organization) -> QuerySet[Role]:
    """Return the organization's roles, by name, with their grants and how many people and programs hold each."""
    holders = Membership.objects.filter(role=OuterRef("pk")).order_by().values("role")
    roles = Role.objects.filter(organization=organization).select_related("base").order_by("name", "pk")
    return roles.prefetch_related("grants").annotate(
        n_holders=Subquery(holders.annotate(n=Count("pk")).values("n"))
    )


def role_of(organization: Organization, number: int) -> Role:
    """Return a custom role of the organization.

    Raises:
        NotFound: it has none with this number.
    """
    role = custom_roles_of(organization).filter(pk=number).first()
    if role is None:
        raise NotFound(_("This role doesn’t exist in %(organization)s.") % {"organization": organization})
    return role


def given_by(base: Preset) -> frozenset[str]:
    """Return the actions that a role of this base has without adding any."""
    return frozenset(RoleGrant.objects.filter(role__preset=base).values_list("action", flat=True))


def added_by(role: Role) -> frozenset[str]:
    """Return the actions that a custom role adds; its grants are best read before."""
    return frozenset(grant.action for grant in role.grants.all() if grant.is_added)


def _audit_snapshot(role: Role) -> dict[str, Any]:
    role = Role.objects.select_related("base").get(pk=role.pk)
    snapshot = {
        "name": role.name,
        "description": role.description,
        "base": str(role.base and role.base.preset),
    }
    return {**snapshot, "adds": sorted(added_by(role))}


def _locked(actor: Actor, organization: Organization) -> Organization:
    """Return the organization, locked, so that concurrent changes to its roles wait for each other."""
    require(actor, OrganizationAction.MANAGE_ROLES, organization)
    return Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)


def _check_plan(organization: Organization) -> None:
    if not has_feature(organization, "custom_roles"):
        message = _("The plan of %(organization)s does not include custom roles.")
        raise Conflict(denied_message(message % {"organization": organization}, organization))


def _checked(organization: Organization, fields: RoleFields, *, but: int = 0) -> RoleFields:
    """Return the fields tidied up.

    Raises:
        Invalid: no name, one that is too long or means another role, another base, or an action that no team role has.
        Conflict: the organization has a role of this name.
    """
    name, description = " ".join(fields.name.split()), fields.description.strip()
    if not 1 <= len(name) <= MAX_NAME or "\x00" in name:
        raise Invalid(_("A role’s name must have 1 to %(most)d characters.") % {"most": MAX_NAME})
    if len(description) > MAX_DESCRIPTION:
        raise Invalid(
            _("A role’s description can have at most %(most)d characters.") % {"most": MAX_DESCRIPTION}
        )
    if name.casefold() in built_in_names():
        raise Invalid(_("“%(name)s” is the name of a built-in role; choose another name.") % {"name": name})
    others = Role.objects.filter(organization=organization).exclude(pk=but).values_list("name", flat=True)
    if name.casefold() in {other.casefold() for other in others}:
        names = {"organization": organization, "name": name}
        raise Conflict(_("%(organization)s already has a role named “%(name)s”.") % names)
    if fields.base not in BASES:
        raise Invalid(_("A custom role must be based on View-only or Member."))
    wrong = sorted(fields.actions - addable_actions())
    if wrong:
        message = _("A team role cannot include these permissions: %(actions)s.")
        raise Invalid(message % {"actions": ", ".join(action[:80] for action in wrong[:10])})
    return RoleFields(name, fields.base, fields.actions - given_by(fields.base), description)


def _save(role: Role, fields: RoleFields) -> None:
    role.name, role.description, role.base = fields.name, fields.description, built_in(fields.base)
    role.save()
    set_grants(role, given=given_by(fields.base), added=fields.actions)


@transaction.atomic
def create_role(*, actor: Actor, organization: Organization, fields: RoleFields) -> Role:
    """Define a role.

    Raises:
        Conflict: the plan has none, there are too many, or one of this name.
        Invalid: see `_checked`.
    """
    organization = _locked(actor, organization)
    _check_plan(organization)
    if Role.objects.filter(organization=organization).count() >= MOST_ROLES:
        message = _("An organization can have at most %(most)s custom roles; delete one first.")
        raise Conflict(message % {"most": MOST_ROLES})
    fields = _checked(organization, fields)
    role = Role(organization=organization)
    _save(role, fields)
    record(actor, "role.create", role, organization_id=organization.pk, after=_audit_snapshot(role))
    return role


@transaction.atomic
def change_role_fields(*, actor: Actor, role: Role, fields: RoleFields) -> Role:
    """Change a role; the change applies immediately to whoever has it."""
    organization = _organization_of(role)
    organization = _locked(actor, organization)
    _check_plan(organization)
    role = Role.objects.select_related("base").get(pk=role_of(organization, role.pk).pk)
    before = _audit_snapshot(role)
    _save(role, _checked(organization, fields, but=role.pk))
    after = _audit_snapshot(role)
    if after != before:
        Invitation.objects.filter(role=role).update(base_role=role.base)
        record(actor, "role.change", role, organization_id=organization.pk, before=before, after=after)
        send_rights_changed()
    return role


def _organization_of(role: Role) -> Organization:
    if role.organization is None:
        raise Invalid(_("%(role)s is a built-in role and cannot be changed or deleted.") % {"role": role})
    return role.organization


def _references() -> Iterable[tuple[type[Model], Field[Any, Any]]]:
    """Yield what refers to roles and falls back to the base, also in apps above.

    Not what goes with a role, or falls back by itself: grants, and invitations.
    """
    for relation in Role._meta.get_fields(include_hidden=True):
        if isinstance(relation, ForeignObjectRel) and relation.related_model not in {
            Role,
            RoleGrant,
            Invitation,
        }:
            yield relation.related_model, relation.field


def uses_of(role: Role) -> RoleUses:
    """Return where a role is held."""
    members = Membership.objects.filter(role=role, user__kind="person").select_related("team", "user__claim")
    elsewhere = {}
    for model, column in _references():
        n = 0 if model in {Membership, ServiceAccount} else _rows_with(model, column, role).count()
        if n:
            elsewhere[str(model._meta.verbose_name_plural)] = n
    accounts = ServiceAccount.objects.filter(role=role).select_related("team", "organization")
    return RoleUses(
        members=list(members.order_by("team__name", "user__username")),
        accounts=list(accounts.order_by("label")),
        invitations=Invitation.objects.pending().filter(role=role).count(),
        elsewhere=elsewhere,
    )


def _rows_with(model: type[Model], column: Field[Any, Any], role: Role) -> QuerySet[Model]:
    return model._default_manager.filter(**{column.name: role})


@transaction.atomic
def delete_role(*, actor: Actor, role: Role, is_confirmed: bool = False) -> RoleUses:
    """Delete a role; whatever holds it falls back to its base.

    Raises:
        Conflict: it is in use and that was not confirmed; ``detail`` counts where.
    """
    organization = _locked(actor, _organization_of(role))
    role = role_of(organization, role.pk)
    uses, before = uses_of(role), _audit_snapshot(role)
    if uses.total and not is_confirmed:
        message = _("The role %(role)s is in use. Confirm that everyone who has it becomes %(base)s.")
        error = Conflict(message % {"role": role, "base": role.base})
        error.detail = uses_to_dict(uses)
        raise error
    for model, column in _references():
        _rows_with(model, column, role).update(**{column.name: role.base})
    record(
        actor,
        "role.delete",
        role,
        organization_id=organization.pk,
        before={**before, "held": uses_to_dict(uses)},
    )
    role.delete()
    send_rights_changed()
    return uses


def uses_to_dict(uses: RoleUses) -> dict[str, Any]:
    """Return where a role is held, for programs and the audit log."""
    return {
        "members": [f"{row.team.name}/{row.user.username}" for row in uses.members],
        "service_accounts": [row.label for row in uses.accounts],
        "pending_invitations": uses.invitations,
        "elsewhere": uses.elsewhere,
    }
