"""Routes of workspaces, charts and their data."""

from django.urls import path

from metrics import views, workspace

app_name = "metrics"
_PROJECT = "<str:entity>/<str:project>"
_RUN = f"{_PROJECT}/runs/<str:uid>"
urlpatterns = [
    path(_PROJECT, workspace.workspace, name="workspace"),
    path(f"{_PROJECT}/selector", workspace.selector, name="selector"),
    path(f"{_PROJECT}/series", workspace.series, name="project_series"),
    path(f"{_PROJECT}/keys", workspace.keys, name="project_keys"),
    path(f"{_PROJECT}/values", workspace.values, name="project_values"),
    path(_RUN, views.run_workspace, name="run_workspace"),
    path(f"{_RUN}/system", views.run_system, name="run_system"),
    path(f"{_RUN}/series", views.series, name="series"),
    path(f"{_RUN}/keys", views.keys, name="keys"),
]
