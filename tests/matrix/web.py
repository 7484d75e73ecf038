"""Web pages and what they load: URL name (or "/" and the pattern where there is none) to how it is used."""

from tests.matrix.cases import Answer, Case, Over
from tests.matrix.permissions import ANYONE, OPERATOR, SIGNED_IN

_SIGN_IN = Case(ANYONE, answer=Answer.LOGIN)
_ANYONE, _SIGNED_IN = Case(ANYONE), Case(SIGNED_IN)
_PROJECT = Case("projects: view", Over.PROJECT)
_RUN = Case("runs: view", Over.RUN)

ROUTES: dict[str, list[Case]] = {
    "/healthz": [_ANYONE],
    "/ready": [_ANYONE],
    "/metrics": [
        Case(OPERATOR)
    ],  # of sessions; who has the token is no actor, see access/tests/test_telemetry.py
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
    "account_reset_password_from_key": [Case(ANYONE, args={"uidb36": "1", "key": "no-such-key"})],
    "account_reset_password_from_key_done": [_ANYONE],
    "account_confirm_login_code": [
        _SIGNED_IN
    ],  # with no code under way it leads to the sign-in page, or home
    "account_confirm_email": [Case(ANYONE, args={"key": "no-such-key"})],
    "accounts:search": [_ANYONE],
    "accounts:authorize": [_SIGNED_IN],
    "accounts:api_keys": [_SIGNED_IN],
    "accounts:api_key_delete": [Case("keys: delete own", Over.KEY, "POST")],
    # the link is the credential: who has it reads it and may decline; accepting takes the invited account
    "teams:invitation": [
        Case("invitation: open", Over.INVITATION),
        Case(ANYONE, args={"token": "no-such-token"}, answer=Answer.HIDDEN),
    ],
    "teams:invitation_accept": [Case("invitation: accept", Over.INVITATION, "POST")],
    "teams:invitation_decline": [Case(ANYONE, Over.INVITATION, "POST")],
    "runs:home": [_SIGNED_IN],
    "runs:entity": [Case("entity: view", Over.ENTITY)],
    "runs:project": [_PROJECT],
    "runs:runs": [_PROJECT],
    "runs:runs_csv": [_PROJECT],
    "runs:runs_jsonl": [_PROJECT],
    "runs:act": [
        Case("projects: view", Over.PROJECT, "POST", args={"act": "delete"})
    ],  # each run is asked for
    "runs:project_overview": [_PROJECT],
    "runs:project_update": [Case("projects: edit overview", Over.PROJECT, "POST")],
    "runs:project_visibility": [Case("projects: change visibility", Over.PROJECT, "POST")],
    "runs:deleted": [_PROJECT],
    "runs:compare": [_PROJECT],
    "runs:run_short": [_RUN],
    "runs:run_overview": [_RUN],
    "runs:run_logs": [_RUN],
    "runs:run_log_lines": [_RUN],
    "runs:run_log_download": [_RUN],
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
    "runs:run_stop": [Case("runs: stop", Over.RUN, "POST")],
    "metrics:workspace": [_PROJECT],
    "metrics:selector": [_PROJECT],
    "metrics:project_series": [_PROJECT],
    "metrics:project_keys": [_PROJECT],
    "metrics:project_values": [_PROJECT],
    "metrics:run_workspace": [_RUN],
    "metrics:run_system": [_RUN],
    "metrics:series": [_RUN],
    "metrics:keys": [_RUN],
    "metrics:run_media": [_RUN],
    "metrics:media_keys": [_RUN],
    "metrics:media_values": [_RUN],
    "metrics:media_heat": [_RUN],
    "metrics:media_files": [_RUN],
    "metrics:media_frame": [Case("runs: view", Over.RUN, args={"kind": "html", "path": "notes.txt"})],
    "metrics:run_crash": [_RUN],
    "metrics:log_writers": [_RUN],
    "metrics:run_export": [Case("runs: view", Over.RUN, args={"kind": "history", "form": "csv"})],
}

ASKED_ELSEWHERE = {"graphql": "tests.matrix.graphql"}
"""URL names whose answer depends on what is posted."""

ADMIN_PAGES = {
    "admin:index", "admin:login", "admin:logout", "admin:password_change", "admin:password_change_done",
    "admin:autocomplete", "admin:jsi18n", "admin:view_on_site", "admin:app_list", "admin:",
}  # fmt: skip
"""Pages of the admin itself; all are for operators, see `ADMIN_MODELS`."""

ADMIN_MODELS = {
    "access_auditentry", "accounts_user", "accounts_apikey", "accounts_name", "teams_organization", "teams_team",
    "teams_role", "teams_invitation", "teams_serviceaccount", "storage_blob", "storage_byteentry", "runs_project",
    "runs_run", "runs_runfile", "metrics_stream", "metrics_sequence", "account_emailaddress",
}  # fmt: skip
"""Models in the admin: "system settings; any organization; plans" are S's row of TEAM-21."""

ADMIN = Case(OPERATOR)
