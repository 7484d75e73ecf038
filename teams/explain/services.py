"""Who may have whose access explained (TEAM-21): one's own always, others' by whoever manages the members there.

An explanation is about things that the asker sees, and about people whom the asker may know of, so it tells nobody
what the pages would not.
"""

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Model
from django.utils.translation import gettext as _

from access.actions import all_actions
from access.actor import Actor
from access.engine import can, require
from access.explain import Explanation, explain
from access.grants import Reason, met, unmet
from access.resource_paths import example_of, resolve_path
from access.resources.labels import kind_of
from access.resources.registry import explainable_models, resource_of, value_at
from access.web.requests import actor_of_user
from accounts.models import ApiKey, User
from common.errors import Invalid
from teams.access import OrganizationAction, TeamAction
from teams.models import Membership, Organization, OrganizationMember, ServiceAccount, Team


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, as people and programs write it."""

    action: str
    on: str
    """The path of a thing, or the address of its page."""
    user: str = ""
    """A username; "" is the asker."""
    key: str = ""
    """What the API key begins with that they would use; "" is none."""


def explain_to(asker: Actor, question: Question, *, within: Team | Organization | None = None) -> Explanation:
    """Explain why somebody may, or may not.

    Args:
        asker: Who wants to know.
        question: What they ask.
        within: The team or organization whose page asks; things of others are refused.

    Raises:
        Invalid: no such action, none of such a thing, or no such user, key or thing here.
        NotFound: no such thing, or none that the asker sees.
        Forbidden: they do not manage the members there.
    """
    thing = resolve_path(asker, question.on)
    _check_action(question.action, thing)
    team, organization = _places_of(thing)
    if within is not None and within not in (team, organization):
        raise Invalid(_("%(name)s is not in %(place)s.") % {"name": question.on[:200], "place": within})
    person = _person(asker, question.user, team, organization)
    actor, conditions = actor_of_user(person), list[Reason]()
    if question.key:
        key = _key(asker, person, question.key)
        actor = dataclasses.replace(actor, scopes=None if key.scopes is None else frozenset(key.scopes))
        conditions.append(_life_of(key))
    found = explain(actor, question.action, thing, more_conditions=conditions)
    notes = found.notes if _is_self(asker, person) else ()
    if thing._meta.label not in found.spec.on:
        own = explain(actor, found.spec.own, thing, more_conditions=conditions) if found.spec.own else None
        notes += _on_what_lies_there(found, own)
    return dataclasses.replace(found, notes=notes)


def _on_what_lies_there(found: Explanation, own: Explanation | None) -> tuple[str, ...]:
    """Say of an answer about all that lies in a project what it leaves open: one's own, and a single one."""
    single = _("To ask about a single one, enter for example: %(examples)s.")
    notes = [single % {"examples": _examples(found.spec.on)}]
    if own is not None and not found.allowed:
        message = (
            _("%(who)s has the permission “%(what)s” there.")
            if own.allowed
            else _("%(who)s does not have the permission “%(what)s” there, either.")
        )
        notes.insert(0, message % {"who": own.who, "what": own.spec.label})
    return tuple(notes)


def _is_self(asker: Actor, person: User | None) -> bool:
    return person is None or person.pk == asker.user_id


def _check_action(action: str, thing: Model) -> None:
    specs = dict(all_actions())
    if action not in specs:
        raise Invalid(_("Unknown permission “%(action)s”.") % {"action": action[:80]})
    spec = specs[action]
    kinds = explainable_models(spec.on)
    if thing._meta.label in kinds:
        return
    names = {"what": spec.label, "kind": kind_of(thing), "name": str(thing)}
    message = _("“%(what)s” does not apply to the %(kind)s %(name)s.") % names
    if examples := _examples(kinds):
        message += " " + _("Enter, for example: %(examples)s.") % {"examples": examples}
    raise Invalid(message)


def _examples(models: Iterable[str]) -> str:
    return ", ".join(sorted(filter(None, map(example_of, models))))


def _places_of(thing: Model) -> tuple[Team | None, Organization | None]:
    resource = resource_of(thing._meta.model)
    team_id = value_at(thing, resource.team) if resource.team else None
    organization_id = value_at(thing, resource.organization) if resource.organization else None
    team = Team.objects.filter(pk=team_id or 0).first()
    return team, Organization.objects.filter(pk=organization_id or 0).first()


def _person(asker: Actor, name: str, team: Team | None, organization: Organization | None) -> User | None:
    """Return whom it is about, None for who is not signed in.

    Of strangers nobody learns whether their account is switched off.
    """
    if name.strip().casefold() in {"", asker.name.casefold()}:
        return User.objects.filter(pk=asker.lookup_id).first()
    if team is not None:
        require(asker, TeamAction.MANAGE_MEMBERS, team)
    elif organization is not None:
        require(asker, OrganizationAction.MANAGE_MEMBERS, organization)
    person = User.objects.filter(username__iexact=name.strip()).first() if "\x00" not in name else None
    if person is None or not (person.is_active or _is_known(person, team, organization)):
        raise Invalid(_("User “%(name)s” doesn’t exist.") % {"name": name.strip()[:80]})
    return person


def _is_known(person: User, team: Team | None, organization: Organization | None) -> bool:
    members = Membership.objects.filter(user=person, team=team)
    places = OrganizationMember.objects.filter(user=person, organization=organization)
    return (team is not None and members.exists()) or (organization is not None and places.exists())


def _key(asker: Actor, person: User | None, prefix: str) -> ApiKey:
    """Return a key of the person's that the asker may know: their own, or one of a service account they manage."""
    begins = prefix.strip().removeprefix("ry-").rstrip("…")[:40]
    rows = ApiKey.objects.filter(user=person, prefix=begins) if person else ApiKey.objects.none()
    key = rows.first() if "\x00" not in begins else None
    if key is None or not (key.user_id == asker.user_id or _manages(asker, key.user)):
        raise Invalid(_("%(who)s has no API key beginning with “%(key)s”, or you don’t have access to it.")
                      % {"who": person or "-", "key": prefix[:40]})  # fmt: skip
    return key


def _manages(asker: Actor, person: User) -> bool:
    account = ServiceAccount.objects.filter(user=person).select_related("team", "organization").first()
    if account is None:
        return False
    if account.team is not None:
        return can(asker, TeamAction.MANAGE_SERVICE_ACCOUNTS, account.team)
    return account.organization is not None and can(
        asker, OrganizationAction.MANAGE_MEMBERS, account.organization
    )


def _life_of(key: ApiKey) -> Reason:
    names = {"key": f"ry-{key.prefix}…"}
    if not key.is_expired:
        return met("key", _("The API key %(key)s has not expired.") % names)
    help_ = _("Its owner can create a new one.")
    return unmet("key", _("The API key %(key)s has expired.") % names, help_)
