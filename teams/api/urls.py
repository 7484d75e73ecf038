"""REST routes of people, organizations and teams."""

from django.urls import re_path

from accounts.api.urls import PICTURE
from common.rest.routers import Router
from teams.api.audit import AuditViewSet
from teams.api.invitations import InvitationViewSet, OrganizationInvitationViewSet, TeamInvitationViewSet
from teams.api.limits import LimitViewSet
from teams.api.organization_keys import OrganizationKeyViewSet
from teams.api.organizations import OrganizationMemberViewSet, OrganizationViewSet
from teams.api.people import MeViewSet, UserViewSet
from teams.api.pictures import OrganizationPictureViewSet, TeamPictureViewSet
from teams.api.roles import ActionViewSet, ExplainViewSet, RoleViewSet
from teams.api.service_accounts import ServiceAccountKeyViewSet, ServiceAccountViewSet
from teams.api.teams import TeamMemberViewSet, TeamViewSet

_TEAM, _ORGANIZATION = "teams/(?P<team>[^/]+)", "organizations/(?P<organization>[^/]+)"

router = Router()
router.register("users", UserViewSet, basename="api-user")
router.register("organizations", OrganizationViewSet, basename="api-organization")
router.register(f"{_ORGANIZATION}/members", OrganizationMemberViewSet, basename="api-organization-member")
router.register(
    f"{_ORGANIZATION}/invitations", OrganizationInvitationViewSet, basename="api-organization-invitation"
)
router.register(f"{_ORGANIZATION}/keys", OrganizationKeyViewSet, basename="api-organization-key")
router.register("teams", TeamViewSet, basename="api-team")
router.register(f"{_TEAM}/members", TeamMemberViewSet, basename="api-team-member")
router.register(f"{_TEAM}/invitations", TeamInvitationViewSet, basename="api-team-invitation")
router.register("invitations", InvitationViewSet, basename="api-invitation")
router.register("service-accounts", ServiceAccountViewSet, basename="api-service-account")
router.register("service-account-keys", ServiceAccountKeyViewSet, basename="api-service-account-key")
router.register(f"{_ORGANIZATION}/roles", RoleViewSet, basename="api-role")
router.register("actions", ActionViewSet, basename="api-action")
router.register("limits", LimitViewSet, basename="api-limit")
router.register("explain", ExplainViewSet, basename="api-explain")
router.register("audit", AuditViewSet, basename="api-audit")
me = MeViewSet.as_view({"get": "retrieve", "patch": "partial_update"}, detail=False)
urlpatterns = [
    re_path("^me/?$", me, name="api-me"),
    re_path(
        f"^{_TEAM}/picture/?$", TeamPictureViewSet.as_view(PICTURE, detail=True), name="api-team-picture"
    ),
    re_path(
        f"^{_ORGANIZATION}/picture/?$",
        OrganizationPictureViewSet.as_view(PICTURE, detail=True),
        name="api-organization-picture",
    ),
    *router.urls,
]
