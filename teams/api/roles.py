"""REST: the actions there are, the roles of an organization, and why somebody may or may not."""

from typing import Any, ClassVar

from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from access.actions import Preset, all_actions
from access.explain import Explanation
from access.openapi.schema import query
from access.rest.policy import actor_of
from access.routes import Open, declare
from common.errors import Invalid
from common.rest.responses import validated
from teams.access import OrganizationAction, TeamAction
from teams.explain.services import Question, explain_to
from teams.models import Organization, Role
from teams.roles import custom
from teams.roles.builtin import addable_actions
from teams.roles.custom import MAX_DESCRIPTION, MAX_NAME, RoleFields, added_by, custom_roles_of, role_of
from teams.teams.selectors import organization_named

_singular: Any = forced_singular_serializer  # it has no types
_BASES = {"view-only": Preset.VIEW_ONLY, "member": Preset.MEMBER}
_NAMES = {preset: name for name, preset in _BASES.items()}


class ActionSerializer(serializers.Serializer[Any]):
    """An action of the registry: what roles and the scopes of API keys are made of."""

    action = serializers.CharField(help_text='For example "run.stop".')
    group = serializers.CharField(help_text="What it is about, in the reader's language.")
    label = serializers.CharField(help_text="What it allows, in a few words.")  # type: ignore[assignment]  # hides DRF's own
    help = serializers.CharField(help_text="The same in a sentence.")
    roles = serializers.ListField(
        child=serializers.CharField(), help_text="Letters of the built-in roles that have it."
    )
    can_be_added = serializers.BooleanField(help_text="Whether a custom role can add it.")


class ActionsSerializer(serializers.Serializer[Any]):
    """All of them."""

    results = ActionSerializer(many=True)


class RoleSerializer(serializers.ModelSerializer[Role]):
    """A role that an organization has defined."""

    base = serializers.SerializerMethodField(
        help_text='The built-in role it adds to: "view-only" or "member".'
    )
    adds = serializers.SerializerMethodField(help_text="The actions it adds to its base.")
    actions = serializers.SerializerMethodField(help_text="All actions it includes, its base's among them.")
    holders = serializers.SerializerMethodField(help_text="How many people and programs have it in teams.")

    class Meta:
        model = Role
        fields: ClassVar[list[str]] = ["id", "name", "description", "base", "adds", "actions", "holders"]

    def get_base(self, role: Role) -> str:
        """Return the base by the name people know."""
        return _NAMES[Preset(role.base.preset)] if role.base else ""

    def get_adds(self, role: Role) -> list[str]:
        """Return what it adds."""
        return sorted(added_by(role))

    def get_actions(self, role: Role) -> list[str]:
        """Return all it includes."""
        return sorted(grant.action for grant in role.grants.all())

    def get_holders(self, role: Role) -> int:
        """Return how many hold it."""
        return getattr(role, "n_holders", None) or 0


class RolesSerializer(serializers.Serializer[Any]):
    """All of an organization."""

    results = RoleSerializer(many=True)


class RoleInputSerializer(serializers.Serializer[Any]):
    """What defines a role."""

    name = serializers.CharField(max_length=MAX_NAME)
    description = serializers.CharField(
        max_length=MAX_DESCRIPTION, required=False, allow_blank=True, default=""
    )
    base = serializers.ChoiceField(choices=sorted(_BASES))
    adds = serializers.ListField(
        child=serializers.CharField(max_length=80), max_length=200, required=False, default=list
    )


class RoleDeletionSerializer(serializers.Serializer[Any]):
    """Who held a role that was deleted, and holds its base now."""

    members = serializers.ListField(child=serializers.CharField(), help_text='"team/username" each.')
    service_accounts = serializers.ListField(child=serializers.CharField())
    pending_invitations = serializers.IntegerField()
    elsewhere = serializers.DictField(
        child=serializers.IntegerField(), help_text="Other things that held it."
    )


class ReasonSerializer(serializers.Serializer[Any]):
    """One check of an explanation."""

    kind = serializers.CharField(help_text='What was looked at: "team role", "visibility", "key scopes", ...')
    holds = serializers.BooleanField()
    text = serializers.CharField()
    help = serializers.CharField(allow_blank=True, help_text="How it could be met, or empty.")


class ExplanationSerializer(serializers.Serializer[Explanation]):
    """Whether somebody may do something, and why."""

    allowed = serializers.BooleanField(help_text="All conditions are met, and at least one grant.")
    verdict = serializers.CharField()
    user = serializers.CharField(source="who")
    action = serializers.CharField()
    kind = serializers.CharField()
    thing = serializers.CharField()
    conditions = ReasonSerializer(many=True)
    grants = ReasonSerializer(many=True)
    helps = serializers.ListField(child=serializers.CharField(), help_text="What would change a no.")
    notes = serializers.ListField(child=serializers.CharField())


class ExplainQuerySerializer(serializers.Serializer[Any]):
    """What is to be explained."""

    action = serializers.CharField(max_length=80)
    on = serializers.CharField(max_length=500, help_text='"team", "team/project", "team/project/runs/id"')
    user = serializers.CharField(max_length=150, required=False, allow_blank=True, default="")
    key = serializers.CharField(max_length=60, required=False, allow_blank=True, default="")


@declare(Open.ANYONE)
class ActionViewSet(ViewSet):
    """The registry of actions. It names nobody's things, so it needs no rights."""

    tag = "Roles"
    object_actions: ClassVar[dict[str, str]] = {"list": TeamAction.VIEW}

    @extend_schema(responses=_singular(ActionsSerializer))
    def list(self, request: Request) -> Response:
        """List all actions that roles grant and API key scopes name."""
        addable = addable_actions()
        rows = [
            {
                "action": action,
                "group": spec.group,
                "label": spec.label,
                "help": spec.help,
                "roles": sorted(spec.roles),
                "can_be_added": action in addable,
            }
            for action, spec in all_actions()
        ]
        return Response({"results": ActionSerializer(rows, many=True).data})


@declare(OrganizationAction.VIEW)
class RoleViewSet(ViewSet):
    """The roles that an organization has defined; its admins define them, its members see them."""

    tag = "Roles"
    lookup_url_kwarg = "number"
    lookup_value_regex = "[0-9]{1,9}"
    fresh_actions: ClassVar[frozenset[str]] = frozenset({"create", "update", "partial_update", "destroy"})
    object_actions: ClassVar[dict[str, str]] = {
        "list": OrganizationAction.VIEW, "retrieve": OrganizationAction.VIEW,
        "create": OrganizationAction.MANAGE_ROLES, "update": OrganizationAction.MANAGE_ROLES,
        "partial_update": OrganizationAction.MANAGE_ROLES, "destroy": OrganizationAction.MANAGE_ROLES,
    }  # fmt: skip

    def _organization(self, name: str) -> Organization:
        return organization_named(actor_of(self.request), name, self.object_actions[self.action or ""])

    @extend_schema(responses=_singular(RolesSerializer))
    def list(self, request: Request, organization: str) -> Response:
        """List the roles that an organization has defined, by name; there are at most a hundred."""
        rows = custom_roles_of(self._organization(organization))
        return Response({"results": RoleSerializer(rows, many=True).data})

    @extend_schema(responses=RoleSerializer)
    def retrieve(self, request: Request, organization: str, number: int) -> Response:
        """Return one role."""
        return Response(RoleSerializer(role_of(self._organization(organization), number)).data)

    @extend_schema(request=RoleInputSerializer, responses={201: RoleSerializer})
    def create(self, request: Request, organization: str) -> Response:
        """Define a role."""
        row = self._organization(organization)
        fields = _fields(validated(RoleInputSerializer, request.data))
        role = custom.create_role(actor=actor_of(request), organization=row, fields=fields)
        return Response(RoleSerializer(role_of(row, role.pk)).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=RoleInputSerializer, responses=RoleSerializer)
    def update(self, request: Request, organization: str, number: int) -> Response:
        """Replace a role."""
        row = self._organization(organization)
        return self._changed(row, role_of(row, number), request.data)

    @extend_schema(request=RoleInputSerializer, responses=RoleSerializer)
    def partial_update(self, request: Request, organization: str, number: int) -> Response:
        """Change the given fields of a role."""
        row = self._organization(organization)
        role = role_of(row, number)
        if not isinstance(request.data, dict):
            raise Invalid("Send an object with the fields to change.")
        kept = {name: RoleSerializer(role).data[name] for name in ("name", "description", "base", "adds")}
        return self._changed(row, role, {**kept, **request.data})

    def _changed(self, organization: Organization, role: Role, data: Any) -> Response:
        fields = _fields(validated(RoleInputSerializer, data))
        custom.change_role_fields(actor=actor_of(self.request), role=role, fields=fields)
        return Response(RoleSerializer(role_of(organization, role.pk)).data)

    @extend_schema(
        parameters=[query("confirm", "`true` deletes a role that is in use.", type=bool)],
        responses={200: RoleDeletionSerializer},
    )
    def destroy(self, request: Request, organization: str, number: int) -> Response:
        """Delete a role; everyone who has it gets its base role."""
        role = role_of(self._organization(organization), number)
        is_confirmed = request.query_params.get("confirm", "").lower() == "true"
        uses = custom.delete_role(actor=actor_of(request), role=role, is_confirmed=is_confirmed)
        return Response(RoleDeletionSerializer(custom.uses_to_dict(uses)).data)


def _fields(given: dict[str, Any]) -> RoleFields:
    return RoleFields(given["name"], _BASES[given["base"]], frozenset(given["adds"]), given["description"])


@declare(Open.ANYONE)
class ExplainViewSet(ViewSet):
    """Why somebody may, or may not; about others for those who manage the members there."""

    tag = "Roles"
    object_actions: ClassVar[dict[str, str]] = {"list": TeamAction.MANAGE_MEMBERS}

    @extend_schema(parameters=[ExplainQuerySerializer], responses=_singular(ExplanationSerializer))
    def list(self, request: Request) -> Response:
        """Explain why someone has or lacks a permission.

        It explains ``?action= on ``?on=`` for ``?user=`` (else the asker), with ``?key=`` the key of that prefix.
        """
        given = validated(ExplainQuerySerializer, request.query_params)
        return Response(ExplanationSerializer(explain_to(actor_of(request), Question(**given))).data)
