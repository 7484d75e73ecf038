"""Routes of workspaces, charts and their data."""

from django.urls import path

from metrics import download_views, end_views, media_views, views, workspace

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
    path(f"{_RUN}/media", media_views.run_media, name="run_media"),
    path(f"{_RUN}/media/keys", media_views.media_keys, name="media_keys"),
    path(f"{_RUN}/media/values", media_views.media_values, name="media_values"),
    path(f"{_RUN}/media/heat", media_views.media_heat, name="media_heat"),
    path(f"{_RUN}/media/files", media_views.media_files, name="media_files"),
    path(f"{_RUN}/media/frame/<str:kind>/<path:path>", media_views.media_frame, name="media_frame"),
    path(f"{_RUN}/end", end_views.run_crash, name="run_crash"),
    path(f"{_RUN}/logs/writers", end_views.log_writers, name="log_writers"),
    path(f"{_RUN}/export/<str:kind>.<str:form>", download_views.run_export, name="run_export"),
]
