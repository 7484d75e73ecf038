"""The form's view of a configuration: what its fields show, and what it leaves to the text."""

from dataclasses import asdict, dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from sweeps.editor.kinds import kind_of
from sweeps.editor.writing import inline, items_text

MOST_PARAMETERS = 100
"""More are no form that a person would fill in."""
_SHOWN = {
    "name", "program", "method", "metric", "parameters", "run_cap", "early_terminate", "retry_crashed", "command"
}  # fmt: skip
_SHOWN_OF_METRIC = {"name", "goal"}
EARLY = ("min_iter", "max_iter", "s", "eta")


@dataclass(frozen=True, slots=True)
class ParameterView:
    """One row: texts of its fields by name; without a kind the form cannot show it, and ``says`` why."""

    name: str
    kind: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    says: str = ""


@dataclass(frozen=True, slots=True)
class FormView:
    """The text of each field; empty where the configuration says nothing."""

    fields: dict[str, str]
    is_early: bool
    retries: bool
    parameters: list[ParameterView]
    left: list[str]
    """Keys that only the text shows."""

    def as_json(self) -> dict[str, Any]:
        """Return it for scripts."""
        return asdict(self)


def form_view(document: dict[str, Any]) -> FormView:
    """Return what the form shows of a document, valid or not."""
    metric, early = document.get("metric"), document.get("early_terminate")
    fields = {key: _text(document.get(key)) for key in ("name", "program", "method", "run_cap")}
    command = document.get("command")
    fields["command"] = "\n".join(_text(word) for word in command) if isinstance(command, list) else ""
    fields |= {f"metric.{key}": _text(_part(metric, key)) for key in ("name", "goal")}
    fields |= {f"early_terminate.{key}": _text(_part(early, key)) for key in EARLY}
    retries = document.get("retry_crashed")
    parameters = document.get("parameters")
    rows = list(parameters.items()) if isinstance(parameters, dict) else []
    return FormView(
        fields=fields,
        is_early=early is not None,
        retries=retries if isinstance(retries, bool) else document.get("method") == "grid",
        parameters=[_row(name, one) for name, one in rows[:MOST_PARAMETERS]],
        left=[*_left(document, metric), *(f"parameters.{name}" for name, _one in rows[MOST_PARAMETERS:])],
    )


def _part(section: Any, key: str) -> Any:
    return section.get(key) if isinstance(section, dict) else None


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else inline(value)


def _left(document: dict[str, Any], metric: Any) -> list[str]:
    inner = metric if isinstance(metric, dict) else {}
    return [
        *(key for key in document if key not in _SHOWN),
        *(f"metric.{key}" for key in inner if key not in _SHOWN_OF_METRIC),
    ]


def _row(name: str, parameter: Any) -> ParameterView:
    kind = kind_of(parameter)
    if kind is None:
        is_nested = isinstance(parameter, dict) and "parameters" in parameter
        says = _("Nested parameters: edit them in the text.") if is_nested else _("Edit it in the text.")
        return ParameterView(name, says=says)
    shown = {key: _field_text(parameter.get(key)) for key in kind.fields}
    return ParameterView(name, kind.name, shown)


def _field_text(value: Any) -> str:
    if isinstance(value, list):
        return items_text(value)
    return "" if value is None else inline(value)
