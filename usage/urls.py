"""Routes of the pages of usage."""

from django.urls import path

from usage.views import chargeback, reports, storage

app_name = "usage"
_BILLING = "organizations/<str:entity>/billing"
urlpatterns = [
    # usage and chargeback
    path(f"{_BILLING}/usage", reports.organization, name="usage"),
    path(f"{_BILLING}/usage.csv", reports.organization_csv, name="usage_csv"),
    path(f"{_BILLING}/chargeback", chargeback.page, name="chargeback"),
    path(f"{_BILLING}/chargeback.csv", chargeback.as_csv, name="chargeback_csv"),
    path(f"{_BILLING}/chargeback/prices", chargeback.prices, name="chargeback_prices"),
    path("teams/<str:entity>/usage", reports.team, name="team_usage"),
    path("teams/<str:entity>/usage.csv", reports.team_csv, name="team_usage_csv"),
    # storage
    path("settings/storage", storage.own, name="own_storage"),
    path("settings/storage/<str:project>", storage.own_project, name="own_storage_project"),
    path("teams/<str:entity>/storage", storage.of_team, name="team_storage"),
    path("teams/<str:entity>/storage/<str:project>", storage.project_of_team, name="team_storage_project"),
]
