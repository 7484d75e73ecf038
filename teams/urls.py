"""Routes of teams' own pages."""

from django.urls import path

from teams import views

app_name = "teams"
urlpatterns = [
    path("invitations/<str:token>", views.invitation, name="invitation"),
    path("invitations/<str:token>/accept", views.invitation_accept, name="invitation_accept"),
    path("invitations/<str:token>/decline", views.invitation_decline, name="invitation_decline"),
]
