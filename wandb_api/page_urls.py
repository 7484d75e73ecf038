"""W&B's addresses of pages (`wandb_api.views.pages`); they come before pages that end in names people choose."""

from django.urls import path

from access.web.requests import redirecting_view
from common.web.url_paths import chosen
from runs.names.run_ids import RUN_ROUTE
from wandb_api.views import pages, registries

app_name = "wandb"
_PROJECT = "<str:entity>/<str:project>"
urlpatterns = [
    path("home", redirecting_view("runs:home"), name="home"),
    path("signup", redirecting_view("account_signup"), name="signup"),
    path("profile", pages.own_page, name="profile"),
    path("orgs/<str:entity>", redirecting_view("teams:organization"), name="organization"),
    path("<str:entity>/projects", pages.projects, name="projects"),
    path(f"{_PROJECT}/workspace", redirecting_view("metrics:workspace"), name="workspace"),
    path(f"{_PROJECT}/table", redirecting_view("runs:runs"), name="table"),
    path(f"{_PROJECT}/groups/{chosen('group')}/workspace", pages.group, name="group_workspace"),
    path(f"{_PROJECT}/groups/{chosen('group')}", pages.group, name="group"),
    path(f"{RUN_ROUTE}/workspace", redirecting_view("metrics:run_workspace"), name="run_workspace"),
    path("<str:entity>/registry/model", registries.model_registry, name="team_registry"),
    path(
        "orgs/<str:entity>/registry",
        redirecting_view("artifacts:registries_of"),
        name="organization_registries",
    ),
    path("orgs/<str:entity>/registry/<str:name>", registries.registry, name="organization_registry"),
    path(
        f"orgs/<str:entity>/registry/<str:name>/{chosen('rest')}",
        registries.registry,
        name="organization_registry_part",
    ),
    # what is not part of Runyard
    path(f"{_PROJECT}/reports", pages.reports, name="reports"),
    path(f"{_PROJECT}/reports/{chosen('rest')}", pages.reports, name="report"),
    path(f"{_PROJECT}/weave", pages.weave, name="weave"),
    path(f"{_PROJECT}/weave/{chosen('rest')}", pages.weave, name="weave_page"),
]
