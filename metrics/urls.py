"""Routes of workspaces, charts and their data."""

from django.urls import path

from common.web.url_paths import chosen
from metrics.views import (
    code,
    diagnostics,
    downloads,
    frames,
    groups,
    histograms,
    hosts,
    media,
    run,
    run_columns,
    tables,
    texts,
    workspace,
)
from runs.names.run_ids import RUN_ROUTE

app_name = "metrics"
_PROJECT = "<str:entity>/<str:project>"
urlpatterns = [
    path("frames/vega", frames.vega_frame, name="vega_frame"),
    path("frames/<str:viewer>", frames.viewer_frame, name="viewer_frame"),
    path("hosts/<str:entity>", hosts.hosts, name="hosts"),
    path(_PROJECT, workspace.workspace, name="workspace"),
    path(f"{_PROJECT}/selector", workspace.selector, name="selector"),
    path(f"{_PROJECT}/selector/groups", groups.run_groups, name="run_groups"),
    path(f"{_PROJECT}/selector/groups/runs", groups.grouped_runs, name="grouped_runs"),
    path(f"{_PROJECT}/series", workspace.series, name="project_series"),
    path(f"{_PROJECT}/series.csv", workspace.series_csv, name="project_series_csv"),
    path(f"{_PROJECT}/keys", workspace.keys, name="project_keys"),
    path(f"{_PROJECT}/values", workspace.values, name="project_values"),
    path(f"{_PROJECT}/histograms", histograms.overlay, name="project_histograms"),
    path(f"{_PROJECT}/code-versions", code.code_versions, name="project_code_versions"),
    path(f"{_PROJECT}/tables", tables.project_tables, name="project_tables"),
    path(f"{_PROJECT}/tables.csv", tables.project_tables_csv, name="project_tables_csv"),
    path(f"{_PROJECT}/columns", run_columns.columns, name="project_columns"),
    path(f"{_PROJECT}/importance", run_columns.importance, name="project_importance"),
    path(f"{_PROJECT}/markdown", texts.markdown, name="project_markdown"),
    path(RUN_ROUTE, run.run_workspace, name="run_workspace"),
    path(f"{RUN_ROUTE}/system", run.run_system, name="run_system"),
    path(f"{RUN_ROUTE}/keys", run.keys, name="keys"),
    path(f"{RUN_ROUTE}/media", media.run_media, name="run_media"),
    path(f"{RUN_ROUTE}/media/keys", media.media_keys, name="media_keys"),
    path(f"{RUN_ROUTE}/media/values", media.media_values, name="media_values"),
    path(f"{RUN_ROUTE}/media/heat", media.media_heat, name="media_heat"),
    path(f"{RUN_ROUTE}/media/table", tables.run_table, name="media_table"),
    path(f"{RUN_ROUTE}/media/frame/{chosen('path')}", media.media_frame, name="media_frame"),
    path(f"{RUN_ROUTE}/hardware", hosts.run_hardware, name="run_hardware"),
    path(f"{RUN_ROUTE}/end", diagnostics.run_crash, name="run_crash"),
    path(f"{RUN_ROUTE}/logs/writers", diagnostics.log_writers, name="log_writers"),
    path(f"{RUN_ROUTE}/export/<str:kind>.<str:form>", downloads.run_export, name="run_export"),
]
