"""Routes of the Export sections."""

from django.urls import path

from exports import views

app_name = "exports"
urlpatterns = [
    path("settings/export", views.own, name="own"),
    path("teams/<str:entity>/export", views.team_exports, name="team"),
    path("exports/<int:pk>/cancel", views.cancel, name="cancel"),
    path("exports/<int:pk>/download", views.download, name="download"),
]
