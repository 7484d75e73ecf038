"""REST: what people, places and roles look like, in answers and in what is sent."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.models import User
from accounts.profile.services import MAX_INTRO, MAX_LINKS
from common.errors import Invalid
from teams.models import (
    Invitation,
    Membership,
    Organization,
    OrganizationMember,
    ProductAccess,
    Role,
    Team,
    TeamKind,
    Visibility,
)
from teams.organizations.services import MAX_KEY_DAYS

_SLUGS = {"V": "view-only", "M": "member", "A": "admin", "O": "admin", "Om": "member", "Ov": "viewer"}
ROLE_HELP = "`view-only`, `member`, `admin`, or the name of a role that the organization defines."
ORGANIZATION_ROLE_HELP = "`viewer`, `member` or `admin`."


def role_slug(role: Role) -> str:
    """Return what the API calls a role, the same in every language."""
    return _SLUGS.get(role.preset, role.name)


def role_named(roles: QuerySet[Role], word: str) -> Role:
    """Return the role of this word among those that are possible.

    Raises:
        Invalid: none is; the message names them.
    """
    possible = {role_slug(role).lower(): role for role in roles.order_by("preset")}  # built-in ones go first
    role = possible.get(word.strip().lower())
    if role is None:
        raise Invalid(f"Unknown role “{word[:80]}”: {', '.join(sorted(possible))}.")
    return role


class RoleField(serializers.CharField):
    """A role by its word."""

    def to_representation(self, value: Any) -> str:
        """Return the word."""
        return role_slug(value)


class PersonSerializer(serializers.ModelSerializer[User]):
    """A person or a service account, as lists show them."""

    picture = serializers.CharField(source="claim.picture_url", help_text="Path of the picture; empty: none.")

    class Meta:
        model = User
        fields: ClassVar[list[str]] = ["username", "display_name", "kind", "picture"]


class LinkSerializer(serializers.Serializer[Any]):
    """A place elsewhere."""

    label = serializers.CharField(max_length=60)  # type: ignore[assignment]  # the value, not the name of a field
    url = serializers.CharField(max_length=400)


class ProfileFieldsSerializer(serializers.Serializer[Any]):
    """What a person or team tells about themselves; the row has its ``profile``."""

    bio = serializers.CharField(source="profile.bio")
    intro = serializers.CharField(source="profile.intro", help_text="Markdown.")
    institution = serializers.CharField(source="profile.institution")
    location = serializers.CharField(source="profile.location")
    links = LinkSerializer(source="profile.links", many=True)


PROFILE_FIELDS = ["bio", "intro", "institution", "location", "links"]


class ProfileUpdateSerializer(serializers.Serializer[Any]):
    """What of a profile can be changed; what is not sent stays."""

    display_name = serializers.CharField(max_length=120, allow_blank=True, required=False)
    bio = serializers.CharField(max_length=200, allow_blank=True, required=False)
    institution = serializers.CharField(max_length=120, allow_blank=True, required=False)
    location = serializers.CharField(max_length=120, allow_blank=True, required=False)
    links = serializers.ListField(child=LinkSerializer(), max_length=MAX_LINKS, required=False)
    intro = serializers.CharField(
        max_length=MAX_INTRO, allow_blank=True, required=False, help_text="Markdown."
    )


class PersonDetailSerializer(ProfileFieldsSerializer, PersonSerializer):
    """A person with what they tell about themselves."""

    created_at = serializers.DateTimeField()

    class Meta(PersonSerializer.Meta):
        fields: ClassVar[list[str]] = [*PersonSerializer.Meta.fields, *PROFILE_FIELDS, "created_at"]


class OrganizationSerializer(serializers.ModelSerializer[Organization]):
    """An organization."""

    class Meta:
        model = Organization
        fields: ClassVar[list[str]] = [
            "id", "name", "display_name", "api_keys_allowed", "api_keys_limited", "api_key_max_days", "created_at"
        ]  # fmt: skip


class OrganizationDetailSerializer(OrganizationSerializer):
    """An organization with what its page tells; the row has its ``profile``."""

    intro = serializers.CharField(source="profile.intro", help_text="Markdown.")

    class Meta(OrganizationSerializer.Meta):
        fields: ClassVar[list[str]] = [*OrganizationSerializer.Meta.fields, "intro"]


class TeamSerializer(serializers.ModelSerializer[Team]):
    """A team."""

    organization = serializers.CharField(source="organization.name")
    project_visibility = serializers.ChoiceField(
        Visibility.choices, source="default_visibility",
        help_text="Of new projects, unless who makes one chooses.",
    )  # fmt: skip

    class Meta:
        model = Team
        fields: ClassVar[list[str]] = [
            "id", "name", "display_name", "kind", "organization", "project_visibility", "created_at"
        ]  # fmt: skip


class TeamDetailSerializer(ProfileFieldsSerializer, TeamSerializer):
    """A team with what its profile page tells."""

    picture = serializers.CharField(source="claim.picture_url", help_text="Path of the picture; empty: none.")

    class Meta(TeamSerializer.Meta):
        fields: ClassVar[list[str]] = [*TeamSerializer.Meta.fields, *PROFILE_FIELDS, "picture"]


class PrivacySerializer(serializers.Serializer[Any]):
    """Privacy switches of a team; those that are not sent stay."""

    public_projects_allowed = serializers.BooleanField(required=False)
    is_hidden = serializers.BooleanField(required=False)
    members_may_invite = serializers.BooleanField(required=False)
    code_saving_default = serializers.BooleanField(required=False)
    code_saving_allowed = serializers.BooleanField(required=False)


class _MemberSerializer(serializers.ModelSerializer[Any]):
    username = serializers.CharField(source="user.username")
    display_name = serializers.CharField(source="user.display_name")
    kind = serializers.CharField(source="user.kind", help_text="person or service.")
    email = serializers.CharField(source="user.email", help_text="Empty for service accounts.")
    is_active = serializers.BooleanField(source="user.is_active")
    joined_at = serializers.DateTimeField(source="created_at")


_MEMBER = ["username", "display_name", "kind", "email", "is_active", "role", "joined_at"]


class TeamMemberSerializer(_MemberSerializer):
    """Somebody's place in a team."""

    role = RoleField(help_text=ROLE_HELP)

    class Meta:
        model = Membership
        fields: ClassVar[list[str]] = _MEMBER


class OrganizationMemberSerializer(_MemberSerializer):
    """Somebody's place in an organization; the row has the ``address`` that the caller may see."""

    email = serializers.CharField(source="address", help_text="Empty unless you may manage the members.")
    role = RoleField(help_text=ORGANIZATION_ROLE_HELP)

    class Meta:
        model = OrganizationMember
        fields: ClassVar[list[str]] = [*_MEMBER, "models_access", "weave_access"]


class InvitationSerializer(serializers.ModelSerializer[Invitation]):
    """Somebody who was asked into a team or an organization and has not answered. The mailed link is in no answer."""

    team = serializers.CharField(
        source="team.name", default=None, allow_null=True, help_text="Null: the organization alone."
    )
    organization = serializers.CharField(source="home.name", default=None, allow_null=True)
    addressee = serializers.CharField(help_text="An address or a username.")
    role = RoleField(
        source="granted_role", help_text=f"{ROLE_HELP} In an organization alone: {ORGANIZATION_ROLE_HELP}"
    )
    invited_by = serializers.CharField(source="invited_by.username", default=None, allow_null=True)
    is_expired = serializers.BooleanField()

    class Meta:
        model = Invitation
        fields: ClassVar[list[str]] = ["id", "team", "organization", "addressee", "role", "invited_by", "created_at",
                                       "expires_at", "is_expired"]  # fmt: skip


# What is sent


class OrganizationCreateSerializer(serializers.Serializer[Any]):
    """What makes an organization."""

    name = serializers.CharField(max_length=64)


class OrganizationUpdateSerializer(serializers.Serializer[Any]):
    """What of an organization can be changed; what is not sent stays."""

    intro = serializers.CharField(
        max_length=MAX_INTRO, allow_blank=True, required=False, help_text="Markdown, on its page."
    )
    display_name = serializers.CharField(max_length=120, allow_blank=True, required=False)
    api_keys_allowed = serializers.BooleanField(
        required=False, help_text="Whether members can create API keys; existing keys keep working."
    )
    api_keys_limited = serializers.BooleanField(
        required=False, help_text="Whether a new key must be limited to some actions."
    )
    api_key_max_days = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=MAX_KEY_DAYS,
        help_text="How many days a new key may live; null means no limit.",
    )  # fmt: skip


class EnforcedPrivacySerializer(serializers.Serializer[Any]):
    """Switches that an organization decides for all its teams; null leaves one to each team, what is not sent stays."""

    public_projects_allowed = serializers.BooleanField(required=False, allow_null=True)
    is_hidden = serializers.BooleanField(required=False, allow_null=True)
    members_may_invite = serializers.BooleanField(required=False, allow_null=True)
    code_saving_default = serializers.BooleanField(required=False, allow_null=True)
    code_saving_allowed = serializers.BooleanField(required=False, allow_null=True)

    def to_representation(self, instance: Organization) -> dict[str, Any]:
        """Show each switch, null where the organization leaves it to its teams."""
        return {str(name): instance.enforced_privacy.get(name) for name in self.fields}


class OrganizationMemberUpdateSerializer(serializers.Serializer[Any]):
    """What of a place in an organization can be changed; what is not sent stays."""

    role = serializers.CharField(required=False, max_length=80, help_text=ORGANIZATION_ROLE_HELP)
    models_access = serializers.ChoiceField(ProductAccess.choices, required=False)
    weave_access = serializers.ChoiceField(ProductAccess.choices, required=False)


KINDS = [(TeamKind.WORK.value, "Work"), (TeamKind.ACADEMIC.value, "Academic")]


class CredentialsSerializer(serializers.Serializer[Any]):
    """What opens a bucket; never returned."""

    credentials = serializers.DictField(
        child=serializers.CharField(max_length=20_000, allow_blank=True), write_only=True,
        help_text="`access_key` and `secret_key` of S3; `service_account` of Google, its JSON key as one text; "
        "`account_key`, `signature` or `connection_string` of Azure.",
    )  # fmt: skip


class BucketSerializer(CredentialsSerializer):
    """A bucket, and what opens it."""

    url = serializers.CharField(
        max_length=1000,
        help_text="`s3://BUCKET/PREFIX?region=…` (`&endpoint=https://…` of other servers), `gs://BUCKET/PREFIX` or "
        "`az://ACCOUNT/CONTAINER/PREFIX`.",
    )  # fmt: skip


class TeamCreateSerializer(serializers.Serializer[Any]):
    """What makes a team."""

    name = serializers.CharField(max_length=64)
    organization = serializers.CharField(
        max_length=64, help_text="An organization in which you can create teams."
    )
    kind = serializers.ChoiceField(KINDS, default=TeamKind.WORK.value)
    storage = BucketSerializer(
        required=False, write_only=True,
        help_text="The bucket that takes the team’s files, the default storage of the server unless given; it is "
        "tried first, and if anything is refused no team is created.",
    )  # fmt: skip


class TeamUpdateSerializer(ProfileUpdateSerializer):
    """What of a team can be changed; what is not sent stays."""

    kind = serializers.ChoiceField(KINDS, required=False)
    project_visibility = serializers.ChoiceField(
        Visibility.choices, required=False, help_text="Of new projects."
    )


class MemberCreateSerializer(serializers.Serializer[Any]):
    """Whom to put into a team, as what."""

    username = serializers.CharField(max_length=64)
    role = serializers.CharField(max_length=80, default="member", help_text=ROLE_HELP)


class MemberUpdateSerializer(serializers.Serializer[Any]):
    """Another role."""

    role = serializers.CharField(max_length=80, help_text=ROLE_HELP)


class InvitationCreateSerializer(serializers.Serializer[Any]):
    """Whom to ask into a team, as what."""

    people = serializers.ListField(
        child=serializers.CharField(max_length=254), min_length=1, max_length=100,
        help_text="Addresses and usernames.",
    )  # fmt: skip
    role = serializers.CharField(max_length=80, default="member", help_text=ROLE_HELP)


class OrganizationInvitationCreateSerializer(InvitationCreateSerializer):
    """Whom to ask into an organization without a team, as what."""

    role = serializers.CharField(max_length=80, default="member", help_text=ORGANIZATION_ROLE_HELP)


class InvitationRefusalSerializer(serializers.Serializer[Any]):
    """Who was not invited, and why."""

    who = serializers.CharField()
    reason = serializers.CharField()


class InvitationResultSerializer(serializers.Serializer[Any]):
    """What became of each who was to be invited."""

    invited = serializers.ListField(child=serializers.CharField())
    refused = InvitationRefusalSerializer(many=True)
