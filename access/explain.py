"""Why somebody may, or may not: the decision of `access.engine`, said check by check.

Every check asks what the engine asks (the resource's conditions, the sources of grants), for one row. A test holds
`Explanation.allowed` against `can` for everybody and everything.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Model, Q
from django.utils.translation import gettext as _

from access.actions import ActionSpec, spec_of
from access.actor import Actor, ActorKind
from access.grants import Reason, granted_because, met, unmet
from access.resources.labels import kind_of
from access.resources.registry import Resource, explainable_models, resource_of, value_at
from common.errors import Forbidden


@dataclass(frozen=True, slots=True)
class Explanation:
    """The answer to "may X do Y on Z, and why"."""

    who: str
    action: str
    spec: ActionSpec
    kind: str
    thing: str
    conditions: tuple[Reason, ...]
    """All must hold."""
    grants: tuple[Reason, ...]
    """One that holds is enough."""
    notes: tuple[str, ...] = ()

    @property
    def allowed(self) -> bool:
        """Whether they may."""
        return all(each.holds for each in self.conditions) and any(each.holds for each in self.grants)

    @property
    def because(self) -> tuple[Reason, ...]:
        """What decides: the grants that hold; or, if they may not, whatever stands in the way."""
        if self.allowed:
            return tuple(each for each in self.grants if each.holds)
        failed = tuple(each for each in self.conditions if not each.holds)
        return failed + (() if any(each.holds for each in self.grants) else self.grants)

    @property
    def helps(self) -> tuple[str, ...]:
        """What would change a no, each once; empty for a yes."""
        if self.allowed:
            return ()
        return tuple(dict.fromkeys(each.help for each in self.because if each.help))

    @property
    def verdict(self) -> str:
        """The answer as a sentence."""
        names = {"who": self.who, "what": self.spec.label, "kind": self.kind, "name": self.thing}
        if self.allowed:
            return _("Yes: %(who)s has the permission “%(what)s” on the %(kind)s %(name)s.") % names
        return _("No: %(who)s does not have the permission “%(what)s” on the %(kind)s %(name)s.") % names

    @property
    def remedy(self) -> str:
        """What the credentials lack, and what would change a no, in sentences; "" for a yes."""
        lacking = [] if self.allowed else [each.text for each in self.conditions if not each.holds]
        return " ".join([*lacking, *self.helps])


def refused(actor: Actor, action: str, obj: Model) -> Forbidden:
    """Return the refusal of an action on a row that the actor sees: that they may not, and what would change it."""
    found = explain(actor, action, obj)
    names = {"who": found.who, "what": found.spec.label, "kind": found.kind, "name": found.thing}
    message = (
        _("%(who)s does not have the permission “%(what)s” on the %(kind)s %(name)s.")
        if actor.key_id  # a program's log is read by who may not know whose key it has
        else _("You don’t have the permission “%(what)s” on the %(kind)s %(name)s.")
    )
    return Forbidden(f"{message % names} {found.remedy}".rstrip(), action=action, thing=obj)


@dataclass(frozen=True, slots=True)
class _Question:
    """Who asks for what on which row, and what is known of all three."""

    actor: Actor
    action: str
    row: Model
    user: Any
    resource: Resource
    spec: ActionSpec

    @property
    def who(self) -> str:
        return self.actor.name or _("someone who is not signed in")

    def matches(self, condition: Q) -> bool:
        """Whether the row is one of these."""
        return self.row._meta.model._default_manager.filter(condition, pk=self.row.pk).exists()


def explain(actor: Actor, action: str, obj: Model, *, more_conditions: Iterable[Reason] = ()) -> Explanation:
    """Say why the actor may or may not do the action on this row, or on what lies in this project and is not theirs.

    The caller has checked that whoever asks sees the row. A deactivated account may nothing, though nobody can act as
    one and `can` is never asked about it.

    Args:
        actor: About whom.
        action: What they would do.
        obj: On which row.
        more_conditions: What apps above know of the credentials: whether a key has expired.
    """
    resource = resource_of(obj._meta.model)
    user = get_user_model()._default_manager.filter(pk=actor.lookup_id).first()
    question = _Question(actor, str(action), obj, user, resource, _spec_of(action, resource))
    by_rank = _rank(question)
    conditions = [] if by_rank else [*_conditions(question), *more_conditions]
    return Explanation(
        who=question.who,
        action=question.action,
        spec=question.spec,
        kind=kind_of(obj),
        thing=str(obj),
        conditions=tuple(conditions),
        grants=tuple(by_rank or _grants(question)),
        notes=tuple(_notes(question)),
    )


def _spec_of(action: str, resource: Resource) -> ActionSpec:
    spec = spec_of(action)
    return spec if resource.model in explainable_models(spec.on) else spec_of(action, resource.model)


def _rank(question: _Question) -> list[Reason]:
    """Return what lets the system and elevated operators do everything."""
    if question.actor.kind is ActorKind.SYSTEM:
        return [met("operator", _("Commands run on the server itself can do everything."))]
    if question.actor.elevated:
        text = _("%(who)s is acting as an operator of this installation; this is recorded in the audit log.")
        return [met("operator", text % {"who": question.who})]
    return []


def _conditions(question: _Question) -> list[Reason]:
    """Return what must hold whatever gives the right."""
    found = []
    if question.user is not None:
        found.append(_account(question))
    if question.actor.impersonated_by:
        found.append(_impersonation(question))
    if question.actor.scopes is not None or (
        question.actor.key_id and not question.actor.reaches(question.action)
    ):
        found.append(_scopes(question))
    found.append(_life(question))
    return found


def _account(question: _Question) -> Reason:
    names = {"who": question.who}
    if question.user.is_active:
        return met("account", _("The account of %(who)s is active.") % names)
    return unmet(
        "account",
        _("The account of %(who)s is deactivated: it cannot sign in or use its API keys.") % names,
        _("An operator of this installation can reactivate the account."),
    )


def _impersonation(question: _Question) -> Reason:
    names = {"who": question.who}
    if question.actor.reaches(question.action):
        return met("acting as somebody", _("Someone acting as %(who)s can do what %(who)s can.") % names)
    return unmet(
        "acting as somebody",
        _("Only %(who)s can do this, not someone acting as %(who)s.") % names,
        _("Stop acting as %(who)s first.") % names,
    )


def _scopes(question: _Question) -> Reason:
    names = {"action": question.action, "own": question.spec.own}
    if question.actor.reaches(question.action):
        return met("key scopes", _("The scopes of the API key include %(action)s.") % names)
    if question.spec.own and question.actor.reaches(question.spec.own):
        text = _("The scopes of the API key include %(own)s, which is enough for what its owner created.")
        return met("key scopes", text % names)
    return unmet(
        "key scopes",
        _("The scopes of the API key do not include %(action)s.") % names,
        _("Use a key with this scope.")
        if question.actor.scopes is None
        else _("Use a key with this scope, or an unrestricted key."),
    )


def _life(question: _Question) -> Reason:
    names = {"kind": kind_of(question.row), "name": str(question.row)}
    if question.action in question.resource.reach_deleted or question.matches(question.resource.live):
        return met("deletion", _("The %(kind)s %(name)s exists and is available.") % names)
    return unmet(
        "deletion",
        _("The %(kind)s %(name)s was deleted. It is unavailable until it is restored.") % names,
        _("Anyone who can delete it can restore it until it is permanently deleted."),
    )


def _grants(question: _Question) -> list[Reason]:
    """Return whatever could give the right, in the order in which people think of it."""
    if question.user is not None:
        return [*_by_roles(question), *_by_ownership(question), *_by_visibility(question)]
    stranger = unmet("sign-in", _("You are not signed in."), _("Sign in, or send an API key."))
    return [*_by_visibility(question), stranger]


def _by_roles(question: _Question) -> list[Reason]:
    return _reached(
        question,
        question.action,
        granted_because(question.actor, question.action, question.resource, question.row),
    )


def _reached(question: _Question, action: str, reasons: list[Reason]) -> list[Reason]:
    """Take away what the key's scopes leave out; the condition on them tells so."""
    if question.actor.reaches(action):
        return reasons
    return [replace(each, holds=False, help="") for each in reasons]


def _by_ownership(question: _Question) -> list[Reason]:
    """Return what the owner may: a person's own things, and "own" by a role."""
    spec, resource = question.spec, question.resource
    if not resource.owner or not (spec.owner or spec.own):
        return []
    owner = value_at(question.row, resource.owner)
    names = {"who": question.who, "kind": kind_of(question.row), "name": str(question.row), "own": spec.own}
    if owner != question.user.pk:
        holder = get_user_model()._default_manager.filter(pk=owner or 0).first()
        if holder is None:
            text = _("The %(kind)s %(name)s has no owner here.") % names
        else:
            text = _("The %(kind)s %(name)s belongs to %(owner)s, not to %(who)s.") % {
                **names,
                "owner": holder,
            }
        return [unmet("ownership", text)]
    if spec.owner:
        own = met("ownership", _("The %(kind)s %(name)s belongs to %(who)s.") % names)
        return _reached(question, question.action, [own])
    rights = granted_because(question.actor, spec.own, resource, question.row)
    mine = _("The %(kind)s %(name)s belongs to %(who)s.") % names
    return _reached(
        question,
        spec.own,
        [replace(each, kind=f"own, {each.kind}", text=f"{mine} {each.text}") for each in rights],
    )


def _by_visibility(question: _Question) -> list[Reason]:
    found = []
    names = {"kind": kind_of(question.row), "name": str(question.row)}
    if question.spec.public:
        is_public = question.matches(question.resource.public)
        text = _("%(name)s is public: anyone can do this.") if is_public else _("%(name)s is not public.")
        found.append(Reason("visibility", is_public, text % names))
    if question.spec.open and question.user is not None:
        is_open = question.matches(question.resource.open(question.user.pk))
        text = (
            _("The project is Open: anyone signed in can log new runs to it and resume their own.")
            if is_open
            else _("No Open project here allows this for everyone.")
        )
        found.append(Reason("open project", is_open, text))
    return _reached(question, question.action, found)


def _notes(question: _Question) -> list[str]:
    """Return what decides nothing here but is good to know."""
    if question.user is not None and question.user.is_operator and not question.actor.elevated:
        text = _(
            "%(who)s is an operator of this installation and can do everything in the Django admin or with "
            "the header Use-Admin-Privileges; both are recorded in the audit log."
        )
        return [text % {"who": question.who}]
    return []
