"""Routes of alerts, destinations and secrets."""

from django.urls import path, re_path

from alerts.views import destinations, history, secrets, settings, slack, unsubscribe
from runs.names.run_ids import RUN_ROUTE

app_name = "alerts"
urlpatterns = [
    path("teams/<str:entity>/destinations", destinations.of_team, name="destinations"),
    path("teams/<str:entity>/destinations/payload", destinations.check_of_team, name="payload_check"),
    path("teams/<str:entity>/destinations/<int:pk>", destinations.one_of_team, name="destination"),
    path("teams/<str:entity>/destinations/<int:pk>/act", destinations.act_of_team, name="destination_act"),
    re_path(
        r"^teams/(?P<entity>[^/]+)/destinations/new/(?P<kind>slack|webhook)$",
        destinations.new_of_team,
        name="destination_new",
    ),
    path("teams/<str:entity>/secrets", secrets.of_team, name="secrets"),
    path("teams/<str:entity>/secrets/<int:pk>", secrets.act_of_team, name="secret_act"),
    path("slack/connect/<str:entity>", destinations.connect_of_team, name="slack_connect"),
    path("slack/connect", destinations.own_connect, name="own_slack_connect"),
    path("slack/callback", slack.callback, name="slack_callback"),
    path("settings/alerts/destinations", destinations.own, name="own_destinations"),
    path("settings/alerts/destinations/payload", destinations.own_check, name="own_payload_check"),
    path("settings/alerts/destinations/<int:pk>", destinations.own_one, name="own_destination"),
    path("settings/alerts/destinations/<int:pk>/act", destinations.own_act, name="own_destination_act"),
    re_path(
        r"^settings/alerts/destinations/new/(?P<kind>slack|webhook)$",
        destinations.own_new,
        name="own_destination_new",
    ),
    path("settings/alerts/secrets", secrets.own, name="own_secrets"),
    path("settings/alerts/secrets/<int:pk>", secrets.own_act, name="own_secret_act"),
    path("settings/alerts", settings.own, name="own"),
    path("teams/<str:entity>/alerts", settings.of_team, name="team"),
    path("settings/alerts/routes/<int:pk>/end", settings.end_route, name="route_end"),
    path("settings/alerts/mute", settings.mute, name="mute"),
    path(f"{RUN_ROUTE}/told", history.run_told, name="run_told"),
    path("unsubscribe/<str:token>", unsubscribe.unsubscribe, name="unsubscribe"),
]
