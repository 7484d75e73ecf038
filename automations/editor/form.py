"""The form of one automation: what it waits for, of which runs, and what it does then."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from alerts.models import Destination, Level
from alerts.payloads.templating import check_template
from artifacts.names import MAX_NAME as MAX_COLLECTION
from automations.conditions.events import ARTIFACT_EVENTS, METRIC_EVENTS, SWEEP_EVENTS, AutomationEvent
from automations.conditions.filters import MAX_METRIC, MAX_WINDOW, parse
from automations.conditions.metrics import SIGNS
from automations.conditions.sweeps import ENDS, MAX_LEAST_ENDED, MAX_PATTERN
from automations.editor.choices import (
    ACTIONS,
    AGGREGATES,
    ALL_PROJECTS,
    DIRECTIONS,
    EVENTS,
    MEASURES,
    PAUSES,
    SIDES,
    STATES,
)
from automations.editor.filters import Filter, filter_of, initial_of
from automations.editor.shown_fields import CONDITIONAL, shown_fields
from automations.models import ActionKind, Automation
from automations.services import AutomationFields
from common.errors import Invalid
from runs.query.conditions import Compare, Operator, to_q
from runs.query.expression import read_expression

_NOWHERE = {"required": gettext_lazy("Choose a destination. Team admins set them up.")}


def _window(label: Any, initial: int, least: int = 1) -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=least, max_value=MAX_WINDOW, initial=initial)


class AutomationForm(forms.Form):
    """All fields there are; those of the chosen event and action have to be filled in."""

    use_required_attribute = False  # of fields that are not shown

    event = forms.ChoiceField(widget=forms.RadioSelect, initial=AutomationEvent.RUN_METRIC)
    states = forms.MultipleChoiceField(
        label=gettext_lazy("New state"), choices=STATES, widget=forms.CheckboxSelectMultiple,
        initial=["FAILED"], error_messages={"required": gettext_lazy("Choose at least one state.")},
    )  # fmt: skip
    metric = forms.CharField(
        label=gettext_lazy("Metric"), max_length=MAX_METRIC,
        widget=forms.TextInput(attrs={"list": "metric-names", "autocomplete": "off", "spellcheck": "false"}),
        error_messages={"required": gettext_lazy("Enter a metric, as it is logged.")},
    )  # fmt: skip
    aggregate = forms.ChoiceField(label=gettext_lazy("Aggregate"), choices=AGGREGATES)
    window = _window(gettext_lazy("Number of latest values"), 5)
    comparison = forms.ChoiceField(
        label=gettext_lazy("Condition"), choices=list(SIGNS.items()), initial="$lt"
    )
    threshold = forms.FloatField(label=gettext_lazy("Value"))
    change_aggregate = forms.ChoiceField(label=gettext_lazy("Aggregate"), choices=AGGREGATES)
    current_window = _window(gettext_lazy("Number of latest values"), 10)
    prior_window = _window(gettext_lazy("Compared with the previous … values"), 50)
    direction = forms.ChoiceField(label=gettext_lazy("Direction"), choices=DIRECTIONS)
    amount = forms.FloatField(label=gettext_lazy("Minimum change"))
    measure = forms.ChoiceField(label=gettext_lazy("Unit"), choices=MEASURES)
    z_threshold = forms.FloatField(label=gettext_lazy("Standard deviations"), initial=3)
    side = forms.ChoiceField(label=gettext_lazy("Direction"), choices=SIDES)
    z_window = _window(gettext_lazy("Number of latest values"), 30, 2)
    artifact_match = forms.CharField(
        label=gettext_lazy("Alias or tag filter"), max_length=1000, required=False,
        help_text=gettext_lazy("A regular expression, for example ^prod. Leave blank for any."),
    )  # fmt: skip
    ended = forms.MultipleChoiceField(
        label=gettext_lazy("How it ends"), choices=list(ENDS.items()), widget=forms.CheckboxSelectMultiple,
        initial=list(ENDS), error_messages={"required": gettext_lazy("Choose at least one way.")},
    )  # fmt: skip
    failed_percent = forms.FloatField(
        label=gettext_lazy("Failed or crashed runs, above … percent"), min_value=0, max_value=99, initial=50
    )
    least_ended = forms.IntegerField(
        label=gettext_lazy("Minimum number of runs that ended"),
        min_value=1,
        max_value=MAX_LEAST_ENDED,
        initial=5,
    )
    sweep = forms.CharField(
        label=gettext_lazy("Sweep filter"), max_length=MAX_PATTERN, required=False,
        help_text=gettext_lazy("The ID of a sweep, or a regular expression for its name. Leave blank for any."),
    )  # fmt: skip
    scope = forms.ChoiceField(label=gettext_lazy("Project"))
    collection = forms.CharField(
        label=gettext_lazy("Collection"), max_length=MAX_COLLECTION, required=False,
        widget=forms.TextInput(attrs={"list": "collection-names", "autocomplete": "off", "spellcheck": "false"}),
        help_text=gettext_lazy("An artifact of the project, by name. Leave blank for any."),
    )  # fmt: skip
    user = forms.CharField(
        label=gettext_lazy("Run author"), max_length=150, required=False,
        widget=forms.TextInput(attrs={"list": "author-names", "autocomplete": "off"}),
        help_text=gettext_lazy("A username."),
    )  # fmt: skip
    run_name = forms.CharField(
        label=gettext_lazy("Run name filter"), max_length=1000, required=False,
        help_text=gettext_lazy("A regular expression, for example ^baseline-."),
    )  # fmt: skip
    expression = forms.CharField(
        label=gettext_lazy("Run filter"), max_length=8000, required=False,
        help_text=gettext_lazy("As in the runs table: fields, config and summary, combined with and, or, not."),
    )  # fmt: skip
    action = forms.ChoiceField(widget=forms.RadioSelect, initial=ActionKind.NOTIFICATION)
    slack = forms.ModelChoiceField(
        Destination.objects.none(), label=gettext_lazy("To"), empty_label=None, error_messages=_NOWHERE
    )
    mail_author = forms.BooleanField(label=gettext_lazy("Author of the run"), required=False, initial=True)
    mail_to = forms.ModelMultipleChoiceField(
        User.objects.none(),
        label=gettext_lazy("Members"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    severity = forms.ChoiceField(label=gettext_lazy("Severity"), choices=Level)
    title = forms.CharField(
        label=gettext_lazy("Title"), max_length=256, required=False,
        help_text=gettext_lazy("Can contain variables. Leave blank to use the name of the automation."),
    )  # fmt: skip
    message = forms.CharField(
        label=gettext_lazy("Message"),
        max_length=8000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    webhook = forms.ModelChoiceField(
        Destination.objects.none(), label=gettext_lazy("Webhook"), empty_label=None, error_messages=_NOWHERE
    )
    payload = forms.CharField(
        label=gettext_lazy("Payload"), max_length=10_000, required=False,
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false"}),
        help_text=gettext_lazy("JSON with variables. Leave blank to use the webhook’s own payload."),
    )  # fmt: skip
    name = forms.CharField(label=gettext_lazy("Name"), max_length=128)
    once_in_s = forms.TypedChoiceField(
        label=gettext_lazy("At most once per run in"), choices=PAUSES, coerce=int, initial=86_400
    )
    description = forms.CharField(
        label=gettext_lazy("Description"),
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    is_on = forms.BooleanField(label=gettext_lazy("On"), required=False, initial=True)

    def __init__(
        self,
        data: Any = None,
        *,
        scopes: Sequence[tuple[str, str]] = (),
        destinations: Iterable[Destination] = (),
        people: Iterable[User] = (),
        secret_names: Collection[str] | None = (),
        automation: Automation | None = None,
        initial: dict[str, Any] | None = None,
    ) -> None:
        """Offer scopes, none for an automation that has its own, and the team's destinations.

        Payloads may name the team's secrets; None leaves it to the service whether they may.
        """
        super().__init__(data, initial=initial)
        self.automation, self.secret_names = automation, secret_names
        self._offer("event", AutomationEvent.choices)
        self._offer("action", ActionKind.choices)
        self._offer("scope", scopes)
        self.fields["scope"].required = bool(scopes)
        self.destinations = list(destinations)
        for field, is_slack in (("slack", True), ("webhook", False)):
            rows = [row for row in self.destinations if row.is_slack is is_slack]
            labels = {row: self._label_of(row) for row in rows}
            self._offer_rows(field, labels)
        self._offer_rows("mail_to", {user: user.username for user in people})
        self.kept: Filter | None = None
        if automation is not None:
            self._begin_with(automation)

    def _label_of(self, destination: Destination) -> str:
        """Name a destination; with its team where there are those of several."""
        teams = {row.team_id for row in self.destinations}
        name = f"{destination.team.name} · {destination.name}" if len(teams) > 1 else destination.name
        return name if destination.is_on else _("%(name)s (off)") % {"name": name}

    def _offer(self, name: str, choices: Iterable[tuple[Any, Any]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - for the type checker
        field.choices = list(choices)

    def _offer_rows(self, name: str, labels: Mapping[Any, str]) -> None:
        """Offer rows under their labels."""
        field = self.fields[name]
        assert isinstance(field, forms.ModelChoiceField)  # noqa: S101 - for the type checker
        assert field.queryset is not None  # noqa: S101 - as above
        field.queryset = field.queryset.model._default_manager.filter(pk__in=[row.pk for row in labels])
        field.choices = [(row.pk, label) for row, label in labels.items()]

    def _begin_with(self, automation: Automation) -> None:
        """Show what an automation is."""
        stored = parse(automation.event, automation.filter)
        values = initial_of(stored)
        if stored.event in ARTIFACT_EVENTS and values["artifact_match"] is None:
            self.kept = stored.canonical
        plain = (
            "event",
            "action",
            "title",
            "message",
            "severity",
            "payload",
            "once_in_s",
            "name",
            "description",
        )
        known = {name: getattr(automation, name) for name in (*plain, "is_on")}
        chosen = {
            "slack": automation.destination_id, "webhook": automation.destination_id,
            "mail_to": list(automation.mail_to.values_list("pk", flat=True)), "mail_author": automation.mail_author,
        }  # fmt: skip
        self.initial = {**values, **known, **chosen, **self.initial}
        pauses = dict(PAUSES)
        if automation.once_in_s not in pauses:
            seconds = _("%(n)d seconds") % {"n": automation.once_in_s}
            self._offer("once_in_s", [*PAUSES, (automation.once_in_s, seconds)])

    @property
    def chosen_event(self) -> str:
        """The ticked event."""
        return str(self["event"].value() or "")

    @property
    def kept_filter(self) -> Filter | None:
        """A filter that a program wrote and no field shows; it stays as long as the event does."""
        is_same = self.automation is not None and self.chosen_event == self.automation.event
        return self.kept if is_same else None

    def clean(self) -> dict[str, Any]:
        """Want what the chosen event and action need; what else was filled in does not matter."""
        data = super().clean() or self.cleaned_data
        shown = shown_fields(data, keeps_filter=self.kept_filter is not None)
        for name in set(self.errors) & (CONDITIONAL - shown):
            del self.errors[name]
        for name in {"amount", "z_threshold"} & shown:
            if data.get(name) is not None and data[name] <= 0:
                self._require(name, _("Enter a number greater than 0."))
        if data.get("event") in METRIC_EVENTS and data.get("once_in_s") == 0:
            self._require("once_in_s", _("Metrics are logged often; choose at least 10 minutes."))
        if "mail_to" in shown and not (data.get("mail_to") or data.get("mail_author")):
            self._require("mail_to", _("Choose the recipients of the email."))
        if data.get("payload") and "payload" in shown:
            self._check_payload(data["payload"])
        for name in {"artifact_match", "sweep"} & shown:
            self._check_pattern(name, data)
        if "expression" in shown:
            self._check_runs(data)
        if data.get("scope") == ALL_PROJECTS and self.chosen_collection:
            self._require("collection", _("Choose the project of the collection."))
        return data

    def _check_runs(self, data: dict[str, Any]) -> None:
        self._check_pattern("run_name", data)
        try:
            to_q(read_expression(data.get("expression") or ""))
        except Invalid as error:
            self._require("expression", error.message)

    def _check_payload(self, payload: str) -> None:
        try:
            check_template(payload, secret_names=self.secret_names)
        except Invalid as error:
            self._require("payload", error.message)

    def _check_pattern(self, name: str, data: dict[str, Any]) -> None:
        try:
            to_q(Compare("display_name", Operator.MATCHES, data.get(name) or ""))
        except Invalid as error:
            self._require(name, error.message)

    def _require(self, name: str, message: str) -> None:
        if name not in self.errors:
            self.add_error(name, message)

    def filter(self) -> Filter:
        """Return the event filter of a form without errors in its condition."""
        return self.kept_filter or filter_of(self.chosen_event, self.cleaned_data)

    @property
    def has_condition(self) -> bool:
        """Whether what it waits for can be read, whatever is still missing elsewhere."""
        elsewhere = {
            "name", "description", "slack", "webhook", "mail_to", "title", "message", "severity", "payload",
            "collection",
        }  # fmt: skip
        return self.is_bound and not (set(self.errors) - elsewhere)

    def automation_fields(self) -> AutomationFields:
        """Return what a valid form says."""
        data = self.cleaned_data
        destinations = {"NOTIFICATION": data.get("slack"), "GENERIC_WEBHOOK": data.get("webhook")}
        return AutomationFields(
            name=data["name"], description=data["description"], event=data["event"], filter=self.filter(),
            action=data["action"], destination=destinations.get(data["action"]),
            mail_to=list(data.get("mail_to") or ()), mail_author=data.get("mail_author", False),
            title=data.get("title", ""), message=data.get("message", ""), severity=data.get("severity") or Level.INFO,
            payload=data.get("payload", ""), once_in_s=data["once_in_s"], is_on=data["is_on"],
        )  # fmt: skip

    @property
    def chosen_collection(self) -> str:
        """The name of the collection that events of artifacts are to be about; "" for any."""
        return str(self.cleaned_data.get("collection") or "") if self.is_of_artifacts else ""

    @property
    def chosen_action(self) -> str:
        """The ticked action."""
        return str(self["action"].value() or "")

    @property
    def is_of_artifacts(self) -> bool:
        """Whether the ticked event is one of artifacts."""
        return self.chosen_event in ARTIFACT_EVENTS

    @property
    def is_of_sweeps(self) -> bool:
        """Whether the ticked event is one of sweeps."""
        return self.chosen_event in SWEEP_EVENTS

    @property
    def kept_json(self) -> str:
        """The kept filter, for people."""
        return json.dumps(self.kept_filter, indent=2, ensure_ascii=False)

    @property
    def has_slack(self) -> bool:
        """Whether there is a Slack channel to choose."""
        return self._offers("slack")

    @property
    def has_webhooks(self) -> bool:
        """Whether there is a webhook to choose."""
        return self._offers("webhook")

    def _offers(self, name: str) -> bool:
        return any(row.is_slack is (name == "slack") for row in self.destinations)

    def run_events(self) -> list[tuple[str, str, str, str]]:
        """Return value, icon, name and explanation of the events of runs."""
        return [(event.value, icon, str(event.label), str(says)) for event, icon, says in EVENTS]

    def actions(self) -> list[tuple[str, str, str, str]]:
        """Return value, icon, name and explanation of what can be done."""
        return [(action.value, icon, str(action.label), str(says)) for action, icon, says in ACTIONS]

    def state_choices(self) -> Iterator[tuple[str, str, str, bool]]:
        """Yield value, the state that colours it, words and whether it is ticked."""
        ticked = set(self["states"].value() or [])
        for value, label in STATES:
            yield value, value.lower(), str(label), value in ticked

    def ways_to_end(self) -> Iterator[tuple[str, str, bool]]:
        """Yield value, words and whether it is ticked, of how a sweep can end."""
        ticked = set(self["ended"].value() or [])
        for value, label in ENDS.items():
            yield value, str(label), value in ticked

    def artifact_events(self) -> list[tuple[str, str, bool]]:
        """Return value, words and whether it is chosen, of the events of artifacts."""
        return self._events_among(ARTIFACT_EVENTS)

    def sweep_events(self) -> list[tuple[str, str, bool]]:
        """Return the same of the events of sweeps."""
        return self._events_among(SWEEP_EVENTS)

    def _events_among(self, some: Collection[str]) -> list[tuple[str, str, bool]]:
        chosen = self.chosen_event
        return [
            (value, str(label), value == chosen) for value, label in AutomationEvent.choices if value in some
        ]
