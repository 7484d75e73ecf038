"""Routes of the pages of usage."""

from django.urls import path

from teams.access import TeamAction
from teams.scope import ScopedPages, own_scope, team_scope
from usage.views import chargeback, reports, storage

app_name = "usage"
_BILLING = "organizations/<str:entity>/billing"
_STORAGE = ScopedPages(
    app_name,
    own_scope("settings/storage"),
    team_scope("teams/<str:entity>/storage", TeamAction.VIEW_USAGE, named="team_{}"),
)
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
    *_STORAGE.paths("storage", "", storage.storage),
    *_STORAGE.paths("storage_project", "/<str:project>", storage.project_storage),
]
