"""REST: viewset and action to how it is used.

``$entity``, ``$project`` and ``$uid`` in what is sent are the thing's names; of a GET it is the query string.
"""

from typing import Any

from tests.matrix.cases import Answer, Case, Over
from tests.matrix.permissions import ANYONE, SIGNED_IN

_PERSONAL = frozenset({"personal"})
_RUN = [Case("runs: view", Over.RUN)]


def _of_team(needs: str, method: str = "GET", args: dict[str, Any] | None = None) -> list[Case]:
    """Return the case of what personal entities do not have."""
    return [Case(needs, Over.ENTITY, method, args or {}, without=_PERSONAL)]


def _artifact(
    needs: str,
    over: Over = Over.VERSION,
    method: str = "GET",
    args: dict[str, Any] | None = None,
    *,
    listed: bool = False,
) -> list[Case]:
    """Return the cases of a version or collection in a project, and of one in an organization's registry."""
    return [
        Case(f"artifacts: {needs}", place, method, args or {}, listed=listed) for place in (over, Over.LINKED)
    ]


def _of_organization(needs: str, method: str = "GET", args: dict[str, Any] | None = None) -> list[Case]:
    return [Case(needs, Over.ORGANIZATION, method, args or {})]


_PUBLIC = frozenset({"public", "open"})

_BEGIN = {"entity": "$entity", "project": "$project"}
_FAILS = {"event": "RUN_STATE", "filter": {"run_state_filter": {"states": ["FAILED"]}}}
_NO_PICTURE = {"picture": "no JSON is one"}
_BUCKET = {
    "url": "s3://files?endpoint=http://127.0.0.1:9",  # in a network of ours, so that nothing is asked
    "credentials": {"access_key": "key", "secret_key": "secret"},
}
_SWEEP = {"method": "random", "parameters": {"lr": {"min": 0.1, "max": 0.2}}}
_ROLE = {"name": "Night shift", "base": "member", "adds": ["run.stop"]}


ROUTES: dict[str, list[Case]] = {
    "AuditViewSet.list": [Case("audit: list", Over.AUDIT, listed=True)],
    "ProjectViewSet.list": [Case("projects: view", Over.PROJECT, listed=True)],
    "ProjectViewSet.retrieve": [Case("projects: view", Over.PROJECT)],
    "ProjectViewSet.columns": [Case("projects: view", Over.PROJECT)],
    "ProjectViewSet.logs": [Case("projects: view", Over.PROJECT, args={"text": "epoch"})],
    "ExplainViewSet.list": [
        Case("projects: view", Over.PROJECT, args={"action": "project.view", "on": "$entity/$project"})
    ],  # one's own; others': teams/tests/test_explaining.py
    "RoleViewSet.list": _of_organization("organization: view"),
    "RoleViewSet.retrieve": _of_organization("organization: view"),
    "RoleViewSet.create": _of_organization("organization: roles", "POST", _ROLE),
    "RoleViewSet.update": _of_organization("organization: roles", "PUT", _ROLE),
    "RoleViewSet.partial_update": _of_organization("organization: roles", "PATCH", {"name": "Night"}),
    "RoleViewSet.destroy": _of_organization("organization: roles", "DELETE"),
    "StorageViewSet.list": [Case("team: usage", Over.ENTITY, args={"entity": "$entity"})],
    "StorageViewSet.projects": [Case("team: usage", Over.ENTITY, args={"entity": "$entity"})],
    "StorageViewSet.runs": [
        Case("team: usage", Over.PROJECT, args={"entity": "$entity", "project": "$project"})
    ],
    "FilterViewSet.list": [Case(ANYONE)],
    "RunViewSet.list": [Case("runs: view", Over.RUN, listed=True)],
    "RunViewSet.retrieve": [Case("runs: view", Over.RUN)],
    "RunViewSet.create": [
        Case("runs: log", Over.RUN, "POST", _BEGIN | {"uid": "$uid"}, is_made_on_use=True),
        Case("runs: log", Over.RUN, "POST", _BEGIN | {"uid": "$uid", "resume": "must"}),
        Case("runs: log", Over.RUN, "POST", _BEGIN | {"uid": "$uid", "attached": True}),
        Case("runs: log new", Over.PROJECT, "POST", _BEGIN | {"uid": "brand-new"}, is_made_on_use=True),
    ],
    "LoggedRunViewSet.offsets": [Case("runs: log", Over.RUN, args={"writer": "0123456789abcdef"})],
    "LoggedRunViewSet.uploads": [Case("runs: log", Over.RUN, "POST", {"names": ["a.txt"]})],
    "LoggedRunViewSet.alerts": [Case("runs: alert", Over.RUN, "POST", {"id": "1", "title": "t"})],
    "HistoryViewSet.history": [Case("runs: view", Over.RUN)],
    "HistoryViewSet.system": [Case("runs: view", Over.RUN)],
    "SavedViewViewSet.list": [
        Case("projects: view", Over.PROJECT),
        Case("projects: view", Over.VIEW, listed=True),
        Case("views: read own", Over.OWN_VIEW, listed=True),
    ],
    # who is not signed in reads shared views only, see runs/tests/saved_views/test_saved_views.py
    "SavedViewViewSet.create": [
        Case("projects: view", Over.PROJECT, "POST", {"name": "new", "spec": {}}, without=_PUBLIC),
        Case("projects: edit overview", Over.PROJECT, "POST", {"name": "new", "spec": {}, "shared": True}),
    ],
    "SavedViewViewSet.retrieve": [
        Case("projects: view", Over.VIEW),
        Case("views: read own", Over.OWN_VIEW),
    ],
    "SavedViewViewSet.partial_update": [
        Case("projects: edit overview", Over.VIEW, "PATCH", {"name": "other"}),
        Case("views: read own", Over.OWN_VIEW, "PATCH", {"name": "other"}),
    ],
    "SavedViewViewSet.destroy": [
        Case("projects: edit overview", Over.VIEW, "DELETE"),
        Case("views: read own", Over.OWN_VIEW, "DELETE"),
    ],
    "SavedViewViewSet.working": [Case("projects: view", Over.PROJECT)],
    "SavedViewViewSet.versions": [
        Case("projects: view", Over.VIEW),
        Case("views: read own", Over.OWN_VIEW),
    ],
    "SavedViewViewSet.version": [
        Case("projects: view", Over.VIEW),
        Case("views: read own", Over.OWN_VIEW),
    ],
    "SavedViewViewSet.discard_draft": [
        Case("projects: view", Over.VIEW, "DELETE", without=_PUBLIC),
        Case("views: read own", Over.OWN_VIEW, "DELETE"),
    ],
    "SavedViewViewSet.merge_working": [
        Case("projects: view", Over.PROJECT, "PATCH", {"runs": {}}, without=_PUBLIC)
    ],
    "ChartViewSet.list": [Case("charts: view", Over.CHART, listed=True)],
    "ChartViewSet.retrieve": [Case("charts: view", Over.CHART)],
    "ChartViewSet.update": [Case("charts: save", Over.CHART, "PUT", {"spec": {}})],
    "ChartViewSet.destroy": [Case("charts: save", Over.CHART, "DELETE")],
    "ServiceAccountViewSet.list": [
        Case("service accounts: manage", Over.SERVICE, listed=True),
        Case("service accounts of the organization: manage", Over.ORGANIZATION_SERVICE, listed=True),
    ],
    "ServiceAccountViewSet.create": [
        Case(
            "team: service accounts",
            method="POST",
            args={"label": "new", "team": "team"},
            over=Over.SERVICE,
            without=frozenset({"elsewhere"}),
        ),
        Case(
            "organization: members",
            method="POST",
            args={"label": "new", "organization": "org"},
            over=Over.ORGANIZATION_SERVICE,
        ),
    ],
    "ServiceAccountViewSet.retrieve": [
        Case("service accounts: manage", Over.SERVICE),
        Case("service accounts of the organization: manage", Over.ORGANIZATION_SERVICE),
    ],
    "ServiceAccountViewSet.partial_update": [
        Case("service accounts: manage", Over.SERVICE, "PATCH", {"description": "other"}),
        Case(
            "service accounts of the organization: manage",
            Over.ORGANIZATION_SERVICE,
            "PATCH",
            {"is_active": False},
        ),
    ],
    "ServiceAccountViewSet.destroy": [
        Case("service accounts: manage", Over.SERVICE, "DELETE"),
        Case("service accounts of the organization: manage", Over.ORGANIZATION_SERVICE, "DELETE"),
    ],
    "ServiceAccountKeyViewSet.list": [Case("service accounts: manage", Over.SERVICE_KEY, listed=True)],
    "ServiceAccountKeyViewSet.create": [
        Case("keys: make own", method="POST", args={"account": 0}, answer=Answer.HIDDEN)
    ],  # of no account; teams/tests/service_accounts/test_service_account_keys.py asks for those there are
    "ServiceAccountKeyViewSet.retrieve": [Case("service accounts: manage", Over.SERVICE_KEY)],
    "ServiceAccountKeyViewSet.destroy": [Case("service accounts: manage", Over.SERVICE_KEY, "DELETE")],
    "ServiceAccountKeyViewSet.rotate": [Case("service accounts: manage", Over.SERVICE_KEY, "POST")],
    "DestinationViewSet.list": [Case("alerts: manage", Over.DESTINATION, listed=True)],
    "DestinationViewSet.create": [
        Case(
            "team: alerts",
            Over.DESTINATION,
            "POST",
            {"entity": "$entity", "kind": "webhook", "name": "new", "url": "https://example.com/"},
        )
    ],
    "DestinationViewSet.retrieve": [Case("alerts: manage", Over.DESTINATION)],
    "DestinationViewSet.partial_update": [
        Case("alerts: manage", Over.DESTINATION, "PATCH", {"is_on": False})
    ],
    "DestinationViewSet.destroy": [Case("alerts: manage", Over.DESTINATION, "DELETE")],
    "DestinationViewSet.test": [Case("alerts: manage", Over.DESTINATION, "POST")],
    "SecretViewSet.list": [Case("secrets: manage", Over.SECRET, listed=True)],
    "SecretViewSet.create": [
        Case(
            "team: secrets", Over.SECRET, "POST", {"entity": "$entity", "name": "NEW", "value": "long-enough"}
        )
    ],
    "SecretViewSet.retrieve": [Case("secrets: manage", Over.SECRET)],
    "SecretViewSet.partial_update": [Case("secrets: manage", Over.SECRET, "PATCH", {"value": "long-enough"})],
    "SecretViewSet.destroy": [Case("secrets: manage", Over.SECRET, "DELETE")],
    "RunViewSet.stop": [Case("runs: stop", Over.RUN, "POST")],
    "RunViewSet.partial_update": [
        Case("runs: update", Over.RUN, "PATCH", {"notes": "new"}),
        Case("runs: delete", Over.RUN, "PATCH", {"is_protected": True}),
    ],
    "RunViewSet.destroy": [Case("runs: delete", Over.RUN, "DELETE")],
    "RunViewSet.restore": [Case("runs: delete", Over.RUN, "POST")],
    # who sees the project is told of each run what could not be done: runs/tests/test_rest_runs.py
    "RunViewSet.act": [
        Case(
            "projects: view",
            Over.PROJECT,
            "POST",
            {
                "entity": "$entity",
                "project": "$project",
                "act": "note",
                "uids": ["of-member"],
                "values": ["x"],
            },
        ),
    ],
    "FileViewSet.list": _RUN,
    "FileViewSet.retrieve": _RUN,
    "FileViewSet.destroy": [Case("runs: delete files", Over.RUN, "DELETE")],
    "LogViewSet.logs": _RUN,
    "LogViewSet.search": [Case("runs: view", Over.RUN, args={"text": "x"})],
    "LogViewSet.download": _RUN,
    # artifacts
    "ArtifactTypeViewSet.list": [Case("artifacts: view", Over.ARTIFACT_TYPE, listed=True)],
    "ArtifactCollectionViewSet.list": _artifact("view", Over.COLLECTION, listed=True),
    "ArtifactCollectionViewSet.retrieve": _artifact("view", Over.COLLECTION),
    "ArtifactCollectionViewSet.partial_update": [
        *_artifact("edit", Over.COLLECTION, "PATCH", {"description": "new"}),
        Case("artifacts: edit", Over.COLLECTION, "PATCH", {"type": "other"}),
    ],
    "ArtifactCollectionViewSet.destroy": _artifact("delete", Over.COLLECTION, "DELETE"),
    "ArtifactCollectionViewSet.restore": _artifact("delete", Over.COLLECTION, "POST"),
    "ArtifactVersionViewSet.list": [
        Case("artifacts: view", Over.VERSION, listed=True),
        Case("artifacts: view", Over.LINKED),
    ],
    "ArtifactVersionViewSet.retrieve": _artifact("view"),
    "ArtifactVersionViewSet.lineage": _artifact("view"),
    "ArtifactVersionViewSet.logged_by": _artifact("view"),
    "ArtifactVersionViewSet.used_by": _artifact("view"),
    # an edit of the version itself, which its own project decides
    "ArtifactVersionViewSet.partial_update": [
        Case("artifacts: edit", Over.VERSION, "PATCH", {"metadata": {"rows": 1}})
    ],
    "ArtifactVersionViewSet.destroy": _artifact("delete", method="DELETE"),
    "ArtifactVersionViewSet.restore": [Case("artifacts: delete", Over.VERSION, "POST")],
    "ArtifactVersionViewSet.set_alias": _artifact("set aliases", method="PUT"),
    "ArtifactVersionViewSet.delete_alias": _artifact("delete aliases", method="DELETE"),
    "ArtifactVersionViewSet.link": [
        Case("artifacts: link", Over.VERSION, "POST", _BEGIN | {"collection": "a-portfolio"})
    ],
    "ArtifactFileViewSet.list": _artifact("view"),
    "ArtifactFileViewSet.retrieve": _artifact("download"),
    "ArtifactRetentionViewSet.retrieve": _of_team("artifacts: set retention"),
    "ArtifactRetentionViewSet.preview": _of_team("artifacts: set retention", args={"ttl_s": 0}),
    "ArtifactRetentionViewSet.update": _of_team("artifacts: set retention", "PUT", {"ttl_s": 60}),
    "RegistryViewSet.list": [Case("registries: view", Over.REGISTRY, listed=True)],
    "RegistryViewSet.create": _of_organization(
        "organization: registries", "POST", {"organization": "$entity", "name": "brand-new"}
    ),
    "RegistryViewSet.retrieve": [Case("registries: view", Over.REGISTRY)],
    "RegistryViewSet.partial_update": [
        Case("registries: edit", Over.REGISTRY, "PATCH", {"description": "new"}),
        Case("registries: protect aliases", Over.REGISTRY, "PATCH", {"protected_aliases": ["best"]}),
    ],
    "RegistryViewSet.destroy": [Case("registries: delete", Over.REGISTRY, "DELETE")],
    "RegistryViewSet.restore": [Case("registries: delete", Over.REGISTRY, "POST")],
    "RegistryMemberViewSet.list": [Case("registries: view", Over.REGISTRY)],
    "RegistryMemberViewSet.create": [
        Case("registries: members", Over.REGISTRY, "POST", {"username": "$member", "role": "viewer"})
    ],
    "RegistryMemberViewSet.partial_update": [
        Case("registries: members", Over.REGISTRY, "PATCH", {"role": "member"})
    ],
    "RegistryMemberViewSet.destroy": [Case("registries: members", Over.REGISTRY, "DELETE")],
    "RunArtifactViewSet.inputs": _RUN,
    "RunArtifactViewSet.outputs": _RUN,
    # sweeps
    "SweepViewSet.list": [Case("sweeps: view", Over.SWEEP, listed=True)],
    "SweepViewSet.retrieve": [Case("sweeps: view", Over.SWEEP)],
    "SweepViewSet.agents": [Case("sweeps: view", Over.SWEEP)],
    "SweepViewSet.trials": [Case("sweeps: view", Over.SWEEP)],
    "SweepViewSet.create": [Case("sweeps: create", Over.PROJECT, "POST", _BEGIN | {"config": _SWEEP})],
    "SweepViewSet.partial_update": [Case("sweeps: edit", Over.SWEEP, "PATCH", {"name": "new"})],
    "SweepViewSet.pause": [Case("sweeps: stop", Over.SWEEP, "POST")],
    "SweepViewSet.resume": [Case("sweeps: stop", Over.SWEEP, "POST")],
    "SweepViewSet.stop": [Case("sweeps: stop", Over.SWEEP, "POST")],
    "SweepViewSet.cancel": [Case("sweeps: stop", Over.SWEEP, "POST")],
    "SweepViewSet.destroy": [Case("sweeps: delete", Over.SWEEP, "DELETE")],
    "SweepViewSet.restore": [Case("sweeps: delete", Over.SWEEP, "POST")],
    # who sees the sweep is told of each run what could not be done: sweeps/tests/api
    "SweepViewSet.remove_runs": [Case("sweeps: view", Over.SWEEP, "POST", {"uids": ["of-member"]})],
    "HostViewSet.list": [Case("entity: view", Over.ENTITY, args={"entity": "$entity"})],
    "AggregateViewSet.best_runs": [Case("projects: view", Over.PROJECT, args={"key": "loss"})],
    "AggregateViewSet.distribution": [Case("projects: view", Over.PROJECT, args={"key": "loss"})],
    "SeriesViewSet.keys": _RUN,
    "SeriesViewSet.series": [Case("runs: view", Over.RUN, args={"keys": "loss"})],
    "ProjectViewSet.create": [
        Case("projects: create", Over.ENTITY, "POST", {"entity": "$entity", "name": "brand-new"})
    ],
    "ProjectViewSet.partial_update": [
        Case("projects: edit overview", Over.PROJECT, "PATCH", {"description": "new"}),
        Case(
            "projects: change visibility",
            Over.PROJECT,
            "PATCH",
            {"visibility": "team"},
            without=frozenset({"restricted"}),
        ),  # which admins open: test_admins_open_a_restricted_project
        Case("projects: pin", Over.PROJECT, "PATCH", {"pinned": True}),
    ],
    "ProjectViewSet.destroy": [Case("projects: delete", Over.PROJECT, "DELETE")],
    "ProjectViewSet.restore": [Case("projects: delete", Over.PROJECT, "POST")],
    "ProjectMemberViewSet.list": [Case("projects: members", Over.PROJECT)],
    "ProjectMemberViewSet.create": [
        Case("projects: members", Over.RESTRICTED, "POST", {"username": "colleague"})
    ],
    "ProjectMemberViewSet.partial_update": [
        Case("projects: members", Over.RESTRICTED, "PATCH", {"role": "view-only"})
    ],
    "ProjectMemberViewSet.destroy": [Case("projects: members", Over.RESTRICTED, "DELETE")],
    "ProjectAccessRequestViewSet.list": [Case("projects: members", Over.PROJECT)],
    "ProjectAccessRequestViewSet.destroy": [Case("projects: members", Over.RESTRICTED, "DELETE")],
    "AccessRequestViewSet.create": _of_team(
        "team: view", "POST", {"entity": "$entity", "project": "no-such-project"}
    ),
    "RestrictedProjectViewSet.list": [Case("projects: list restricted", Over.RESTRICTED, listed=True)],
    "ApiKeyViewSet.list": [Case(SIGNED_IN), Case("keys: see own", Over.KEY, listed=True)],
    "ApiKeyViewSet.create": [Case("keys: make own", method="POST", args={"label": "new"})],
    "ApiKeyViewSet.retrieve": [Case("keys: see own", Over.KEY)],
    "ApiKeyViewSet.partial_update": [Case("keys: rename own", Over.KEY, "PATCH", {"label": "new"})],
    "ApiKeyViewSet.limit": [Case("keys: limit own", Over.KEY, "POST", {"scopes": ["run.view"]})],
    "OrganizationKeyViewSet.list": _of_organization("organization: members"),
    "OrganizationKeyViewSet.destroy": [
        Case("organization: members", Over.ORGANIZATION, "DELETE", answer_to_allowed=Answer.HIDDEN)
    ],  # of a key that is no member's; teams/tests/organizations/test_organization_keys.py revokes those there are
    "ApiKeyViewSet.destroy": [Case("keys: delete own", Over.KEY, "DELETE")],
    "EmailViewSet.list": [Case("emails: list own")],
    "EmailViewSet.create": [Case("emails: add own", method="POST", args={"email": "new@example.com"})],
    "EmailViewSet.retrieve": [Case("emails: manage own", Over.EMAIL)],
    "EmailViewSet.destroy": [Case("emails: manage own", Over.EMAIL, "DELETE")],
    "EmailViewSet.resend": [Case("emails: manage own", Over.EMAIL, "POST")],
    "EmailViewSet.primary": [Case("emails: manage own", Over.EMAIL, "POST")],
    "MePictureViewSet.retrieve": [Case(SIGNED_IN)],
    "MePictureViewSet.update": [Case("account: change own", method="PUT", args=_NO_PICTURE)],
    "MePictureViewSet.destroy": [Case("account: change own", method="DELETE")],
    "TeamPictureViewSet.retrieve": _of_team("team: view"),
    "TeamPictureViewSet.update": _of_team("team: settings", "PUT", _NO_PICTURE),
    "TeamPictureViewSet.destroy": _of_team("team: settings", "DELETE"),
    "OrganizationPictureViewSet.retrieve": _of_organization("organization: view"),
    "OrganizationPictureViewSet.update": _of_organization(
        "organization: privacy, key policy", "PUT", _NO_PICTURE
    ),
    "OrganizationPictureViewSet.destroy": _of_organization("organization: privacy, key policy", "DELETE"),
    "MeViewSet.retrieve": [Case(SIGNED_IN)],
    "MeViewSet.partial_update": [Case("account: change own", method="PATCH", args={"display_name": "New"})],
    "UserViewSet.list": [Case(ANYONE)],
    "UserViewSet.retrieve": _of_organization("people: see"),
    "OrganizationViewSet.list": [Case("organization: view", Over.ORGANIZATION, listed=True)],
    "OrganizationViewSet.create": [Case("organization: create", method="POST", args={"name": "brand-new"})],
    # billing, usage and chargeback
    "UsageViewSet.list": [
        Case("billing: view", Over.ORGANIZATION, args={"organization": "$entity"}),
        Case("team: usage", Over.ENTITY, args={"team": "$entity"}, without=_PERSONAL),
    ],
    "ChargebackViewSet.list": _of_organization("billing: view"),
    "InternalPricesViewSet.retrieve": _of_organization("billing: view"),
    "InternalPricesViewSet.partial_update": _of_organization("billing: manage", "PATCH", {"currency": "EUR"}),
    "OrganizationViewSet.retrieve": _of_organization("organization: view"),
    "OrganizationViewSet.partial_update": _of_organization(
        "organization: privacy, key policy", "PATCH", {"display_name": "New"}
    ),
    "OrganizationViewSet.destroy": _of_organization("organization: delete", "DELETE"),
    "OrganizationViewSet.privacy": _of_organization("organization: privacy, key policy"),
    "OrganizationViewSet.change_privacy": _of_organization(
        "organization: privacy, key policy", "PATCH", {"members_may_invite": True}
    ),
    "ExportViewSet.list": [Case(SIGNED_IN)],
    "ExportViewSet.create": _of_team("team: export", "POST", {"entity": "$entity"}),
    "ExportViewSet.retrieve": [
        Case(SIGNED_IN, Over.RUN, answer=Answer.HIDDEN)
    ],  # whose number is no export's
    "ExportViewSet.cancel": [Case(SIGNED_IN, Over.RUN, "POST", answer=Answer.HIDDEN)],
    "ExportViewSet.download": [Case(SIGNED_IN, Over.RUN, answer=Answer.HIDDEN)],
    "OrganizationMemberViewSet.list": _of_organization("organization: view"),
    "OrganizationMemberViewSet.retrieve": _of_organization("organization: view"),
    "OrganizationMemberViewSet.partial_update": _of_organization(
        "organization: members", "PATCH", {"role": "viewer"}
    ),
    "OrganizationMemberViewSet.destroy": _of_organization("organization: members", "DELETE"),
    "TeamViewSet.list": [Case("team: view", Over.ENTITY, listed=True, without=_PERSONAL)],
    "TeamViewSet.create": _of_organization(
        "team: create", "POST", {"name": "brand-new", "organization": "$entity"}
    ),
    "TeamViewSet.retrieve": _of_team("team: view"),
    "TeamViewSet.partial_update": _of_team("team: settings", "PATCH", {"display_name": "New"}),
    "TeamViewSet.destroy": _of_team("team: delete", "DELETE"),
    "TeamViewSet.restore": _of_team("team: delete", "POST"),
    "TeamViewSet.privacy": _of_team("team: privacy"),
    "TeamViewSet.change_privacy": _of_team("team: privacy", "PATCH", {"members_may_invite": True}),
    "TeamBucketViewSet.retrieve": _of_team("team: settings"),
    "TeamBucketViewSet.update": _of_team("team: storage", "PUT", _BUCKET),
    "TeamBucketViewSet.partial_update": _of_team("team: storage", "PATCH", {"credentials": {}}),
    "TeamBucketViewSet.destroy": _of_team("team: storage", "DELETE"),
    "TeamBucketViewSet.check": _of_team("team: storage", "POST"),
    "TeamBucketViewSet.retry": _of_team("team: storage", "POST"),
    "TeamMemberViewSet.list": _of_team("team: view"),
    "TeamMemberViewSet.retrieve": _of_team("team: view"),
    "TeamMemberViewSet.create": _of_team("team: add / remove members", "POST", {"username": "outsider"}),
    "TeamMemberViewSet.partial_update": _of_team("team: add / remove members", "PATCH", {"role": "member"}),
    "TeamMemberViewSet.destroy": _of_team("team: add / remove members", "DELETE"),
    "TeamInvitationViewSet.list": _of_team("team: invite"),
    "TeamInvitationViewSet.create": _of_team("team: invite", "POST", {"people": ["new@example.com"]}),
    "TeamInvitationViewSet.destroy": _of_team("team: revoke invitation", "DELETE"),
    "TeamInvitationViewSet.resend": _of_team("team: invite", "POST"),
    "OrganizationInvitationViewSet.list": _of_organization("organization: members"),
    "OrganizationInvitationViewSet.create": _of_organization(
        "organization: members", "POST", {"people": ["newer@example.com"]}
    ),
    "OrganizationInvitationViewSet.destroy": _of_organization("organization: members", "DELETE"),
    "OrganizationInvitationViewSet.resend": _of_organization("organization: members", "POST"),
    "InvitationViewSet.list": [
        Case(SIGNED_IN),
        Case("invitations: answer own", Over.INVITATION, listed=True),
    ],
    "InvitationViewSet.accept": [Case("invitations: answer own", Over.INVITATION, "POST")],
    "InvitationViewSet.decline": [Case("invitations: answer own", Over.INVITATION, "POST")],
    "ActionViewSet.list": [Case(ANYONE)],
    "LimitViewSet.list": [Case(SIGNED_IN)],  # of teams: teams/tests/test_limits.py
    "AutomationViewSet.list": [
        Case("automation: view", Over.AUTOMATION, listed=True),
        Case("automation: view", Over.TEAM_AUTOMATION, listed=True),
    ],
    "AutomationViewSet.create": [
        Case(
            "automations: create",
            Over.PROJECT,
            "POST",
            _BEGIN | _FAILS | {"name": "new", "action": "NO_OP"},
        ),
        Case(
            "automations of a team: create",
            Over.ENTITY,
            "POST",
            {"entity": "$entity", "name": "new", "action": "NO_OP"} | _FAILS,
        ),
    ],
    "AutomationViewSet.retrieve": [Case("automation: view", Over.AUTOMATION)],
    "AutomationViewSet.partial_update": [
        Case("automation: manage", Over.AUTOMATION, "PATCH", {"is_on": False}),
        Case("automation: manage", Over.TEAM_AUTOMATION, "PATCH", {"is_on": False}),
    ],
    "AutomationViewSet.destroy": [Case("automation: manage", Over.AUTOMATION, "DELETE")],
    "AutomationViewSet.copy": [Case("automation: copy", Over.AUTOMATION, "POST", {"name": "another"})],
    "AutomationViewSet.preview": [
        Case("automations: view", Over.PROJECT, "POST", _BEGIN | _FAILS),
        Case("automations of a team: view", Over.ENTITY, "POST", {"entity": "$entity"} | _FAILS),
    ],
    "AlertMessageViewSet.list": [Case("automation: view", Over.ACTED, listed=True)],
    "AlertMessageViewSet.retrieve": [Case("automation: view", Over.ACTED)],
    "AlertMessageViewSet.retry": [Case("automation: retry", Over.ACTED, "POST")],
    "AlertSettingsViewSet.list": [Case("alerts: ways", Over.ENTITY, listed=True)],
    "AlertSettingsViewSet.retrieve": [Case("team: alerts", Over.ENTITY)],
    "AlertSettingsViewSet.partial_update": [Case("team: alerts", Over.ENTITY, "PATCH", {"on_crashed": True})],
    "AlertRouteViewSet.list": [Case("alerts: ways", Over.ROUTE, listed=True)],
    "AlertRouteViewSet.create": [
        Case(SIGNED_IN, method="POST", args={"destination": 0}, answer=Answer.HIDDEN)
    ],  # to no place that there is; alerts/tests/preferences/test_settings_api.py asks for those there are
    "AlertRouteViewSet.retrieve": [Case("alerts: ways", Over.ROUTE)],
    "AlertRouteViewSet.destroy": [Case("alerts: ways", Over.ROUTE, "DELETE")],
    "AlertMuteViewSet.list": [Case(SIGNED_IN), Case("alerts: own mutes", Over.MUTE, listed=True)],
    "AlertMuteViewSet.create": [
        Case(SIGNED_IN, method="POST", args={"team": "no-such-team"}, answer=Answer.HIDDEN)
    ],  # as above
    "AlertMuteViewSet.destroy": [Case("alerts: own mutes", Over.MUTE, "DELETE")],
    # billing, payment and changes of plan
    "PaymentMethodViewSet.list": _of_organization("billing: view"),
    "PaymentMethodViewSet.retrieve": [Case("billing: view", Over.PAYMENT_METHOD)],
    "PaymentMethodViewSet.create": _of_organization("billing: manage", "POST"),
    "PaymentMethodViewSet.begin": _of_organization("billing: manage", "POST"),
    "PaymentMethodViewSet.default": [Case("billing: manage", Over.PAYMENT_METHOD, "POST")],
    "PaymentMethodViewSet.destroy": [Case("billing: manage", Over.PAYMENT_METHOD, "DELETE")],
    "BillingDetailsViewSet.retrieve": _of_organization("billing: view"),
    "BillingDetailsViewSet.partial_update": _of_organization("billing: manage", "PATCH", {"tax_id": "DE 1"}),
    "PaymentViewSet.create": [Case("billing: manage", Over.INVOICE, "POST", {"invoice": "org-1"})],
    "PlanChangeViewSet.preview": _of_organization("billing: manage", "POST", {"plan": "free"}),
    "PlanChangeViewSet.create": _of_organization(
        "billing: manage", "POST", {"plan": "free", "confirm": "what was read"}
    ),
    "PlanChangeViewSet.undo": _of_organization("billing: manage", "POST"),
    # billing, invoices
    "InvoiceViewSet.list": _of_organization("billing: view"),
    "InvoiceViewSet.retrieve": [Case("billing: view", Over.INVOICE)],
    "InvoiceViewSet.lines": [Case("billing: view", Over.INVOICE)],
    "InvoiceViewSet.pdf": [Case("billing: view", Over.INVOICE)],
    # billing, plans and limits
    "PlanViewSet.list": [Case(SIGNED_IN)],
    "SubscriptionViewSet.retrieve": [Case("billing: view", Over.ORGANIZATION)],
    # billing, billing admins
    "BillingAdminViewSet.list": _of_organization("billing: view"),
    "BillingAdminViewSet.create": _of_organization("billing: choose admins", "POST", {"username": "deputy"}),
    "BillingAdminViewSet.destroy": _of_organization("billing: choose admins", "DELETE"),
}

SIGNED_IN_ONLY = {
    *(name for name in ROUTES if name.startswith(
        ("ApiKeyViewSet.", "ExportViewSet.", "MeViewSet.", "MePictureViewSet.", "EmailViewSet.",
         "InvitationViewSet.", "LoggedRunViewSet.",
         "AlertMuteViewSet.")
    )),
    "AuditViewSet.list", "PlanViewSet.list", "OrganizationViewSet.create", "TeamViewSet.create",
    "ProjectViewSet.create", "RunViewSet.create", "LimitViewSet.list", "AlertRouteViewSet.create",
}  # fmt: skip
"""What says 401 to nobody, since there is nothing public in it."""
