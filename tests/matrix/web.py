"""Web pages and what they load: URL name (or "/" and the pattern where there is none) to how it is used."""

from tests.matrix.cases import ROLE, Answer, Case, Over
from tests.matrix.permissions import ANYONE, OPERATOR, PERSON, SIGNED_IN

_SIGN_IN = Case(ANYONE, answer=Answer.LOGIN)
_ANYONE, _SIGNED_IN = Case(ANYONE), Case(SIGNED_IN)
_NOT_HERE = Case(ANYONE, answer=Answer.HIDDEN)
_HIDDEN = Case("keys: delete own")  # an owner's thing that nobody has
_PROJECT = Case("projects: view", Over.PROJECT)
_RUN = Case("runs: view", Over.RUN)


_PERSONAL = frozenset({"personal"})


def _of_team(needs: str, method: str = "GET") -> list[Case]:
    """Return the case of a page of teams, which personal entities have none of."""
    return [Case(needs, Over.ENTITY, method, without=frozenset({"personal"}))]


def _artifact(needs: str, method: str = "GET", *, is_of_project: bool = False, **args: str) -> list[Case]:
    """Return the cases of a page of the artifact that every project has, and of one in an organization's registry.

    Args:
        needs: The permission, of those on artifacts.
        method: Of the request.
        is_of_project: The version itself is changed, which its own project alone decides.
        args: More of the address.
    """
    named = {"type": "model", "name": "model", **args}
    cases = [
        Case(f"artifacts: {needs}", Over.PROJECT, method, named),
        Case(f"artifacts: {needs}", Over.LINKED, method, args),
    ]
    return cases[:1] if is_of_project else cases


def _registry(needs: str, method: str = "GET", **args: str) -> list[Case]:
    """Return the case of a page of a team's model registry."""
    return [Case(f"registries: {needs}", Over.REGISTRY, method, args)]


def _of_organization(needs: str, method: str = "GET") -> list[Case]:
    return [Case(needs, Over.ORGANIZATION, method)]


ROUTES: dict[str, list[Case]] = {
    "/healthz": [_ANYONE],
    "/ready": [_ANYONE],
    "/metrics": [
        Case(OPERATOR)
    ],  # of sessions; who has the token is no actor, see access/tests/test_telemetry.py
    "connection": [_ANYONE],
    "styleguide": [Case(OPERATOR)],
    "/login": [_SIGN_IN],
    "/admin/login/": [_SIGN_IN],
    "account_login": [_ANYONE],
    "account_logout": [_ANYONE],
    "account_inactive": [_ANYONE],
    "account_signup": [_ANYONE],
    "account_reauthenticate": [_SIGNED_IN],
    "account_email": [_SIGNED_IN],
    "account_email_verification_sent": [_ANYONE],
    "account_change_password": [_SIGNED_IN],
    "account_set_password": [_SIGNED_IN],
    "account_reset_password": [_ANYONE],
    "account_reset_password_done": [_ANYONE],
    "account_reset_password_from_key": [
        Case(ANYONE, args={"uidb36": "1", "key": "no-such-key"}, answer=Answer.HIDDEN)
    ],
    "account_reset_password_from_key_done": [_ANYONE],
    "account_confirm_login_code": [
        _SIGNED_IN
    ],  # with no code under way it leads to the sign-in page, or home
    "account_confirm_email": [Case(ANYONE, args={"key": "no-such-key"}, answer=Answer.HIDDEN)],
    "accounts:search": [_ANYONE],
    "accounts:authorize": [_SIGNED_IN],
    "accounts:settings": [_SIGNED_IN],
    "accounts:profile": [_SIGNED_IN],
    "accounts:profile_picture": [Case(SIGNED_IN, method="POST")],
    "accounts:profile_intro": [Case(SIGNED_IN, method="POST")],
    "accounts:picture": [Case(ANYONE, args={"name": "nobody", "digest": "none"}, answer=Answer.HIDDEN)],
    "accounts:external_picture": [Case(ANYONE, answer=Answer.HIDDEN)],  # unsigned
    "accounts:beta": [_SIGNED_IN],
    "accounts:audience": [Case(SIGNED_IN, method="POST")],
    "accounts:theme": [Case(SIGNED_IN, method="POST")],
    "accounts:code_saving": [_SIGNED_IN],
    "accounts:language": [_SIGNED_IN],
    "accounts:visitor_language": [Case(ANYONE, method="POST")],
    "teams:profile": [Case("team: settings", Over.ENTITY)],
    "teams:profile_picture": [Case("team: settings", Over.ENTITY, "POST")],
    "teams:profile_intro": [Case("team: settings", Over.ENTITY, "POST")],
    "teams:organization_profile": [Case("organization: privacy, key policy", Over.ORGANIZATION)],
    "teams:organization_profile_picture": _of_organization("organization: privacy, key policy", "POST"),
    "teams:organization_profile_intro": _of_organization("organization: privacy, key policy", "POST"),
    "api-docs": [_ANYONE],
    "api-openapi": [_ANYONE],
    "api-openapi-yaml": [_ANYONE],
    "api-nothing": [Case(ANYONE, answer=Answer.HIDDEN)],
    "accounts:api_keys": [_SIGNED_IN],
    "accounts:api_key": [Case("keys: rename own", Over.KEY)],
    "accounts:api_key_limit": [
        Case("keys: limit own", Over.KEY, "POST", args={}),
    ],  # a form that says nothing is shown again
    "accounts:api_keys_delete": [Case(SIGNED_IN, method="POST")],  # keys of others are left alone
    "accounts:delete": [_SIGNED_IN],
    "exports:own": [Case(PERSON)],
    "exports:team": _of_team("team: export"),
    "storage:team_bucket": _of_team("team: settings"),
    "storage:team_bucket_connect": [*_of_team("team: storage"), *_of_team("team: storage", "POST")],
    "storage:team_bucket_credentials": _of_team("team: storage"),
    "storage:team_bucket_act": _of_team("team: storage", "POST"),
    "usage:own_storage": [Case(PERSON)],
    "usage:own_storage_project": [Case("keys: delete own", args={"project": "no-such-project"})],
    "usage:team_storage": _of_team("team: usage"),
    "usage:team_storage_project": [
        Case("team: usage", Over.PROJECT, without=_PERSONAL)
    ],  # of restricted ones: usage/tests/test_storage_pages.py
    "exports:cancel": [Case("exports: use own", method="POST", args={"pk": 1})],  # there is none
    "exports:download": [Case("exports: use own", args={"pk": 1})],
    "alerts:own": [Case(PERSON)],
    "alerts:team": [*_of_team("team: alerts"), *_of_team("team: alerts", "POST")],
    "alerts:route_end": [Case("alerts: ways", Over.ROUTE, "POST")],
    "alerts:mute": [Case(ANYONE, method="POST", answer=Answer.HIDDEN)],  # of nothing that there is
    "alerts:run_told": [_RUN],  # what it tells whom: alerts/tests/preferences/test_settings_pages.py
    # the link is the credential, and only ever switches its own person's mail off
    "alerts:unsubscribe": [Case(ANYONE, args={"token": "no-such-token"}, answer=Answer.HIDDEN)],
    "accounts:emails": [_SIGNED_IN],
    "accounts:github": [_SIGNED_IN],
    "accounts:security": [_SIGNED_IN],
    "accounts:sessions_end": [Case(SIGNED_IN, method="POST")],
    "accounts:session_end": [Case(SIGNED_IN, method="POST", args={"pk": 1})],
    "accounts:connection_end": [Case(SIGNED_IN, method="POST", args={"pk": 1})],
    "accounts:confirm": [_SIGNED_IN],
    "accounts:stop_acting": [Case(SIGNED_IN, method="POST")],
    "accounts:continue_with": [
        Case(ANYONE, method="POST", args={"slug": "no-such-provider"}, answer=Answer.HIDDEN)
    ],
    "mfa_index": [_SIGNED_IN],
    "mfa_list_webauthn": [_SIGNED_IN],
    "mfa_authenticate": [_SIGNED_IN],
    "mfa_reauthenticate": [_SIGNED_IN],
    "mfa_activate_totp": [_SIGNED_IN],
    "mfa_deactivate_totp": [_HIDDEN],
    "mfa_view_recovery_codes": [_HIDDEN],
    "mfa_generate_recovery_codes": [_SIGNED_IN],
    "mfa_download_recovery_codes": [_HIDDEN],
    "mfa_add_webauthn": [_SIGNED_IN],
    "mfa_login_webauthn": [_SIGNED_IN],
    "mfa_reauthenticate_webauthn": [_SIGNED_IN],
    "mfa_remove_webauthn": [Case("second factors: change one of nobody", args={"pk": 1})],
    "mfa_edit_webauthn": [Case("second factors: change one of nobody", args={"pk": 1})],
    "/accounts/social/login/cancelled/": [_ANYONE],  # these four lead to where they moved
    "/accounts/social/login/error/": [_ANYONE],
    "/accounts/social/signup/": [_ANYONE],
    "/accounts/social/connections/": [_ANYONE],
    "socialaccount_login_cancelled": [_ANYONE],
    "socialaccount_login_error": [Case(ANYONE, answer=Answer.UNAUTHENTICATED)],
    "socialaccount_signup": [_SIGN_IN],
    "socialaccount_connections": [_SIGNED_IN],
    "github_login": [_HIDDEN],
    "github_callback": [_HIDDEN],
    "openid_connect_login": [Case("keys: delete own", args={"provider_id": "none"})],
    "openid_connect_callback": [Case("keys: delete own", args={"provider_id": "none"})],
    "usersessions_list": [_SIGNED_IN],
    "accounts:outbox": [Case(OPERATOR)],
    "accounts:outbox_mail": [Case(OPERATOR, args={"pk": 1})],
    "accounts:outbox_body": [Case(OPERATOR, args={"pk": 1})],
    # the link is the credential: who has it reads it and may decline; accepting takes the invited account
    "teams:invitation": [
        Case("invitation: open", Over.INVITATION),
        Case(ANYONE, args={"token": "no-such-token"}, answer=Answer.HIDDEN),
    ],
    "teams:invitation_accept": [Case("invitation: accept", Over.INVITATION, "POST")],
    "teams:invitation_decline": [Case(ANYONE, Over.INVITATION, "POST")],
    "teams:mine": [_SIGNED_IN],
    "teams:mine_accept": [Case(SIGNED_IN, method="POST")],
    "teams:mine_decline": [Case(SIGNED_IN, method="POST")],
    "teams:mine_default": [Case(SIGNED_IN, method="POST")],
    "teams:invite_your_team": [_SIGNED_IN],
    "teams:new": [_SIGNED_IN],
    "teams:check_name": [_SIGNED_IN],
    "teams:members": _of_team("team: view"),
    "teams:leave": _of_team("team: view", "POST"),
    "teams:invite": _of_team("team: invite"),
    "teams:known": _of_team("team: invite"),
    "teams:resend": _of_team("team: invite", "POST"),
    "teams:revoke": _of_team("team: revoke invitation", "POST"),
    "teams:role": _of_team("team: add / remove members", "POST"),
    "teams:remove": _of_team("team: add / remove members", "POST"),
    "teams:organization_resend": _of_organization("organization: members", "POST"),
    "teams:organization_revoke": _of_organization("organization: members", "POST"),
    "teams:privacy": [*_of_team("team: privacy"), *_of_team("team: privacy", "POST")],
    "teams:privacy_close": _of_team("team: privacy", "POST"),
    "teams:delete": _of_team("team: delete"),
    "teams:restore": _of_team("team: delete", "POST"),
    "teams:settings": _of_team("team: settings"),
    "teams:new_organization": [_SIGNED_IN],
    "teams:service_accounts": _of_team("team: service accounts"),
    "teams:service_account": [Case("team: service accounts", Over.SERVICE)],
    "teams:service_account_key": [Case("team: service accounts", Over.SERVICE, "POST")],
    "teams:service_account_act": [Case("team: service accounts", Over.SERVICE, "POST")],
    "alerts:destinations": _of_team("team: alerts"),
    "alerts:destination_new": [
        Case("team: alerts", Over.ENTITY, args={"kind": "webhook"}, without=_PERSONAL),
        Case("team: alerts", Over.ENTITY, "POST", args={"kind": "slack"}, without=_PERSONAL),
    ],
    "alerts:payload_check": _of_team("team: alerts", "POST"),
    "alerts:destination": [
        Case("team: alerts", Over.DESTINATION, without=_PERSONAL),
        Case("team: alerts", Over.DESTINATION, "POST", without=_PERSONAL),
    ],
    "alerts:destination_act": [Case("team: alerts", Over.DESTINATION, "POST", without=_PERSONAL)],
    "alerts:slack_connect": _of_team("team: alerts"),
    "alerts:slack_callback": [
        _SIGNED_IN
    ],  # without a state; alerts/tests/destinations/test_slack_pages.py has one
    "alerts:secrets": _of_team("team: secrets"),
    "alerts:secret_act": [Case("team: secrets", Over.SECRET, "POST", without=_PERSONAL)],
    "alerts:own_destinations": [_SIGNED_IN],
    "alerts:own_destination_new": [Case(SIGNED_IN, args={"kind": "slack"})],
    "alerts:own_payload_check": [Case(SIGNED_IN, method="POST")],
    "alerts:own_destination": [Case("keys: delete own", args={"pk": 0})],
    "alerts:own_destination_act": [Case("keys: delete own", method="POST", args={"pk": 0})],
    "alerts:own_slack_connect": [_SIGNED_IN],
    "alerts:own_secrets": [_SIGNED_IN],
    "alerts:own_secret_act": [Case("keys: delete own", method="POST", args={"pk": 0})],
    "teams:organization_service_accounts": _of_organization("organization: members"),
    "teams:organization_service_account": [Case("organization: members", Over.ORGANIZATION_SERVICE)],
    "teams:organization_service_account_key": [
        Case("organization: members", Over.ORGANIZATION_SERVICE, "POST")
    ],
    "teams:organization_service_account_act": [
        Case("organization: members", Over.ORGANIZATION_SERVICE, "POST")
    ],
    "teams:organization_keys": _of_organization("organization: members"),
    "teams:organization_keys_revoke": _of_organization("organization: members", "POST"),
    "teams:organization": _of_organization("organization: view"),
    "teams:organization_roles": _of_organization("organization: roles"),
    "teams:organization_role_new": _of_organization("organization: roles"),
    "teams:organization_role": [Case("organization: roles", Over.ORGANIZATION, args={"number": ROLE})],
    "teams:organization_role_delete": [
        Case("organization: roles", Over.ORGANIZATION, method, args={"number": ROLE})
        for method in ("GET", "POST")
    ],
    "teams:organization_explain": _of_organization("organization: members"),
    "teams:roles": _of_team("team: view"),
    "teams:explain": _of_team("team: add / remove members"),
    "teams:own_limits": [_SIGNED_IN],
    "teams:limits": _of_team("team: view"),
    "teams:explain_own": [_SIGNED_IN],  # what it tells of whom: teams/tests/test_explaining.py
    "teams:organization_invite": _of_organization("organization: members"),
    "teams:organization_change": _of_organization("organization: members", "POST"),
    "teams:organization_remove": _of_organization("organization: members", "POST"),
    "teams:organization_teams": _of_organization("organization: view"),
    "teams:organization_privacy": [
        *_of_organization("organization: privacy, key policy"),
        *_of_organization("organization: privacy, key policy", "POST"),
    ],
    "teams:organization_privacy_close": _of_organization("organization: privacy, key policy", "POST"),
    "teams:organization_leave": _of_organization("organization: view", "POST"),
    # billing, payment, changes of plan, Stripe
    "billing:payment": _of_organization("billing: view"),
    "billing:payment_add": _of_organization("billing: manage"),
    "billing:payment_setup": _of_organization("billing: manage", "POST"),
    "billing:payment_details": _of_organization("billing: manage", "POST"),
    "billing:payment_act": [Case("billing: manage", Over.PAYMENT_METHOD, "POST")],
    "billing:payment_pay": [Case("billing: manage", Over.INVOICE, "POST")],
    "billing:change": _of_organization("billing: manage"),
    "billing:storage": _of_organization("billing: manage"),
    "billing:cancel": _of_organization("billing: manage"),
    "billing:undo": _of_organization("billing: manage", "POST"),
    "billing:stripe_webhook": [Case(ANYONE, method="POST", answer=Answer.HIDDEN)],  # no secret is set up
    # billing, invoices
    "billing:invoices": _of_organization("billing: view"),
    "billing:invoice": [Case("billing: view", Over.INVOICE)],
    "billing:invoice_pdf": [Case("billing: view", Over.INVOICE)],
    # billing, Manage roles
    "billing:roles": _of_organization("billing: view"),
    "billing:role_assign": _of_organization("billing: choose admins", "POST"),
    "billing:role_withdraw": _of_organization("billing: choose admins", "POST"),
    "teams:organization_delete": _of_organization("organization: delete"),
    "teams:organization_settings": _of_organization("organization: privacy, key policy"),
    # billing, usage and chargeback
    "usage:usage": _of_organization("billing: view"),
    "usage:usage_csv": _of_organization("billing: view"),
    "usage:chargeback": _of_organization("billing: view"),
    "usage:chargeback_csv": _of_organization("billing: view"),
    "usage:chargeback_prices": _of_organization("billing: manage"),
    "usage:team_usage": _of_team("team: usage"),
    "usage:team_usage_csv": _of_team("team: usage"),
    "teams:organization_audit": _of_organization("organization: audit log"),
    "teams:organization_audit_export": _of_organization("organization: audit log"),
    "teams:scim": [  # keys only, see tests/test_scim.py
        Case(ANYONE, Over.ORGANIZATION, args={"path": "Users"}, answer=Answer.UNAUTHENTICATED),
        Case(ANYONE, Over.ORGANIZATION, "POST", args={"path": "Groups"}, answer=Answer.UNAUTHENTICATED),
    ],
    "teams:audit": [Case(OPERATOR)],
    "teams:audit_export": [Case(OPERATOR)],
    "automations:own_automations": [Case(PERSON)],
    "automations:automations": [Case("automations: view", Over.PROJECT)],
    "automations:automation_new": [
        Case("automations: create", Over.PROJECT, method) for method in ("GET", "POST")
    ],
    "automations:automation": [Case("automation: view", Over.AUTOMATION)],
    "automations:automation_edit": [
        Case("automation: manage", Over.AUTOMATION, method) for method in ("GET", "POST")
    ],
    "automations:automation_act": [
        Case("automation: view", Over.AUTOMATION, "POST")
    ],  # of no act; what each needs: automations/tests/test_automation_pages.py
    "automations:team_automations": [Case("automations of a team: view", Over.ENTITY)],
    "automations:team_automation_new": [
        Case("automations of a team: create", Over.ENTITY, method) for method in ("GET", "POST")
    ],
    "automations:team_automation": [Case("automation: view", Over.TEAM_AUTOMATION)],
    "automations:team_automation_edit": [
        Case("automation: manage", Over.TEAM_AUTOMATION, method) for method in ("GET", "POST")
    ],
    "automations:team_automation_act": [Case("automation: view", Over.TEAM_AUTOMATION, "POST")],
    # billing, plans and limits
    "billing:start": [_SIGNED_IN],
    "billing:own": [_SIGNED_IN],
    "billing:notices_close": [Case(SIGNED_IN, method="POST")],  # of no subscription
    "billing:overview": _of_organization("billing: view"),
    "billing:plans": _of_organization("billing: view"),
    "runs:home": [_SIGNED_IN],
    "runs:first_run": [_SIGNED_IN],
    # addresses of W&B: they lead to pages that check for themselves, or say alike to everybody what there is not
    "wandb:home": [_ANYONE],
    "wandb:signup": [_ANYONE],
    "wandb:profile": [_SIGNED_IN],
    "wandb:organization": [Case(ANYONE, Over.ORGANIZATION)],
    "wandb:projects": [Case(ANYONE, Over.ENTITY)],
    "wandb:workspace": [Case(ANYONE, Over.PROJECT)],
    "wandb:table": [Case(ANYONE, Over.PROJECT)],
    "wandb:group": [Case(ANYONE, Over.PROJECT, args={"group": "seeds"})],
    "wandb:group_workspace": [Case(ANYONE, Over.PROJECT, args={"group": "seeds"})],
    "wandb:run_workspace": [Case(ANYONE, Over.RUN)],
    **{
        f"wandb:{name}": [Case(ANYONE, Over.PROJECT, args=args, answer=Answer.HIDDEN)]
        for name, args in {
            "reports": {},
            "report": {"rest": "Seeds--Vmlldzox"},
            "weave": {},
            "weave_page": {"rest": "traces"},
        }.items()
    },
    "wandb:team_registry": [Case(ANYONE, Over.ENTITY)],
    "wandb:organization_registries": [Case(ANYONE, Over.ORGANIZATION)],
    "wandb:organization_registry": [Case(ANYONE, Over.ORGANIZATION, args={"name": "model"})],
    "wandb:organization_registry_part": [
        Case(ANYONE, Over.ORGANIZATION, args={"name": "model", "rest": "settings"})
    ],
    "weave-server-info": [_ANYONE],
    "weave-nothing": [
        Case(ANYONE, method=method, args={"rest": "calls/query"}, answer=Answer.HIDDEN)
        for method in ("GET", "POST")
    ],
    "runs:logged_by": [Case(ANYONE, args={"username": "team.bot"})],  # only runs that the viewer sees
    "runs:entity": [Case("entity: view", Over.ENTITY)],
    "metrics:run_hardware": [_RUN],
    "metrics:hosts": [Case("entity: view", Over.ENTITY)],  # machines of runs that the viewer sees
    "runs:runs": [_PROJECT],
    "runs:runs_csv": [_PROJECT],
    "runs:runs_jsonl": [_PROJECT],
    "runs:act": [
        Case("projects: view", Over.PROJECT, "POST", args={"act": "delete"})
    ],  # each run is asked for
    "runs:outputs": [_PROJECT],
    "runs:project_overview": [_PROJECT],
    "runs:project_settings": [_PROJECT],
    "runs:run_act": [Case("runs: delete", Over.RUN, "POST", args={"act": "protect"})],
    "runs:run_beside": [Case("runs: view", Over.RUN, args={"way": "next"})],
    "runs:project_update": [Case("projects: edit overview", Over.PROJECT, "POST")],
    "runs:project_rename": [Case("projects: edit overview", Over.PROJECT, "POST")],
    "runs:new_project": [Case("projects: create", Over.ENTITY, method) for method in ("GET", "POST")],
    "runs:project_pin": [Case("projects: pin", Over.PROJECT, "POST")],
    "runs:project_delete": [Case("projects: delete", Over.PROJECT, "POST")],
    "runs:deleted_projects": [Case("entity: view", Over.ENTITY)],
    "runs:project_visibility": [Case("projects: change visibility", Over.PROJECT, "POST")],
    "runs:project_members": [
        Case("projects: see members", Over.PROJECT)
    ],  # of others than restricted ones it leads to the overview
    "runs:project_members_act": [Case("projects: members", Over.PROJECT, "POST", args={"act": "add"})],
    "runs:request_access": [
        Case("team: view", Over.ENTITY, method, {"project": "no-such-project"}, without=_PERSONAL)
        for method in ("GET", "POST")
    ],
    "runs:restricted_projects": _of_team("team: restricted projects"),
    "sweeps:sweeps": [Case("sweeps: view", Over.PROJECT)],
    "sweeps:deleted_sweeps": [
        Case("sweeps: view", Over.PROJECT),  # whoever may delete nothing sees nothing there
        Case(
            "sweeps: view", Over.PROJECT, "POST", answer_to_allowed=Answer.HIDDEN
        ),  # of nothing that there is
    ],
    "sweeps:sweep": [Case("sweeps: view", Over.SWEEP)],
    "sweeps:new_sweep": [Case("sweeps: create", Over.PROJECT, method) for method in ("GET", "POST")],
    "sweeps:edit_sweep": [Case("sweeps: edit", Over.SWEEP, method) for method in ("GET", "POST")],
    "sweeps:sweep_state": [Case("sweeps: stop", Over.SWEEP, "POST")],
    "sweeps:sweep_delete": [Case("sweeps: delete", Over.SWEEP, "POST")],
    "artifacts:artifacts": [Case("artifacts: view", Over.PROJECT)],
    "artifacts:deleted": [
        Case("artifacts: view", Over.PROJECT),  # whoever may delete nothing sees nothing there
        Case(
            "artifacts: view", Over.PROJECT, "POST", answer_to_allowed=Answer.HIDDEN
        ),  # of nothing that there is
    ],
    "artifacts:collection": _artifact("view"),
    "artifacts:collection_update": _artifact("edit", "POST"),
    "artifacts:collection_delete": _artifact("delete", "POST"),
    "artifacts:versions_delete": _artifact("delete", "POST"),
    "artifacts:versions_restore": _artifact("delete", "POST"),
    "artifacts:version": _artifact("view", label="v0"),
    "artifacts:files": _artifact("view", label="v0"),
    "artifacts:file": _artifact("download", label="v0", path="a.txt"),
    "artifacts:lineage": _artifact("view", label="v0"),
    "artifacts:compare": _artifact("download", label="v0"),
    "artifacts:version_update": _artifact("edit", "POST", is_of_project=True, label="v0"),
    "artifacts:version_aliases": _artifact("set aliases", "POST", label="v0"),
    "artifacts:version_delete": _artifact("delete", "POST", is_of_project=True, label="v0"),
    "artifacts:version_link": [
        *_artifact("download", label="v0"),
        *_artifact("download", "POST", label="v0"),
    ],
    "artifacts:registries": [_SIGNED_IN],
    "artifacts:registries_of": [Case("entity: view", Over.ENTITY)],
    "artifacts:new_registry": [
        *_of_organization("organization: registries"),
        *_of_organization("organization: registries", "POST"),
    ],
    "artifacts:new_model_registry": [Case("projects: create", Over.ENTITY, "POST")],
    "artifacts:deleted_registries": [
        _SIGNED_IN,
        Case(SIGNED_IN, method="POST"),
    ],  # those that one may restore
    # a team's; of organizations': artifacts/tests/registries
    "artifacts:registry": _registry("view"),
    "artifacts:registry_as_project": _registry("view", name="$project"),
    "artifacts:registry_members": _registry("view"),
    "artifacts:registry_members_act": [
        case
        for act in ("add", "role", "remove", "everyone")
        for case in _registry("members", "POST", act=act)
    ],
    "automations:of_registry": [Case("automations of a registry: view", Over.REGISTRY)],
    "artifacts:registry_settings": [*_registry("edit"), *_registry("edit", "POST")],
    "artifacts:registry_delete": _registry("delete", "POST"),
    "artifacts:run_artifacts": [_RUN],
    "artifacts:run_file": [_RUN],
    "artifacts:retention": [
        *_of_team("artifacts: set retention"),
        *_of_team("artifacts: set retention", "POST"),
    ],
    "runs:deleted": [_PROJECT],
    "runs:compare": [_PROJECT],
    "runs:project_logs": [_PROJECT],
    "runs:run_short": [_RUN],
    "runs:run_overview": [_RUN],
    "runs:run_logs": [_RUN],
    "runs:run_log_lines": [_RUN],
    "runs:run_log_download": [_RUN],
    "runs:run_code": [_RUN],
    "runs:run_files": [_RUN],
    "runs:run_file": [Case("runs: view", Over.RUN, args={"path": "notes.txt"})],
    "runs:run_files_zip": [_RUN],
    "runs:run_files_delete": [Case("runs: delete files", Over.RUN, "POST")],
    "runs:run_head": [_RUN],
    "runs:run_values": [Case("runs: view", Over.RUN, args={"part": "config"})],
    "runs:run_edit": [Case("runs: update", Over.RUN, "POST")],
    "runs:run_tag": [Case("runs: update", Over.RUN, "POST")],
    "runs:run_tags": [_RUN],
    "runs:run_reveal": [Case("runs: update", Over.RUN, "POST")],
    "runs:run_log_search": [_RUN],
    "runs:run_redact": [Case("runs: delete", Over.RUN, "POST")],
    "runs:run_stop": [Case("runs: stop", Over.RUN, "POST")],
    "metrics:vega_frame": [_ANYONE],
    "metrics:viewer_frame": [Case("anyone", Over.NOTHING, args={"viewer": "plotly"})],
    "metrics:workspace": [_PROJECT],
    "metrics:selector": [_PROJECT],
    "metrics:run_groups": [_PROJECT],
    "metrics:grouped_runs": [_PROJECT],
    "metrics:project_series": [_PROJECT],
    "metrics:project_series_csv": [_PROJECT],
    "metrics:project_keys": [_PROJECT],
    "metrics:project_values": [_PROJECT],
    "metrics:project_histograms": [_PROJECT],
    "metrics:project_code_versions": [_PROJECT],
    "metrics:project_tables": [_PROJECT],
    "metrics:project_tables_csv": [_PROJECT],
    "metrics:project_columns": [_PROJECT],
    "metrics:project_importance": [_PROJECT],
    "metrics:project_markdown": [Case("projects: view", Over.PROJECT, "POST")],
    "metrics:run_workspace": [_RUN],
    "metrics:run_system": [_RUN],
    "metrics:keys": [_RUN],
    "metrics:run_media": [_RUN],
    "metrics:media_keys": [_RUN],
    "metrics:media_values": [_RUN],
    "metrics:media_heat": [_RUN],
    "metrics:media_table": [_RUN],
    "metrics:media_frame": [Case("runs: view", Over.RUN, args={"path": "notes.txt"})],
    "metrics:run_crash": [_RUN],
    "metrics:log_writers": [_RUN],
    "metrics:run_export": [Case("runs: view", Over.RUN, args={"kind": "history", "form": "csv"})],
}

ASKED_ELSEWHERE = {
    "graphql": "tests.matrix.graphql",
    "artifact-file": "wandb_api.tests.views.test_artifact_files",
    "artifact-file-of-version": "wandb_api.tests.views.test_artifact_files",
}
"""URL names whose answer depends on what is posted, or on a key."""

ADMIN_PAGES = {
    "admin:index", "admin:login", "admin:logout", "admin:password_change", "admin:password_change_done",
    "admin:autocomplete", "admin:jsi18n", "admin:view_on_site", "admin:app_list", "admin:", "admin:system",
}  # fmt: skip
"""Pages of the admin itself; all are for operators, see `ADMIN_MODELS`."""

ADMIN_MODELS = {
    "access_auditentry", "accounts_user", "accounts_apikey", "accounts_name", "accounts_outboxmail",
    "accounts_signinprovider", "account_emailaddress", "usersessions_usersession", "socialaccount_socialaccount",
    "teams_organization", "teams_organizationmember", "teams_team", "teams_membership", "teams_role",
    "teams_invitation", "teams_serviceaccount", "teams_groupmapping", "storage_blob", "storage_bucket",
    "storage_bucketmove", "storage_byteentry", "storage_holding",
    "runs_project", "runs_run", "runs_runfile", "runs_savedview", "runs_storedchart", "exports_export",
    "metrics_stream", "metrics_sequence", "automations_automation", "alerts_delivery", "alerts_destination",
    "alerts_event", "alerts_message", "alerts_alertsettings", "alerts_mute",
    # billing, plans
    "billing_plan", "billing_subscription",
    # invoices of billing
    "billing_invoice", "billing_payment", "billing_paymentmethod", "billing_periodclose", "billing_usagealert",
    "billing_noticedismissal",
    # usage: ledgers and prices; billing admins
    "billing_billingadmin", "usage_internalprices", "usage_trackedinterval", "usage_reportedtime",
    "usage_ingestionentry", "usage_hardwareuse", "usage_hardwareshift", "usage_gpuclaim", "usage_usageday",
    "usage_teamday", "usage_meterstate", "billing_gatewayevent",
    "artifacts_collection", "artifacts_version", "artifacts_content", "artifacts_retentionpolicy",
    "artifacts_registry", "artifacts_registrymember", "artifacts_protectedalias",
    "sweeps_sweep", "sweeps_sweepagent", "sweeps_trial",
}  # fmt: skip
"""Models in the admin: "system settings; any organization; plans" are S's row of TEAM-21."""

ADMIN_ACTS = {
    "accounts_user", "accounts_apikey", "accounts_outboxmail", "account_emailaddress", "usersessions_usersession",
    "teams_organization", "teams_organizationmember", "teams_team", "teams_membership", "teams_invitation",
    "runs_project", "runs_run", "exports_export", "alerts_message", "billing_invoice", "billing_billingadmin",
    "billing_subscription",
}  # fmt: skip
"""Models with a page for what operators do to one row."""

ADMIN = Case(OPERATOR)
