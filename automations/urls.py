"""Routes of automations."""

from django.urls import path

from automations.views import automations, editor

app_name = "automations"
_PROJECT = "<str:entity>/<str:project>/automations"
_TEAM = "teams/<str:entity>/automations"
urlpatterns = [
    path("settings/automations", automations.own, name="own_automations"),
    path(_TEAM, automations.of_team, name="team_automations"),
    path(f"{_TEAM}/new", editor.new_in_team, name="team_automation_new"),
    path(f"{_TEAM}/<int:pk>", automations.one_of_team, name="team_automation"),
    path(f"{_TEAM}/<int:pk>/edit", editor.edit_in_team, name="team_automation_edit"),
    path(f"{_TEAM}/<int:pk>/act", automations.act_of_team, name="team_automation_act"),
    path(_PROJECT, automations.of_project, name="automations"),
    path(f"{_PROJECT}/new", editor.new_in_project, name="automation_new"),
    path(f"{_PROJECT}/<int:pk>", automations.one_of_project, name="automation"),
    path(f"{_PROJECT}/<int:pk>/edit", editor.edit_in_project, name="automation_edit"),
    path(f"{_PROJECT}/<int:pk>/act", automations.act_of_project, name="automation_act"),
]
