"""The editor of an automation, and what it would have done (ALR-6)."""

from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from access.actor import Actor
from access.engine import can, require
from access.web.requests import actor_of
from alerts.access import AlertAction
from alerts.models import Destination
from alerts.payloads.templating import VARIABLES
from alerts.secrets.services import SecretsWithheld, known_secret_names
from alerts.views.scope import scope_of_team, team_in
from artifacts.models import Collection
from artifacts.participants import ArtifactEvent
from artifacts.selectors import get_collection
from automations.access import AutomationAction
from automations.editor.choices import ALL_PROJECTS
from automations.editor.form import AutomationForm
from automations.evaluation.firings import Preview
from automations.evaluation.preview import preview
from automations.firing.plan import has_automations
from automations.firing.reach import destinations_of, is_of_organization, recipients_of
from automations.models import Automation
from automations.selectors import (
    authors,
    collection_names,
    creatable_projects,
    get_automation,
    metric_names,
)
from automations.services import change_automation, create_automation
from automations.views.scope import home_of
from common.errors import Conflict, DomainError, Forbidden, NotFound
from runs.models import Project
from teams.scope import PageScope, scoped, scoped_by

_FIRINGS_SHOWN = 20
_SHOWN_VARIABLES = frozenset({"message", "event", "run", "artifact", "sweep"})


@dataclass(slots=True)
class Editor:
    """One request to the editor."""

    request: HttpRequest
    scope: PageScope
    automation: Automation | None = None
    projects: list[Project] = field(default_factory=list)

    @property
    def actor(self) -> Actor:
        """Who edits."""
        return actor_of(self.request)

    def scopes(self) -> list[tuple[str, str]]:
        """Return what a new automation can be for; one that exists stays where it is."""
        if self.automation is not None:
            return []
        if self.scope.project is not None and self.scope.project.is_registry:
            self.projects = [self.scope.project]
            return [(self.scope.project.name, self.scope.project.registry.name)]
        self.projects = list(creatable_projects(self.actor, team_in(self.scope)))
        named = [(row.name, row.name) for row in self.projects]
        if can(self.actor, AutomationAction.CREATE, team_in(self.scope)):
            named.append(
                (ALL_PROJECTS, str(_("All projects of %(team)s") % {"team": team_in(self.scope).name}))
            )
        return named

    def form(self) -> AutomationForm:
        """Return the form as it was sent; before that, as the automation is or as the address proposes."""
        posted = self.request.POST if self.request.method == "POST" else None
        scopes = self.scopes()
        start: dict[str, Any] = {
            name: value for name, value in self.request.GET.items() if name in AutomationForm.base_fields
        }
        if "states" in start:
            start["states"] = self.request.GET.getlist("states")
        start.setdefault("scope", self.scope.project.name if self.scope.project else ALL_PROJECTS)
        team, project = team_in(self.scope), self.scope.project
        if project is not None and project.is_registry:
            start.setdefault("event", ArtifactEvent.LINK_MODEL.value)
            start.setdefault("once_in_s", 0)
        secrets = None if is_of_organization(team) else known_secret_names(self.actor, team)
        return AutomationForm(
            posted, scopes=scopes, destinations=self.destinations(), people=recipients_of(team, project),
            secret_names=secrets, automation=self.automation,
            initial=start if self.automation is None else None,
        )  # fmt: skip

    def destinations(self) -> list[Destination]:
        """Return where it may send, and where it sends already."""
        found = list(destinations_of(self.actor, team_in(self.scope)))
        current = self.automation.destination if self.automation else None
        return found if current is None or current in found else [*found, current]

    def project_of(self, form: AutomationForm) -> Project | None:
        """Return the project that the form is about; None for all of the team."""
        if self.automation is not None:
            return self.automation.project
        chosen = form.cleaned_data.get("scope")
        return next((row for row in self.projects if row.name == chosen), None)

    def collection_of(self, form: AutomationForm) -> Collection | None:
        """Return the collection that a new automation is about; None for all.

        Raises:
            NotFound: the project has none of this name that the viewer may see.
        """
        project, name = self.project_of(form), form.chosen_collection
        return get_collection(self.actor, project, name) if project and name else None

    def previewed(self, form: AutomationForm) -> dict[str, Any]:
        """Return what a preview shows: when it would have acted, or why that cannot be said."""
        if form.is_bound:
            form.is_valid()
        if form.is_of_artifacts or not form.has_condition:
            return {
                "preview": None,
                "is_of_artifacts": form.is_of_artifacts,
                "is_of_sweeps": form.is_of_sweeps,
            }
        try:
            found = preview(
                actor=self.actor, team=team_in(self.scope), project=self.project_of(form), event=form.chosen_event,
                filter=form.filter(), once_in_s=form.cleaned_data["once_in_s"],
            )  # fmt: skip
        except DomainError as error:
            return {"preview": None, "preview_error": error.message}
        return {"preview": found, "is_of_sweeps": form.is_of_sweeps, **_shown(found)}

    def save(self, form: AutomationForm) -> Automation | None:
        """Make or change the automation; None where something was refused, which the form then says."""
        try:
            if self.automation is not None:
                fields = form.automation_fields()
                return change_automation(actor=self.actor, automation=self.automation, fields=fields)
            return create_automation(
                actor=self.actor, team=team_in(self.scope), project=self.project_of(form),
                collection=self.collection_of(form), fields=form.automation_fields(),
            )  # fmt: skip
        except SecretsWithheld as error:
            form.add_error("payload", error.message)
            return None
        except NotFound as error:
            form.add_error("collection", error.message)
            return None
        except Forbidden:
            raise
        except DomainError as error:
            form.add_error("name" if isinstance(error, Conflict) else None, error.message)
            return None

    def page(self, form: AutomationForm, **more: Any) -> HttpResponse:
        """Show the editor."""
        team, project = team_in(self.scope), self.scope.project
        context = {
            **self.scope.context("automations"),
            "form": form,
            "automation": self.automation,
            "metrics": metric_names(self.actor, team, project),
            "authors": authors(self.actor, team, project),
            "collections": collection_names(self.actor, project),
            "variables": [(name, one) for name, one in VARIABLES.items() if one.group in _SHOWN_VARIABLES],
            "has_feature": has_automations(team),
            "destinations_url": scope_of_team(team).url("destinations"),
            "can_set_up": can(self.actor, AlertAction.MANAGE, team),
            "back": self.scope.url("automation", self.automation.pk)
            if self.automation
            else self.scope.url("automations"),
            **more,
        }
        has_failed = bool(form.errors) and more.get("preview") is None
        return render(self.request, "automations/edit.html", context, status=422 if has_failed else 200)


def _shown(found: Preview) -> dict[str, Any]:
    runs = {firing.run.pk for firing in found.firings if firing.run}
    return {
        "firings": found.firings[:_FIRINGS_SHOWN],
        "more_firings": max(0, len(found.firings) - _FIRINGS_SHOWN),
        "runs_concerned": len(runs),
        "sweeps_concerned": len({firing.sweep.pk for firing in found.firings if firing.sweep}),
    }


def _answer(editor: Editor) -> HttpResponse:
    """Show the editor, what it would have done, or save."""
    request = editor.request
    form = editor.form()
    if request.method != "POST":
        return editor.page(form)
    if request.POST.get("part") == "preview":
        context = editor.previewed(form)
        if request.headers.get("HX-Request"):
            return render(request, "automations/preview.html", context)
        return editor.page(form, **context, is_previewed=True)
    saved = editor.save(form) if form.is_valid() else None
    if saved is None:
        return editor.page(form)
    messages.success(request, _("%(name)s saved.") % {"name": saved.name})
    return redirect(home_of(saved).url("automation", saved.pk))


@never_cache
@require_http_methods(["GET", "POST"])
@scoped
def new(request: HttpRequest, scope: PageScope) -> HttpResponse:
    """Create an automation, beginning from a project or from all projects of a team."""
    return _answer(Editor(request, scope))


@never_cache
@require_http_methods(["GET", "POST"])
@scoped_by("")
def edit(request: HttpRequest, scope: PageScope, pk: int) -> HttpResponse:
    """Change an automation."""
    automation = get_automation(actor_of(request), team_in(scope), scope.project, pk)
    require(actor_of(request), AutomationAction.MANAGE, automation)
    return _answer(Editor(request, scope, automation))
