"""Automations for operators (TEAM-21). When one acted last for a run has no page: its messages say it."""

from django.contrib import admin

from accounts.operators.admin_actions import ServedAdmin
from automations.models import Automation


@admin.register(Automation)
class AutomationAdmin(ServedAdmin[Automation]):
    """What happens by itself when runs change or metrics meet conditions."""

    list_display = ["name", "team", "project", "event", "action", "destination", "is_on", "last_fired_at"]
    list_filter = ["event", "action", "is_on"]
    list_select_related = ["team", "project", "destination"]
    search_fields = ["name", "team__name", "project__name"]
    related = (("Alert messages", "alerts_message", "automation__id__exact"),)
