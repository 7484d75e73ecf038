"""Creating and editing a sweep in the browser: its YAML, and a form that is another view of it (RUN-50)."""

import hashlib
from dataclasses import asdict, dataclass, field

import orjson
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from access.actor import Actor
from access.engine import require
from access.routes import declare
from access.web.requests import actor_of
from common.errors import Conflict, Invalid
from runs.models import Project, Run
from runs.selectors import get_project
from sweeps.access import SweepAction
from sweeps.config.document import Method
from sweeps.config.yaml_text import MOST_BYTES
from sweeps.editor.check import check
from sweeps.editor.fields import change_field, change_parameter
from sweeps.editor.kinds import FIELD_LABELS, KINDS
from sweeps.editor.project import chosen_runs, finished_runs, likely_metric, metric_names
from sweeps.editor.starts import STARTS, proposed_parameters, text_of
from sweeps.lifecycle.services import change_sweep, create_sweep
from sweeps.models import Sweep
from sweeps.names import sweep_page
from sweeps.selectors import get_sweep

_METHOD_WORDS = {start.method: (start.label, start.says) for start in STARTS[:3]}


@dataclass(slots=True)
class Editor:
    """One request to the editor; without a sweep it creates one."""

    request: HttpRequest
    project: Project
    sweep: Sweep | None = None
    text: str = ""
    priors: list[Run] = field(default_factory=list)
    said: str = ""
    """What just happened."""

    @property
    def actor(self) -> Actor:
        """Who edits."""
        return actor_of(self.request)

    def page(self, refusal: str = "") -> HttpResponse:
        """Show the editor with its text, and why it was not saved."""
        names = metric_names(self.actor, self.project)
        metric = likely_metric(names)
        found = check(self.text)
        context = {
            "project": self.project,
            "team": self.project.team,
            "sweep": self.sweep,
            "text": self.text,
            "refusal": refusal,
            "errors": found.errors if refusal else (),
            "said": self.said,
            "starts": [] if self.sweep else [(start, start.text(metric)) for start in STARTS],
            "methods": [(method, *_METHOD_WORDS[method]) for method in Method],
            "metrics": names,
            "kinds": KINDS.values(),
            "field_labels": FIELD_LABELS.items(),
            "runs": [] if self.sweep else finished_runs(self.actor, self.project),
            "priors": self.priors,
            "digest": _digest(self.sweep.config_text) if self.sweep else "",
            "back": sweep_page(self.sweep) if self.sweep else "",
        }
        return render(self.request, "sweeps/editor.html", context, status=422 if refusal else 200)

    def save(self) -> HttpResponse:
        """Store what was sent and go to the sweep's page, or show again what is wrong."""
        try:
            sweep, warnings = self._stored()
        except (Invalid, Conflict) as error:
            return self.page(error.message)
        says = _("%(name)s saved.") if self.sweep else _("%(name)s created. Start an agent to run it.")
        messages.success(self.request, says % {"name": sweep})
        for warning in warnings:
            messages.warning(self.request, warning)
        return redirect(sweep_page(sweep))

    def _stored(self) -> tuple[Sweep, tuple[str, ...]]:
        if self.sweep is None:
            return create_sweep(
                actor=self.actor, project=self.project, config_text=self.text, priors=self.priors
            )
        if self.request.POST.get("digest") != _digest(self.sweep.config_text):
            raise Conflict(
                _(
                    "Someone has changed the configuration since you opened it. Reload the page, then make your "
                    "changes again."
                )
            )
        return change_sweep(actor=self.actor, sweep=self.sweep, config_text=self.text)

    def propose(self) -> HttpResponse:
        """Show the editor with the runs that were chosen as priors, and with parameters over what they differ in."""
        try:
            self.priors = chosen_runs(self.actor, self.project, self.request.POST.getlist("run"))
        except Invalid as error:
            return self.page(error.message)
        parameters = proposed_parameters(self.priors)
        if self.request.POST.get("propose") and parameters:
            metric = likely_metric(metric_names(self.actor, self.project))
            self.text = text_of(Method.BAYES, metric, parameters, {"run_cap": 50})
            self.said = ngettext(
                "Proposed %(count)s parameter that differs between the runs. Check its range.",
                "Proposed %(count)s parameters that differ between the runs. Check their ranges.",
                len(parameters),
            ) % {"count": len(parameters)}
        elif self.request.POST.get("propose") and self.priors:
            self.said = _("The configurations of these runs do not differ, so no parameters are proposed.")
        return self.page()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _answer(editor: Editor) -> HttpResponse:
    request = editor.request
    if request.method != "POST":
        return editor.page()
    editor.text = request.POST.get("text", "").replace("\r\n", "\n")
    part = request.POST.get("part")
    if part == "check":
        return _checked(request, editor.text)
    if editor.sweep is None and part == "runs":
        return editor.propose()
    if editor.sweep is None:
        try:
            editor.priors = chosen_runs(editor.actor, editor.project, request.POST.getlist("prior"))
        except Invalid as error:
            return editor.page(error.message)
    return editor.save()


def _checked(request: HttpRequest, text: str) -> JsonResponse:
    """Tell a script what is wrong in a text, after a change that was made in the form."""
    refused = ""
    if change := request.POST.get("change"):
        try:
            text = _changed(text, change)
        except Invalid as error:
            refused = error.message
    found = check(text)
    return JsonResponse({"text": text, "refused": refused, **asdict(found)})


def _changed(text: str, change: str) -> str:
    """Return the text after a change: JSON with ``field``, ``typed`` and, of a row, ``parameter``."""
    try:
        wanted = orjson.loads(change) if len(change) <= MOST_BYTES else None
    except orjson.JSONDecodeError:
        wanted = None
    if not isinstance(wanted, dict) or not all(isinstance(value, str) for value in wanted.values()):
        raise Invalid(_("The form does not know this change."))
    name, typed = wanted.get("field", ""), wanted.get("typed", "")
    if "parameter" in wanted:
        return change_parameter(text, wanted["parameter"], name, typed)
    return change_field(text, name, typed)


@declare(SweepAction.CREATE)
@never_cache
@require_http_methods(["GET", "POST"])
def new(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Create a sweep; ``start`` names the template to begin from."""
    row = get_project(actor_of(request), entity, project)
    require(actor_of(request), SweepAction.CREATE, row)
    editor = Editor(request, row)
    if request.method != "POST":
        wanted = request.GET.get("start", "")
        start = next((one for one in STARTS if one.name == wanted), STARTS[1])
        editor.text = start.text(likely_metric(metric_names(editor.actor, row)))
    return _answer(editor)


@declare(SweepAction.EDIT)
@never_cache
@require_http_methods(["GET", "POST"])
def edit(request: HttpRequest, entity: str, project: str, uid: str) -> HttpResponse:
    """Change the configuration of a sweep."""
    actor = actor_of(request)
    sweep = get_sweep(actor, get_project(actor, entity, project), uid)
    require(actor, SweepAction.EDIT, sweep)
    return _answer(Editor(request, sweep.project, sweep, text=sweep.config_text))
