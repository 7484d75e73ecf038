"""Alerts for operators: who is told of what, what waits, and why it fails (TEAM-21, ALR-5).

Routes are shown with their settings. Secrets of teams have no page: nobody reads them again, and their names are the
team's.
"""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.operators.admin_actions import AdminAction, ServedAdmin
from alerts.models import AlertSettings, Delivery, Destination, Event, Message, MessageState, Mute, Route
from alerts.outbox.services import retry_message
from common.admin import ReadOnlyMixin
from teams.admin.model_admins import counted


class RouteInline(ReadOnlyMixin, admin.TabularInline[Route, AlertSettings]):
    """Where alerts go besides mail."""

    model = Route
    fields = ["destination", "project", "tag"]
    extra = 0


@admin.register(AlertSettings)
class AlertSettingsAdmin(ServedAdmin[AlertSettings]):
    """What people and teams are told of."""

    list_display = [
        "__str__", "on_finished", "on_crashed", "on_killed", "on_sweeps", "on_scripted", "least_level",
        "by_email", "route_count",
    ]  # fmt: skip
    list_filter = ["by_email", "on_finished", "on_crashed", "on_killed", "on_sweeps", "on_scripted"]
    list_select_related = ["user", "team"]
    search_fields = ["user__username", "team__name"]
    inlines = [RouteInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[AlertSettings]:
        """Count in the list's own query."""
        return super().get_queryset(request).annotate(n_routes=counted(Route, "settings"))

    @admin.display(description="destinations", ordering="n_routes")
    def route_count(self, row: AlertSettings) -> int:
        """Show how many ways it has besides mail."""
        return int(getattr(row, "n_routes", 0))


@admin.register(Mute)
class MuteAdmin(ServedAdmin[Mute]):
    """What people want no mail about."""

    list_display = ["user", "project", "team", "created_at"]
    list_select_related = ["user", "project", "team"]
    search_fields = ["user__username", "project__name", "team__name"]


@admin.register(Destination)
class DestinationAdmin(ServedAdmin[Destination]):
    """Slack channels and webhooks, without their addresses: whoever knows one can post to it."""

    list_display = ["name", "team", "kind", "place", "is_on", "last_sent_at", "last_error", "last_error_at"]
    list_filter = ["kind", "is_on", ("last_error_at", admin.EmptyFieldListFilter)]
    list_select_related = ["team"]
    search_fields = ["name", "place", "team__name", "last_error"]
    exclude = ["sealed_url"]
    related = (
        ("Alert messages", "alerts_message", "destination__id__exact"),
        ("Automations", "automations_automation", "destination__id__exact"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Destination]:
        """Leave addresses out, even sealed."""
        return super().get_queryset(request).defer("sealed_url")


@admin.register(Event)
class EventAdmin(ServedAdmin[Event]):
    """What happened, and whether its recipients were found."""

    list_display = ["at", "kind", "team", "project", "run", "routed_at", "uid"]
    list_filter = ["kind", ("routed_at", admin.EmptyFieldListFilter), "at"]
    list_select_related = ["team", "project", "run"]
    search_fields = ["uid", "run__uid", "project__name", "team__name"]
    exclude = ["data"]


@admin.register(Message)
class MessageAdmin(ServedAdmin[Message]):
    """What was, or is to be, sent to whom, with the last error."""

    list_display = [
        "recipient", "user", "destination", "automation", "state", "attempt_count", "send_at", "ended_at", "error"
    ]  # fmt: skip
    list_filter = ["state", "destination__kind", "send_at"]
    list_select_related = ["user", "destination", "automation"]
    search_fields = ["recipient", "uid", "user__username", "destination__name", "automation__name", "error"]
    date_hierarchy = "opened_at"
    exclude = ["request", "response"]
    acts = (
        AdminAction(slug="retry", label="Resend message", in_bulk=True,
            fits=lambda row: row.state == MessageState.FAILED, text="It is tried again, as many times as at first.",
            do=lambda doing: _without_message(retry_message(actor=doing.actor, message=doing.row))),
    )  # fmt: skip
    related = (("Alert deliveries", "alerts_delivery", "message__id__exact"),)


@admin.register(Delivery)
class DeliveryAdmin(ServedAdmin[Delivery]):
    """Which events were told to whom."""

    list_display = ["event", "recipient", "message"]
    list_select_related = ["event", "message"]
    search_fields = ["recipient", "event__uid"]


def _without_message(_row: Any) -> None:
    """Say no more than that it is done."""
