"""Routes of projects and runs. They end in names that people choose, so they are included last."""

from django.urls import path

from common.web.url_paths import chosen
from runs.names.run_ids import RUN_ROUTE
from runs.table import exports
from runs.views import (
    bulk_actions,
    code,
    entity,
    files,
    home,
    logged_by,
    logs,
    new_project,
    project,
    project_deletion,
    project_members,
    run,
    table,
)

app_name = "runs"
_PROJECT = "<str:entity>/<str:project>"
urlpatterns = [
    path("", home.home, name="home"),
    path("quickstart", home.first_run, name="first_run"),
    path("projects/<str:entity>/deleted", project_deletion.deleted_projects, name="deleted_projects"),
    path("projects/<str:entity>/new", new_project.new_project, name="new_project"),
    path(
        "teams/<str:entity>/restricted-projects",
        project_members.restricted_projects,
        name="restricted_projects",
    ),
    path("users/<str:username>/logged", logged_by.logged_by, name="logged_by"),
    path("<str:entity>", entity.entity, name="entity"),
    path(f"{_PROJECT}/runs.csv", exports.runs_csv, name="runs_csv"),
    path(f"{_PROJECT}/runs.jsonl", exports.runs_jsonl, name="runs_jsonl"),
    path(f"{_PROJECT}/runs", table.runs, name="runs"),
    path(f"{_PROJECT}/acts/<str:act>", bulk_actions.perform_bulk_action, name="act"),
    path(f"{_PROJECT}/overview", project.overview, name="project_overview"),
    path(f"{_PROJECT}/settings", project.project_settings, name="project_settings"),
    path(f"{_PROJECT}/overview/update", project.update, name="project_update"),
    path(f"{_PROJECT}/overview/rename", project.rename, name="project_rename"),
    path(f"{_PROJECT}/overview/pin", entity.project_pin, name="project_pin"),
    path(f"{_PROJECT}/overview/visibility", project.change_visibility, name="project_visibility"),
    path(f"{_PROJECT}/overview/delete", project_deletion.delete, name="project_delete"),
    path(f"{_PROJECT}/members", project_members.members, name="project_members"),
    path(f"{_PROJECT}/members/<str:act>", project_members.perform_member_action, name="project_members_act"),
    path(f"{_PROJECT}/access", project_members.request_access, name="request_access"),
    path(f"{_PROJECT}/deleted", project.deleted, name="deleted"),
    path(f"{_PROJECT}/logs", logs.project_logs, name="project_logs"),
    path(f"{_PROJECT}/outputs", bulk_actions.outputs, name="outputs"),
    path(f"{_PROJECT}/compare", project.compare, name="compare"),
    path(f"{RUN_ROUTE}/overview", run.run_overview, name="run_overview"),
    path(f"{RUN_ROUTE}/head", run.run_head, name="run_head"),
    path(f"{RUN_ROUTE}/values/<str:part>", run.run_values, name="run_values"),
    path(f"{RUN_ROUTE}/edit", run.run_edit, name="run_edit"),
    path(f"{RUN_ROUTE}/tag", run.run_tag, name="run_tag"),
    path(f"{RUN_ROUTE}/tags", run.run_tags, name="run_tags"),
    path(f"{RUN_ROUTE}/reveal", run.run_reveal, name="run_reveal"),
    path(f"{RUN_ROUTE}/redact", run.run_redact, name="run_redact"),
    path(f"{RUN_ROUTE}/act/<str:act>", bulk_actions.perform_run_action, name="run_act"),
    path(f"{RUN_ROUTE}/beside/<str:way>", bulk_actions.run_beside, name="run_beside"),
    path(f"{RUN_ROUTE}/stop", run.run_stop, name="run_stop"),
    path(f"{RUN_ROUTE}/logs", logs.run_logs, name="run_logs"),
    path(f"{RUN_ROUTE}/logs/lines", logs.run_log_lines, name="run_log_lines"),
    path(f"{RUN_ROUTE}/logs/search", logs.run_log_search, name="run_log_search"),
    path(f"{RUN_ROUTE}/logs/download", logs.run_log_download, name="run_log_download"),
    path(f"{RUN_ROUTE}/code", code.run_code, name="run_code"),
    path(f"{RUN_ROUTE}/files", files.run_files, name="run_files"),
    path(f"{RUN_ROUTE}/files.zip", files.run_files_zip, name="run_files_zip"),
    path(f"{RUN_ROUTE}/delete-files", files.run_files_delete, name="run_files_delete"),
    path(f"{RUN_ROUTE}/files/{chosen('path')}", files.run_file, name="run_file"),
    path(f"{_PROJECT}/<run_id:uid>", run.run_short, name="run_short"),
]
