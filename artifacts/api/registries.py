"""REST: registries and who is in them."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_204_NO_CONTENT
from rest_framework.viewsets import GenericViewSet

from access.engine import require
from access.openapi.schema import query
from access.rest.policy import actor_of
from access.routes import declare
from accounts.models import User
from artifacts.access import RegistryAction
from artifacts.api.registry_serializers import (
    RegistryCreateSerializer,
    RegistryMemberCreateSerializer,
    RegistryMemberSerializer,
    RegistryMemberUpdateSerializer,
    RegistrySerializer,
    RegistryUpdateSerializer,
)
from artifacts.models import Registry, RegistryMember
from artifacts.pages.registries import deleted_registries, matching
from artifacts.registries import members, services
from artifacts.registries.roles import roles_of
from artifacts.registries.selectors import (
    counted,
    get_registry,
    registries_seen,
)
from artifacts.registries.services import RegistryChanges
from common.errors import NotFound
from common.rest.responses import NewestFirstPagination, OldestFirstPagination, is_key, is_yes, validated
from runs.names.registries import PREFIX
from teams.models import Team
from teams.teams.selectors import organization_named


def _shown(rows: QuerySet[Registry]) -> QuerySet[Registry]:
    return counted(rows).prefetch_related("protected_aliases", "project__artifact_types")


@declare(RegistryAction.VIEW)
class RegistryViewSet(ListModelMixin, GenericViewSet[Registry]):
    """Registries of organizations, and teams' own model registries."""

    tag = "Registries"
    queryset = Registry.objects.all()
    serializer_class = RegistrySerializer
    pagination_class = NewestFirstPagination
    object_actions: ClassVar[dict[str, str]] = {
        "list": RegistryAction.VIEW, "create": RegistryAction.CREATE, "retrieve": RegistryAction.VIEW,
        "partial_update": RegistryAction.UPDATE, "destroy": RegistryAction.DELETE,
        "restore": RegistryAction.DELETE,
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[Registry]:
        """Return the registries that the list asks for."""
        actor, given = actor_of(self.request), self.request.query_params
        rows = deleted_registries(actor) if is_yes(given, "deleted") else registries_seen(actor)
        narrowed = {"entity": "project__team__name", "organization": "project__team__organization__name"}
        rows = rows.filter(**{path: given[name] for name, path in narrowed.items() if given.get(name)})
        if text := given.get("search"):
            rows = matching(rows, text)
        return _shown(rows)

    def _data(self, rows: Sequence[Registry]) -> Sequence[Any]:
        context = {"roles": roles_of(actor_of(self.request), rows)}
        return list(RegistrySerializer(rows, many=True, context=context).data)

    def _answer(self, registry: Registry, status: int = 200) -> Response:
        row = _shown(Registry.objects.select_related("project__team__organization")).get(pk=registry.pk)
        return Response(self._data([row])[0], status=status)

    def _registry(self) -> Registry:
        return get_registry(actor_of(self.request), self.kwargs["entity"], self.kwargs["registry"])

    @extend_schema(
        parameters=[
            query("entity", "Only those of the organization, or the team, of this name itself."),
            query("organization", "Only those of this organization and of its teams."),
            query("search", "Part of the name or the description."),
            query("deleted", "Those that you can restore instead.", type=bool),
        ]
    )
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the registries you can see, newest first."""
        page = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response(self._data(page or ()))

    @extend_schema(request=RegistryCreateSerializer, responses={201: RegistrySerializer})
    def create(self, request: Request) -> Response:
        """Create a registry in an organization; you become its registry admin."""
        actor, body = actor_of(request), validated(RegistryCreateSerializer, request.data)
        organization = organization_named(actor, body.pop("organization"))
        row = services.create_registry(actor=actor, organization=organization, **body)
        return self._answer(row, HTTP_201_CREATED)

    def retrieve(self, request: Request, entity: str, registry: str) -> Response:
        """Return a registry; its collections are `/artifact-collections/` of its entity and project."""
        return self._answer(self._registry())

    @extend_schema(request=RegistryUpdateSerializer)
    def partial_update(self, request: Request, entity: str, registry: str) -> Response:
        """Change a registry's name, description, visibility, artifact types or protected aliases.

        All of it or nothing.
        """
        row, body = self._registry(), validated(RegistryUpdateSerializer, request.data)
        changes = RegistryChanges(**body)
        return self._answer(services.update_registry(actor=actor_of(request), registry=row, changes=changes))

    def destroy(self, request: Request, entity: str, registry: str) -> Response:
        """Delete a registry with its collections and links; the versions themselves stay where they were logged."""
        services.delete_registry(actor=actor_of(request), registry=self._registry())
        return Response(status=HTTP_204_NO_CONTENT)

    @extend_schema(request=None)
    def restore(self, request: Request, entity: str, registry: str) -> Response:
        """Restore a deleted registry with its collections, links and members."""
        actor = actor_of(request)
        gone = deleted_registries(actor).filter(
            project__team__name=entity, project__name__in={registry, PREFIX + registry}
        )
        row = gone.first() or get_registry(actor, entity, registry)
        return self._answer(services.restore_registry(actor=actor, registry=row))


def _named(registry: Registry, body: dict[str, str]) -> tuple[list[User], list[Team]]:
    """Return who is named, among those who can have a role: others are not told apart from nobody."""
    people = list(members.candidates(registry).filter(username=body.get("username", "")))
    teams = list(members.candidate_teams(registry).filter(name=body.get("team", "")))
    if not people and not teams:
        raise members.no_candidate(body.get("username") or body.get("team", ""), registry)
    return people, teams


@declare(RegistryAction.VIEW)
class RegistryMemberViewSet(ListModelMixin, GenericViewSet[RegistryMember]):
    """Who has a role of their own in a registry."""

    tag = "Registries"
    queryset = RegistryMember.objects.all()
    serializer_class = RegistryMemberSerializer
    pagination_class = OldestFirstPagination
    lookup_value_regex = "[^/]+"
    object_actions: ClassVar[dict[str, str]] = {
        "list": RegistryAction.VIEW, "create": RegistryAction.MANAGE_MEMBERS,
        "partial_update": RegistryAction.MANAGE_MEMBERS, "destroy": RegistryAction.MANAGE_MEMBERS,
    }  # fmt: skip

    def _registry(self) -> Registry:
        actor = actor_of(self.request)
        row = get_registry(actor, self.kwargs["entity"], self.kwargs["registry"])
        require(actor, self.object_actions[self.action], row)
        return row

    def get_queryset(self) -> QuerySet[RegistryMember]:
        """Return the members of the registry."""
        rows = RegistryMember.objects.select_related("registry__project__team", "user", "team")
        return rows.filter(registry=self._registry())

    def _member(self) -> RegistryMember:
        rows, named = self.get_queryset(), str(self.kwargs["pk"])
        row = rows.filter(pk=named).first() if is_key(named) else None
        if row is None:
            raise NotFound("The registry has no such member.")
        return row

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the people and teams with a role in a registry in the order in which they were added."""
        return super().list(request, *args, **kwargs)

    @extend_schema(request=RegistryMemberCreateSerializer, responses={201: RegistryMemberSerializer})
    def create(self, request: Request, entity: str, registry: str) -> Response:
        """Give a person or team a role, unless they already have one."""
        row = self._registry()
        body = validated(RegistryMemberCreateSerializer, request.data)
        people, teams = _named(row, body)
        added = members.add_members(
            actor=actor_of(request), registry=row, users=people, teams=teams, role=body["role"]
        )
        return Response(RegistryMemberSerializer(added[0]).data, status=HTTP_201_CREATED)

    @extend_schema(request=RegistryMemberUpdateSerializer)
    def partial_update(self, request: Request, **kwargs: str) -> Response:
        """Change a member's role."""
        row, body = self._member(), validated(RegistryMemberUpdateSerializer, request.data)
        row = members.change_member(actor=actor_of(request), member=row, role=body["role"])
        return Response(RegistryMemberSerializer(row).data)

    def destroy(self, request: Request, **kwargs: str) -> Response:
        """Remove a member's role; permissions of everyone in the organization remain."""
        members.remove_member(actor=actor_of(request), member=self._member())
        return Response(status=HTTP_204_NO_CONTENT)
