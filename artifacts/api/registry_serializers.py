"""REST: what registries and their members look like, in answers and in what is sent."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from artifacts.api.serializers import NamesField
from artifacts.models import EVERYONE_ROLES, Registry, RegistryMember, RegistryRole
from artifacts.names import MAX_ALIASES, MAX_NAME
from artifacts.registries.services import MAX_NAME as MAX_REGISTRY_NAME
from artifacts.registries.services import MAX_TYPES
from artifacts.versions.texts import MAX_DESCRIPTION

_EVERYONE = [(role.value, role.label) for role in EVERYONE_ROLES]
_EVERYONE_HELP = 'Of everybody in the organization; `""`: only members of the registry see it.'


class RegistrySerializer(serializers.ModelSerializer[Registry]):
    """A registry; ``roles`` in the context are the caller's, by key."""

    entity = serializers.CharField(
        source="project.team.name", help_text="Name of the organization or the team."
    )
    organization = serializers.CharField(
        source="project.team.organization.name", default=None, allow_null=True
    )
    name = serializers.CharField(help_text="Without the prefix that SDKs write before it.")
    project = serializers.CharField(source="project.name", help_text="Its name in paths of the SDK.")
    description = serializers.CharField(source="project.description", help_text="Markdown.")
    everyone_role = serializers.CharField(help_text=_EVERYONE_HELP)
    is_restricted = serializers.BooleanField()
    types = NamesField(
        source="project.artifact_types", help_text="Which it takes, unless it takes all; else those it has."
    )
    protected_aliases = NamesField()
    role = serializers.SerializerMethodField(help_text="Yours.")
    collection_count = serializers.IntegerField()
    version_count = serializers.IntegerField()
    last_linked_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField(source="project.created_at")
    deleted_at = serializers.DateTimeField(source="project.deleted_at", allow_null=True)

    class Meta:
        model = Registry
        fields: ClassVar[list[str]] = [
            "id", "entity", "organization", "name", "project", "description", "everyone_role", "is_restricted",
            "all_types_allowed", "types", "protected_aliases", "role", "collection_count", "version_count",
            "last_linked_at", "created_at", "deleted_at",
        ]  # fmt: skip

    @extend_schema_field(serializers.ChoiceField(RegistryRole.choices, allow_null=True))
    def get_role(self, registry: Registry) -> Any:
        """Return the caller's highest role."""
        return self.context["roles"].get(registry.pk)


class RegistryUpdateSerializer(serializers.Serializer[Any]):
    """What of a registry can be changed; what is not sent stays."""

    name = serializers.CharField(max_length=MAX_REGISTRY_NAME, required=False)
    description = serializers.CharField(max_length=MAX_DESCRIPTION, allow_blank=True, required=False)
    everyone_role = serializers.ChoiceField(
        _EVERYONE, allow_blank=True, required=False, help_text=_EVERYONE_HELP
    )
    all_types_allowed = serializers.BooleanField(required=False)
    types_to_add = serializers.ListField(
        child=serializers.CharField(max_length=MAX_NAME), max_length=MAX_TYPES, required=False,
        help_text="Types that it takes besides those that it takes already.",
    )  # fmt: skip
    types_to_remove = serializers.ListField(
        child=serializers.CharField(max_length=MAX_NAME), max_length=MAX_TYPES, required=False,
        help_text="Types that it no longer takes; refused where a collection uses one.",
    )  # fmt: skip
    protected_aliases = serializers.ListField(
        child=serializers.CharField(max_length=MAX_NAME), max_length=MAX_ALIASES, required=False,
        help_text="All of them: others are protected no more. Only registry admins send it.",
    )  # fmt: skip


class RegistryCreateSerializer(serializers.Serializer[Any]):
    """What makes a registry of an organization."""

    organization = serializers.CharField(max_length=MAX_NAME)
    name = serializers.CharField(max_length=MAX_REGISTRY_NAME)
    description = serializers.CharField(max_length=MAX_DESCRIPTION, allow_blank=True, required=False)
    everyone_role = serializers.ChoiceField(
        _EVERYONE, allow_blank=True, default=RegistryRole.VIEWER.value, help_text=_EVERYONE_HELP
    )
    types = serializers.ListField(
        child=serializers.CharField(max_length=MAX_NAME), max_length=MAX_TYPES, required=False,
        help_text="Which it takes; none or absent: all.",
    )  # fmt: skip


class RegistryMemberSerializer(serializers.ModelSerializer[RegistryMember]):
    """A person, or a team for all its people, with a role in a registry."""

    username = serializers.CharField(source="user.username", default=None, allow_null=True)
    team = serializers.CharField(source="team.name", default=None, allow_null=True)
    role = serializers.ChoiceField(RegistryRole.choices)

    class Meta:
        model = RegistryMember
        fields: ClassVar[list[str]] = ["id", "username", "team", "role", "created_at"]


class RegistryMemberUpdateSerializer(serializers.Serializer[Any]):
    """Which role a member is to have."""

    role = serializers.ChoiceField(RegistryRole.choices)


class RegistryMemberCreateSerializer(serializers.Serializer[Any]):
    """Who is to have a role: a person or a team."""

    username = serializers.CharField(max_length=MAX_NAME, required=False)
    team = serializers.CharField(max_length=MAX_NAME, required=False)
    role = serializers.ChoiceField(RegistryRole.choices, default=RegistryRole.VIEWER.value)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse both, and neither."""
        if ("username" in attrs) == ("team" in attrs):
            raise serializers.ValidationError("Name either a `username` or a `team`.")
        return attrs
