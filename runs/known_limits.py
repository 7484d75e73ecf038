"""What is limited for projects and runs."""

from typing import Any

from django.db.models import Count, QuerySet
from django.utils.translation import gettext_lazy as _

from access.actor import Actor
from access.engine import visible
from access.limits.registry import REFUSED, Limit, LimitGroup, LimitUnit, Used, length_limit, register_limits
from access.limits.request_rates import user_caller
from common.formats import lenient_json
from common.rate_limits import spent
from runs.access import ChartAction, ProjectAction
from runs.charts import selectors as charts
from runs.charts import services as stored_charts
from runs.config import flatten, redaction
from runs.lifecycle import alerts, fields
from runs.models import Project, SavedView, StoredChart
from runs.names import run_ids
from runs.projects import access_requests
from runs.projects import services as projects
from runs.saved_views import selectors as saved_views
from runs.saved_views import services as views
from storage import file_names
from teams.models import Team


def fullest_project(rows: QuerySet[Any]) -> Used:
    """Return how many of these rows the project has that has most, and its name."""
    counts = rows.order_by().values("project__name").annotate(n=Count("pk")).order_by("-n", "project__name")
    row = counts.first()
    return Used(row["n"], row["project__name"]) if row else Used(0)


def _shared_views(actor: Actor, team: Team | None) -> Used | None:
    if team is None:
        return None
    seen = visible(actor, ProjectAction.VIEW, Project.objects.live().filter(team=team))
    return fullest_project(SavedView.objects.filter(project__in=seen, user__isnull=True))


def _own_views(actor: Actor, _team: Team | None) -> Used:
    seen = visible(actor, ProjectAction.VIEW, Project.objects.live())
    return fullest_project(SavedView.objects.filter(project__in=seen, user_id=actor.lookup_id))


def _charts(actor: Actor, team: Team | None) -> Used | None:
    if team is None:
        return None
    return Used(visible(actor, ChartAction.VIEW, StoredChart.objects.filter(team=team)).count())


def _access_requests(actor: Actor, _team: Team | None) -> Used | None:
    window_s = access_requests.HOUR_S
    amounts = spent(access_requests.COUNTED, [user_caller(actor.lookup_id)], window_s=window_s)
    return Used(amounts[0]) if amounts else None


def register() -> None:
    """Tell the page of limits."""
    register_limits(*_logged(), *_kept(), *_lengths())


def _logged() -> list[Limit]:
    set_aside = _("The line is skipped and listed on the run; all others are stored.")
    not_in_tables = _("Stored and returned in full, but tables and filters ignore the excess.")
    return [
        Limit(
            "logging.nesting", LimitGroup.LOGGING, _("Nesting levels of a logged value"),
            lambda: lenient_json.MAX_NESTING, set_aside,
        ),
        Limit(
            "logging.columns", LimitGroup.LOGGING, _("Keys of a run’s config, and of its summary, in tables"),
            lambda: flatten.MAX_KEYS, not_in_tables,
        ),
        Limit(
            "logging.column_levels", LimitGroup.LOGGING, _("Nesting levels of config and summary with their own keys"),
            lambda: flatten.MAX_DEPTH, _("Anything nested deeper is one JSON value."),
        ),
        Limit(
            "logging.column_text", LimitGroup.LOGGING, _("Length of a config or summary value in tables"),
            lambda: flatten.MAX_TEXT, not_in_tables, LimitUnit.CHARACTERS,
        ),
        Limit("runs.tags", LimitGroup.LOGGING, _("Tags of a run"), lambda: fields.MAX_TAGS, REFUSED),
        Limit(
            "runs.redacted_keys", LimitGroup.LOGGING, _("Redacted keys of a run"), lambda: redaction.MAX_KEYS,
            _("Rejected; redact a common parent of the keys."),
        ),
    ]  # fmt: skip


def _kept() -> list[Limit]:
    return [
        Limit(
            "projects.own_views", LimitGroup.ACCOUNT, _("Your saved views in a project"),
            lambda: views.MAX_VIEWS, REFUSED, measure=_own_views,
        ),
        Limit(
            "account.access_requests", LimitGroup.ACCOUNT, _("Requests for access to projects"),
            lambda: access_requests.MOST_AN_HOUR, REFUSED, LimitUnit.PER_HOUR, measure=_access_requests,
        ),
        Limit(
            "projects.shared_views", LimitGroup.TEAM, _("Shared views of a project"), lambda: views.MAX_VIEWS, REFUSED,
            measure=_shared_views,
        ),
        Limit(
            "projects.view_versions", LimitGroup.TEAM, _("Versions of a saved view"), lambda: views.MAX_VERSIONS,
            _("The oldest version is deleted."),
        ),
        Limit(
            "team.charts", LimitGroup.TEAM, _("Stored charts of a team"), lambda: stored_charts.MAX_CHARTS, REFUSED,
            measure=_charts,
        ),
        Limit(
            "projects.protected_tags", LimitGroup.TEAM, _("Protected tags of a project"),
            lambda: projects.MAX_PROTECTED_TAGS, REFUSED,
        ),
        Limit(
            "team.chart_bytes", LimitGroup.TEAM, _("Specification of a chart"), lambda: charts.MAX_SPEC_BYTES, REFUSED,
            LimitUnit.BYTES,
        ),
        Limit(
            "projects.view_bytes", LimitGroup.TEAM, _("Content of a saved view"), lambda: saved_views.MAX_SPEC_BYTES,
            REFUSED, LimitUnit.BYTES,
        ),
    ]  # fmt: skip


def _lengths() -> list[Limit]:
    of_run = fields.MAX_LENGTHS
    return [
        length_limit("project", _("Name of a project"), lambda: projects.MAX_NAME),
        length_limit("project_description", _("Description of a project"), lambda: projects.MAX_DESCRIPTION),
        length_limit("run_id", _("ID of a run"), lambda: run_ids.MAX_LENGTH),
        length_limit("run", _("Name of a run"), lambda: of_run["display_name"]),
        length_limit("run_group", _("Group of a run"), lambda: of_run["group"]),
        length_limit("run_job_type", _("Job type of a run"), lambda: of_run["job_type"]),
        length_limit("run_notes", _("Notes of a run"), lambda: of_run["notes"]),
        length_limit("tag", _("Tag of a run"), lambda: fields.MAX_TAG),
        length_limit("redacted_key", _("Redacted key"), lambda: redaction.MAX_KEY),
        length_limit("file", _("Name of a file, including folders"), lambda: file_names.MAX_NAME),
        length_limit("view", _("Name of a saved view"), lambda: views.MAX_NAME),
        length_limit("chart", _("Name of a stored chart"), lambda: stored_charts.MAX_NAME),
        length_limit("alert_title", _("Title of an alert sent by code"), lambda: alerts.MAX_TITLE),
        length_limit("alert_text", _("Text of an alert sent by code"), lambda: alerts.MAX_TEXT),
    ]
