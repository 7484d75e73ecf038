"""Routes of projects and runs. They end in names that people choose, so they are included last."""

from django.urls import path

from runs import act_views, exports, file_views, log_views, project_views, run_views, views

app_name = "runs"
_PROJECT = "<str:entity>/<str:project>"
_RUN = f"{_PROJECT}/runs/<str:uid>"
urlpatterns = [
    path("", views.home, name="home"),
    path("<str:entity>", views.entity, name="entity"),
    path(_PROJECT, views.project, name="project"),
    path(f"{_PROJECT}/runs.csv", exports.runs_csv, name="runs_csv"),
    path(f"{_PROJECT}/runs.jsonl", exports.runs_jsonl, name="runs_jsonl"),
    path(f"{_PROJECT}/runs", views.project, name="runs"),
    path(f"{_PROJECT}/runs/acts/<str:act>", act_views.act_on_runs, name="act"),
    path(f"{_PROJECT}/overview", project_views.overview, name="project_overview"),
    path(f"{_PROJECT}/overview/update", project_views.update, name="project_update"),
    path(f"{_PROJECT}/overview/visibility", project_views.change_visibility, name="project_visibility"),
    path(f"{_PROJECT}/deleted", project_views.deleted, name="deleted"),
    path(f"{_PROJECT}/compare", project_views.compare, name="compare"),
    path(f"{_RUN}/overview", run_views.run_overview, name="run_overview"),
    path(f"{_RUN}/head", run_views.run_head, name="run_head"),
    path(f"{_RUN}/values/<str:part>", run_views.run_values, name="run_values"),
    path(f"{_RUN}/edit", run_views.run_edit, name="run_edit"),
    path(f"{_RUN}/tag", run_views.run_tag, name="run_tag"),
    path(f"{_RUN}/tags", run_views.run_tags, name="run_tags"),
    path(f"{_RUN}/reveal", run_views.run_reveal, name="run_reveal"),
    path(f"{_RUN}/stop", run_views.run_stop, name="run_stop"),
    path(f"{_RUN}/logs", log_views.run_logs, name="run_logs"),
    path(f"{_RUN}/logs/lines", log_views.run_log_lines, name="run_log_lines"),
    path(f"{_RUN}/logs/search", log_views.run_log_search, name="run_log_search"),
    path(f"{_RUN}/logs/download", log_views.run_log_download, name="run_log_download"),
    path(f"{_RUN}/files", file_views.run_files, name="run_files"),
    path(f"{_RUN}/files.zip", file_views.run_files_zip, name="run_files_zip"),
    path(f"{_RUN}/delete-files", file_views.run_files_delete, name="run_files_delete"),
    path(f"{_RUN}/files/<path:path>", file_views.run_file, name="run_file"),
    path(f"{_PROJECT}/<str:uid>", run_views.run_short, name="run_short"),
]
