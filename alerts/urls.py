"""Routes of alerts."""

from django.urls import path

from alerts.views import settings, told, unsubscribing

app_name = "alerts"
urlpatterns = [
    path("settings/alerts", settings.own, name="own"),
    path("teams/<str:entity>/alerts", settings.of_team, name="team"),
    path("settings/alerts/routes/<int:pk>/end", settings.end_route, name="route_end"),
    path("settings/alerts/mute", settings.mute, name="mute"),
    path("<str:entity>/<str:project>/runs/<str:uid>/told", told.run_told, name="run_told"),
    path("unsubscribe/<str:token>", unsubscribing.unsubscribe, name="unsubscribe"),
]
