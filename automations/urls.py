"""Routes of automations."""

from django.urls import path

from automations.access import AutomationAction
from automations.views import automations, editor
from automations.views.scope import scoped_pages

app_name = "automations"
_VIEW = scoped_pages(AutomationAction.VIEW)
_CREATE = scoped_pages(AutomationAction.CREATE)
_MANAGE = scoped_pages(AutomationAction.MANAGE)
urlpatterns = [
    path("registry/<str:entity>/<str:name>/automations", automations.of_registry, name="of_registry"),
    path("settings/automations", automations.own, name="own_automations"),
    *_VIEW.paths("automations", "", automations.automation_list),
    *_CREATE.paths("automation_new", "/new", editor.new),
    *_VIEW.paths("automation", "/<int:pk>", automations.detail),
    *_MANAGE.paths("automation_edit", "/<int:pk>/edit", editor.edit),
    *_VIEW.paths("automation_act", "/<int:pk>/act", automations.perform),
]
