"""The permissions of the specification (TEAM-20..25, TEAM-30..33) as data. Written from the text, not from the code.

A permission's ``who`` is its cell of the table in TEAM-21: V view-only, M member, A team admin, O organization
admin; ``A!`` also where a project is restricted; B billing admin of the organization (BIL-9), S a
service account in it; ``M-own`` a member on what they created; ``P`` anyone when the project is Public or Open; ``L``
anyone signed in when the project is Open (a new run, or their own), ``L*`` also with what others created. ``scopes``
are the actions of which an API key that is limited must hold one.
"""

from dataclasses import dataclass

ANYONE, SIGNED_IN, OPERATOR, OWNER = "anyone", "signed in", "operator", "owner"
PERSON = "a person"
"""Signed in, and not a program."""
INVITED_OR_SIGNED_OUT = "the invited, or who has still to say who they are"
COLLEAGUE = "who shares a team or an organization with everybody of the team"
ELEVATED = "elevated"
"""An operator who sent the explicit admin header (TEAM-21); without it an API hears a stranger."""


@dataclass(frozen=True)
class Permission:
    """One row of the table."""

    who: str
    scopes: frozenset[str] = frozenset()
    sees: str = ""
    """The permission that makes the thing visible: without it the answer is "hidden", with it "forbidden"."""


def _row(who: str, *scopes: str, sees: str = "") -> Permission:
    return Permission(who, frozenset(scopes), sees)


TABLE = {
    ANYONE: _row(ANYONE),
    SIGNED_IN: _row(SIGNED_IN),
    OPERATOR: _row(OPERATOR),
    ELEVATED: _row(ELEVATED),
    PERSON: _row(PERSON),
    "second factors: change one of nobody": _row(""),
    "keys: delete own": _row(OWNER, "api_key.delete"),
    "exports: use own": _row(OWNER, "export.use"),
    "keys: rename own": _row(OWNER, "api_key.rename"),
    "keys: see own": _row(OWNER, "api_key.view"),
    "account: change own": _row(SIGNED_IN, "account.update", sees=SIGNED_IN),
    "emails: manage own": _row(OWNER, "account.manage_emails"),
    "emails: list own": _row(SIGNED_IN, "account.manage_emails", sees=SIGNED_IN),
    "emails: add own": _row(PERSON, "account.manage_emails", sees=SIGNED_IN),
    "people: see": _row(COLLEAGUE, "team.view"),
    "organization: create": _row(PERSON, "team.create", sees=SIGNED_IN),  # TEAM-12
    "team: create": _row("O", "team.create", sees="organization: view"),
    "invitations: answer own": _row(OWNER),
    "projects: members": _row("A! O!", "project.manage_members", sees="projects: view"),
    "projects: see members": _row("V M A O P A! O!", "project.view", "project.manage_members"),
    "team: restricted projects": _row("A O", "project.manage_members", sees="team: view"),
    "projects: list restricted": _row("A! O!", "project.manage_members"),
    "keys: limit own": _row(OWNER, "api_key.limit"),
    "keys: make own": _row(SIGNED_IN, "api_key.create", sees=SIGNED_IN),
    "team: create in one's organization, or a new one": _row(PERSON, "team.create", sees=PERSON),  # TEAM-2
    "team: invite": _row(
        "A O", "team.invite", sees="team: view"
    ),  # the switch of TEAM-4 is off in this world
    "team: revoke invitation": _row("A O", "team.manage_members", sees="team: view"),
    "invitation: open": _row(INVITED_OR_SIGNED_OUT, sees=ANYONE),
    "invitation: accept": _row(OWNER, sees=ANYONE),  # TEAM-3: "accept as the invited address only"
    "team: add / remove members": _row("A O", "team.manage_members", sees="team: view"),
    "team: service accounts": _row("A O", "team.manage_service_accounts", sees="team: view"),
    "team: alerts": _row(
        "A O", "team.manage_alerts", sees="team: view"
    ),  # ALR-2, TEAM-7: a team's channels are its admins'
    "alerts: manage": _row("A O", "team.manage_alerts"),  # REST tells nobody else of destinations
    "team: secrets": _row("A O", "team.manage_secrets", sees="team: view"),
    "secrets: manage": _row("A O", "team.manage_secrets"),  # ALR-7
    "service accounts: manage": _row("A O", "team.manage_service_accounts"),  # REST tells nobody else of them
    "service accounts of the organization: manage": _row("O", "organization.manage_members"),
    "projects: pin": _row("A O", "project.pin", sees="projects: view"),  # TEAM-10, part of "profile page"
    "team: settings": _row("A O", "team.manage_settings", sees="team: view"),
    "team: storage": _row("O", "team.manage_storage", sees="team: view"),  # TEAM-40: "or by an org admin"
    "team: delete": _row("O", "team.delete", sees="team: view"),
    "team: export": _row("A O", "team.export", sees="team: view"),  # TEAM-12: what admins see is all of it
    "team: usage": _row("A O", "team.view_usage", sees="team: view"),
    "alerts: ways": _row("A O", "team.manage_alerts"),  # nobody else is told where alerts go
    "alerts: own mutes": _row(OWNER, "account.update"),
    "team: privacy": _row("O", "team.manage_privacy", sees="team: view"),
    "organization: view": _row("O Om", "organization.view"),
    "organization: audit log": _row("O", "organization.view_audit", sees="organization: view"),  # BIL-11
    "audit: list": _row("O", "organization.view_audit"),  # who may read none gets an empty list
    "organization: members": _row("O", "organization.manage_members", sees="organization: view"),
    "organization: roles": _row("O", "organization.manage_roles", sees="organization: view"),  # TEAM-20
    "organization: privacy, key policy": _row("O", "organization.manage_settings", sees="organization: view"),
    # TEAM-21 "billing: view; manage | O; billing admin", BIL-1: org admins see it, billing admins change it
    "billing: view": _row("O", "billing.view", sees="organization: view"),
    "billing: manage": _row("B", "billing.manage", sees="organization: view"),
    "billing: choose admins": _row("O", "billing.assign", sees="organization: view"),  # BIL-9
    "organization: delete": _row("O", "organization.delete", sees="organization: view"),
    "entity: view": _row("V M A O P", "team.view", "project.view"),
    "projects: view": _row("V M A O P", "project.view"),
    "projects: create": _row("M A O", "project.create", sees="team: view"),
    "projects: edit overview": _row("M A O", "project.update", sees="projects: view"),
    "projects: change visibility": _row("A! O!", "project.change_visibility", sees="projects: view"),
    "projects: delete": _row("A O", "project.delete", sees="projects: view"),
    "views: read own": _row(OWNER, "project.view"),  # RUN-21: "saved per user and project"
    "team: view": _row("V M A O", "team.view"),
    "charts: view": _row("V M A O P", "chart.view"),
    "charts: save": _row("M A O", "chart.save", sees="charts: view"),
    "charts: save new": _row("M A O", "chart.save", sees="team: view"),
    "automations: view": _row("V M A O", "automation.view", sees="projects: view"),  # ALR-6: not of strangers
    "automations of a team: view": _row("V M A O", "automation.view", sees="team: view"),
    "automations: create": _row("M A O", "automation.create", sees="projects: view"),
    "automations of a team: create": _row("M A O", "automation.create", sees="team: view"),
    "automation: view": _row("V M A O", "automation.view"),
    "automation: manage": _row(
        "M-own A O", "automation.manage", "automation.manage_own", sees="automation: view"
    ),
    "automation: copy": _row("M A O", "automation.create", sees="automation: view"),
    "automation: retry": _row(
        "M-own A O",
        "automation.manage",
        "automation.manage_own",
        "team.manage_alerts",
        sees="automation: view",
    ),
    "runs: view": _row("V M A O P", "run.view"),
    "runs: log": _row("M A O L", "run.log", sees="runs: view"),
    "runs: log new": _row("M A O L", "run.log", sees="projects: view"),
    "runs: update": _row("M A O", "run.update", sees="runs: view"),
    "runs: stop": _row("M-own A O", "run.stop", "run.stop_own", sees="runs: view"),
    "runs: alert": _row("M A O L", "run.log", sees="runs: view"),  # "who may log to it"
    "runs: delete files": _row("M-own A O", "run.delete_files", "run.delete_own_files", sees="runs: view"),
    "artifacts: view": _row("V M A O P", "artifact.view"),
    "artifacts: download": _row("M A O", "artifact.download", sees="artifacts: view"),
    "artifacts: edit": _row("M A O", "artifact.update", sees="artifacts: view"),
    "artifacts: delete": _row("M A O", "artifact.delete", sees="artifacts: view"),
    "artifacts: set aliases": _row("M A O", "artifact.set_alias", sees="artifacts: view"),
    "artifacts: delete aliases": _row("M A O", "artifact.delete_alias", sees="artifacts: view"),
    "artifacts: set retention": _row("A O", "artifact.set_retention", sees="team: view"),
    "artifacts: log": _row("M A O L", "artifact.create", "run.log", sees="artifacts: view"),
    "artifacts: create": _row("M A O L", "artifact.create", sees="projects: view"),
    "artifacts: link": _row(
        "M A O", "artifact.create", sees="artifacts: view"
    ),  # and download: whoever sees it there
    "sweeps: view": _row("V M A O P", "sweep.view"),
    "sweeps: create": _row("M A O", "sweep.create", sees="projects: view"),
    "sweeps: edit": _row("M-own A O", "sweep.edit", "sweep.edit_own", sees="sweeps: view"),
    "sweeps: stop": _row("M-own A O", "sweep.stop", "sweep.stop_own", sees="sweeps: view"),
    "sweeps: delete": _row("M-own A O", "sweep.delete", "sweep.delete_own", sees="sweeps: view"),
    "sweeps: run an agent": _row("M A O L*", "run.log", sees="sweeps: view"),  # it logs runs
    "organization: know of": _row("O Om S", "organization.view", "registry.view"),
    "registries of organizations: view": _row("O Om S", "registry.view"),
    "registries of organizations: edit": _row(
        "O", "registry.update", sees="registries of organizations: view"
    ),  # its registry admin is its first admin; the others of TEAM-21 are in artifacts/tests/registries
    "organization: registries": _row("O", "registry.create", sees="organization: view"),
    "registries: view": _row("V M A O", "registry.view"),
    "automations of a registry: view": _row("V M A O", "automation.view", sees="registries: view"),
    "registries: edit": _row("A O", "registry.update", sees="registries: view"),
    "registries: members": _row("A O", "registry.manage_members", sees="registries: view"),
    "registries: protect aliases": _row("", "registry.protect_aliases", sees="registries: view"),
    "registries: delete": _row("A O", "registry.delete", sees="registries: view"),
    "automations: manage": _row("A O", "automation.manage", sees="automation: view"),  # made by nobody
    "runs: delete": _row("M-own A O", "run.delete", "run.delete_own", sees="runs: view"),
}

IN_REGISTRY = {
    "artifacts: view": "V M R O",
    "artifacts: download": "V M R O",
    "artifacts: edit": "M R O",
    "artifacts: delete": "M R O",
    "artifacts: set aliases": "M R O",
    "artifacts: delete aliases": "M R O",
    "automations of a registry: view": "V M R O",
    "registries: view": "V M R O",
    "registries: edit": "R O",
    "registries: members": "R O",
    "registries: protect aliases": "R",
    "registries: delete": "R O",
}
"""The rows of registries in TEAM-21, for a registry of the organization; R is its registry admin."""

BILLING = "billing"
"""How the names of permissions on billing begin; more people are asked about these."""

ROLES = {
    "viewer": "V",
    "member": "M",
    "colleague": "M",
    "admin": "A",
    "chief": "O",
    "deputy": "O",
    "bot": "M",  # TEAM-21: a service account has Member's grants
    "org_bot": "M",  # TEAM-33: in every team of its organization
}
"""Who holds which role in the team; everybody else holds none. chief, deputy, org_bot are of both teams."""

CUSTOM, CUSTOM_BASE, CUSTOM_ACTIONS = "C", "V", frozenset({"run.update", "artifact.set_alias"})
"""A custom role of the organization, what it is based on, and what it adds (TEAM-20)."""
ROLES["labeler"] = CUSTOM

ROLES_IN_REGISTRY = {
    "viewer": "V", "labeler": "V", "member": "M", "colleague": "M", "admin": "M", "outsider": "M", "registrar": "R",
    "chief": "R", "deputy": "O", "bot": "M", "other_bot": "M", "org_bot": "M",
}  # fmt: skip
"""In a registry of the organization that gives everyone Member; its registry admins are those who were given the role,
and the organization's first admin. People who are view-only in their teams have at most Viewer."""

ROLES_ELSEWHERE = {"chief": "O", "deputy": "O", "org_bot": "M", "other_bot": "M"}
"""Roles in the organization's other team."""

ROLES_OF_ORGANIZATION = {
    "chief": "O", "deputy": "O", "viewer": "Om", "member": "Om", "colleague": "Om", "admin": "Om", "outsider": "Om",
    "labeler": "Om", "registrar": "Om",
}  # fmt: skip
"""Om: belongs to the organization, as everybody in one of its teams does; programs take no seat (TEAM-30)."""

BILLING_ADMINS = {"chief"}
"""Who manages billing of the organization (BIL-9): its first admin does (TEAM-12), the other admin does not."""

COLLEAGUES = {
    "viewer",
    "member",
    "colleague",
    "admin",
    "chief",
    "deputy",
    "outsider",
    "labeler",
    "registrar",
    "bot",
    "org_bot",
    ELEVATED,
}

INVITED = {"member": "M"}
"""Who was invited to the restricted project, with which role (TEAM-24); nobody else reaches what is in it."""

NOT_SIGNED_IN = "anonymous"
OPERATORS = {"operator"}
PROGRAMS = {"bot", "other_bot", "org_bot"}

SCOPES: dict[str, frozenset[str] | None] = {
    "full": None,
    "session": None,
    "read": frozenset(
        {"project.view", "run.view", "team.view", "artifact.view", "artifact.download", "sweep.view"}
    ),
    "log": frozenset(
        {
            "project.view",
            "run.view",
            "team.view",
            "run.log",
            "artifact.view",
            "artifact.download",
            "artifact.create",
            "artifact.set_alias",
            "sweep.view",
        }
    ),
    "none": frozenset(),
}
"""API keys of the matrix, and sessions: what they are limited to."""
NAMED = frozenset({"account.manage_emails"})
"""What an API key reaches only if its scopes name it."""
