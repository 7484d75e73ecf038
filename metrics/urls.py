"""Routes of charts and their data."""

from django.urls import path

from metrics import views

app_name = "metrics"
_RUN = "<str:entity>/<str:project>/runs/<str:uid>"
urlpatterns = [
    path(_RUN, views.run_workspace, name="run_workspace"),
    path(f"{_RUN}/system", views.run_system, name="run_system"),
    path(f"{_RUN}/series", views.series, name="series"),
    path(f"{_RUN}/keys", views.keys, name="keys"),
]
