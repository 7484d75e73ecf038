"""REST: who asks, and the people they know."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet, ViewSet

from access.actor import Actor
from access.openapi.schema import query
from access.rest.policy import actor_of, signed_in
from access.routes import Open, declare
from accounts.access import AccountAction
from accounts.api.keys import ApiKeySerializer
from accounts.models import ApiKey, CodeSaving, ProfileAudience, Theme, User
from accounts.profile import services as profiles
from accounts.settings import preferences
from common.errors import NotFound
from common.rest.responses import NewestFirstPagination, validated
from teams.access import TeamAction
from teams.api.serializers import PersonDetailSerializer, PersonSerializer, ProfileUpdateSerializer, RoleField
from teams.api.teams import ANY_NAME
from teams.members.selectors import memberships_of, organization_memberships_of
from teams.teams.default_team import choose_default_team
from teams.teams.selectors import default_team_of, entities_of, people_known_to


class MembershipSerializer(serializers.Serializer[Any]):
    """Where somebody belongs, as what."""

    name = serializers.CharField()
    role = RoleField()


class MeSerializer(serializers.Serializer[Any]):
    """The caller."""

    username = serializers.CharField()
    display_name = serializers.CharField()
    email = serializers.CharField()
    kind = serializers.CharField(help_text="person or service.")
    is_operator = serializers.BooleanField()
    language = serializers.CharField(help_text="Empty: what the browser asks for.")
    profile_visible_to = serializers.CharField(help_text="everyone, signed_in or shared.")
    theme = serializers.CharField(help_text="light, dark, or empty: as the system has it.")
    code_saving = serializers.CharField(
        help_text="Whether SDKs save code: always, never, or empty: as the script asks."
    )
    default_entity = serializers.CharField(allow_null=True, help_text="Where runs go that name no entity.")
    entities = serializers.ListField(child=serializers.CharField(), help_text="Where you can log to.")
    teams = MembershipSerializer(many=True)
    organizations = MembershipSerializer(many=True)
    key = ApiKeySerializer(allow_null=True, help_text="The API key that was sent; null for a session.")


class MeUpdateSerializer(ProfileUpdateSerializer):
    """What of oneself can be changed; what is not sent stays."""

    profile_visible_to = serializers.ChoiceField(
        [(value, value) for value in ProfileAudience.values], required=False,
        help_text="`shared`: people with whom you share a team or an organization.",
    )  # fmt: skip

    language = serializers.ChoiceField(settings.LANGUAGES, allow_blank=True, required=False)
    theme = serializers.ChoiceField(
        [(value, value) for value in Theme.values if value], allow_blank=True, required=False
    )
    code_saving = serializers.ChoiceField(
        [(value, value) for value in CodeSaving.values if value], allow_blank=True, required=False
    )
    default_entity = serializers.CharField(
        max_length=64, allow_blank=True, required=False,
        help_text="Where your runs go that name no entity: a team of yours; empty: your own entity.",
    )  # fmt: skip


@declare(Open.ANYONE)  # it says 401 to nobody
class MeViewSet(ViewSet):
    """The caller and their preferences."""

    tag = "Me"
    object_actions: ClassVar[dict[str, str]] = {
        "retrieve": AccountAction.UPDATE,
        "partial_update": AccountAction.UPDATE,
    }

    @extend_schema(responses=MeSerializer)
    def retrieve(self, request: Request) -> Response:
        """Return the caller: the person or service account, their teams and the scopes of the API key."""
        return Response(MeSerializer(_me(signed_in(request))).data)

    @extend_schema(request=MeUpdateSerializer, responses=MeSerializer)
    def partial_update(self, request: Request) -> Response:
        """Change your profile, its visibility, language, theme, default entity and code saving."""
        actor = signed_in(request)
        _change(actor, User.objects.select_related("claim").get(pk=actor.lookup_id),
                validated(MeUpdateSerializer, request.data))  # fmt: skip
        return Response(MeSerializer(_me(actor)).data)


def _me(actor: Actor) -> dict[str, Any]:
    user = User.objects.get(pk=actor.lookup_id)
    home = default_team_of(actor)
    names = (
        "username", "display_name", "email", "kind", "is_operator", "language", "theme", "code_saving",
        "profile_visible_to",
    )  # fmt: skip
    return {
        **{name: getattr(user, name) for name in names},
        "default_entity": home.name if home else None,
        "entities": entities_of(actor),
        "teams": [{"name": place.team.name, "role": place.role} for place in memberships_of(actor)],
        "organizations": [
            {"name": place.organization.name, "role": place.role}
            for place in organization_memberships_of(actor)
        ],
        "key": ApiKey.objects.filter(pk=actor.key_id or 0).first(),
    }


@transaction.atomic
def _change(actor: Actor, user: User, given: dict[str, Any]) -> None:
    """Change what was sent; the services ask for the permission."""
    profiles.change_profile(actor=actor, row=user, given=given)
    if "language" in given:
        preferences.choose_language(actor=actor, user=user, language=given["language"])
    if "profile_visible_to" in given:
        preferences.choose_audience(actor=actor, user=user, audience=given["profile_visible_to"])
    if "theme" in given:
        preferences.choose_theme(actor=actor, user=user, theme=given["theme"])
    if "code_saving" in given:
        preferences.choose_code_saving(actor=actor, user=user, choice=given["code_saving"])
    if "default_entity" in given:
        choose_default_team(actor=actor, user=user, name=given["default_entity"])


@declare(TeamAction.VIEW)
class UserViewSet(ListModelMixin, GenericViewSet[User]):
    """People of one's teams and organizations, and who tell something on their page."""

    tag = "People"
    serializer_class = PersonSerializer
    pagination_class = NewestFirstPagination
    lookup_field = "username"
    lookup_value_regex = ANY_NAME
    object_actions: ClassVar[dict[str, str]] = {"list": TeamAction.VIEW, "retrieve": TeamAction.VIEW}

    def get_queryset(self) -> QuerySet[User]:
        """Return who is known to the caller."""
        people = people_known_to(actor_of(self.request))
        search = self.request.query_params.get("search", "") if self.action == "list" else ""
        named = Q(username__icontains=search) | Q(display_name__icontains=search)
        return people.filter(named) if search else people

    @extend_schema(parameters=[query("search", "Part of a username or display name.")])
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List people in your teams and organizations, and people with a visible profile, newest first."""
        return super().list(request, *args, **kwargs)

    @extend_schema(responses=PersonDetailSerializer)
    def retrieve(self, request: Request, username: str) -> Response:
        """Return a person's profile."""
        row = self.get_queryset().filter(username=username).first()
        if row is None:
            raise NotFound("This user doesn’t exist, or you don’t have access to them.")
        row.profile = profiles.profile_of(row)  # type: ignore[attr-defined]  # an empty one where nothing was told
        return Response(PersonDetailSerializer(row).data)
