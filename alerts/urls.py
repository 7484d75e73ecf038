"""Routes of alerts, destinations and secrets."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from alerts.access import AlertAction
from alerts.views import destinations, history, secrets, settings, slack, unsubscribe
from runs.names.run_ids import RUN_ROUTE
from teams.scope import ScopedPages, own_scope, team_scope


class NewKindConverter(StringConverter):
    """The kinds of destinations that a form adds."""

    regex = "slack|webhook"


register_converter(NewKindConverter, "new_destination_kind")

app_name = "alerts"
_OWN, _TEAM = "settings/alerts", "teams/<str:entity>"
_OF_TEAM = team_scope(f"{_TEAM}/destinations", AlertAction.MANAGE)
_DESTINATIONS = ScopedPages(app_name, own_scope(f"{_OWN}/destinations"), _OF_TEAM)
_DESTINATION_ACTIONS = ScopedPages(app_name, own_scope(f"{_OWN}/destinations", AlertAction.MANAGE), _OF_TEAM)
_SLACK = ScopedPages(
    app_name,
    own_scope("slack/connect"),
    team_scope("slack/connect/<str:entity>", AlertAction.MANAGE),
)
_SECRETS_OF_TEAM = team_scope(f"{_TEAM}/secrets", AlertAction.MANAGE_SECRETS)
_SECRETS = ScopedPages(app_name, own_scope(f"{_OWN}/secrets"), _SECRETS_OF_TEAM)
_SECRET_ACTIONS = ScopedPages(
    app_name, own_scope(f"{_OWN}/secrets", AlertAction.MANAGE_SECRETS), _SECRETS_OF_TEAM
)
urlpatterns = [
    *_DESTINATIONS.paths("destinations", "", destinations.destination_list),
    *_DESTINATIONS.paths("payload_check", "/payload", destinations.check_payload),
    *_DESTINATIONS.paths("destination", "/<int:pk>", destinations.detail),
    *_DESTINATION_ACTIONS.paths("destination_act", "/<int:pk>/act", destinations.perform),
    *_DESTINATIONS.paths("destination_new", "/new/<new_destination_kind:kind>", destinations.new),
    *_SECRETS.paths("secrets", "", secrets.secret_list),
    *_SECRET_ACTIONS.paths("secret_act", "/<int:pk>", secrets.perform),
    *_SLACK.paths("slack_connect", "", destinations.connect),
    path("slack/callback", slack.callback, name="slack_callback"),
    path("settings/alerts", settings.own, name="own"),
    path("teams/<str:entity>/alerts", settings.of_team, name="team"),
    path("settings/alerts/routes/<int:pk>/end", settings.end_route, name="route_end"),
    path("settings/alerts/mute", settings.mute, name="mute"),
    path(f"{RUN_ROUTE}/told", history.notifications_of_run, name="run_told"),
    path("unsubscribe/<str:token>", unsubscribe.unsubscribe, name="unsubscribe"),
]
