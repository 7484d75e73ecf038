"""Payloads of webhooks: JSON with `${variables}`, into which no value can write anything but itself.

Inside a string of the JSON a variable becomes escaped text; outside it becomes a JSON value. So what is JSON with one
value is JSON with any, and a template that was checked when it was saved stays right.
"""

import json
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.errors import Invalid

MAX_TEMPLATE = 16_384
"""Characters of a template."""
MAX_PAYLOAD_BYTES = 64 * 1024
"""Of what is sent: a template with its values."""
ACCESS_TOKEN = "ACCESS_TOKEN"  # noqa: S105 - a variable's name
"""Stands for the destination's own access token."""
_PART = re.compile(
    r'(?P<text>[^"\\$]+)|\\(?P<escaped>.)|\$\{(?P<name>[^{}"\n]*)\}|(?P<mark>["$\\])', re.DOTALL
)
_METADATA = re.compile(r"artifact_metadata\.[^{}\s\"\\]+")


@dataclass(frozen=True, slots=True)
class Variable:
    """What a payload may say of what happened."""

    help: str | Promise
    sample: Any
    """What *Send test* and the check of a template put in."""
    group: str = "run"


VARIABLES: dict[str, Variable] = {
    "title": Variable(gettext_lazy("What happened, in one line"), "swift-river-12 finished", "message"),
    "text": Variable(
        gettext_lazy("The rest of the message, with one line per run if there are several"),
        "State: Finished",
        "message",
    ),
    "body": Variable(
        gettext_lazy("Text, values and links of the message, as plain text"), "State: Finished", "message"
    ),
    "url": Variable(gettext_lazy("Link of the message"), "https://runyard.example.com/", "message"),
    "level": Variable(gettext_lazy("INFO, WARN or ERROR"), "INFO", "message"),
    "fields": Variable(
        gettext_lazy("Values of the message, as an object; use outside quotes"), {"State": "Finished"}, "message"
    ),
    "runs": Variable(
        gettext_lazy("All runs of the message, as a list of objects; use outside quotes"),
        [
            {
                "event": "RUN_STATE", "id": "k2x9q7ab", "name": "swift-river-12",
                "url": "https://runyard.example.com/vision/cifar/runs/k2x9q7ab", "state": "finished",
                "entity": "vision", "project": "cifar", "author": "ada", "level": "INFO",
                "title": "swift-river-12 finished", "text": "",
            }
        ],
        "message",
    ),
    "run_count": Variable(gettext_lazy("Number of runs the message is about"), 1, "message"),
    "delivery": Variable(
        gettext_lazy("ID of the message; stays the same when it is resent"),
        "3f1c9b1e-8d6f-4a8e-9a54-2f6f8e0f7a11",
        "message",
    ),
    "severity": Variable(gettext_lazy("info, warning or error, for PagerDuty"), "info", "message"),
    "priority": Variable(gettext_lazy("3, 4 or 5, for ntfy"), 3, "message"),
    "color": Variable(gettext_lazy("Color of the level, such as #2563eb"), "#2563eb", "message"),
    "color_number": Variable(gettext_lazy("The same as a number, for Discord"), 2_450_411, "message"),
    "color_name": Variable(gettext_lazy("blue, orange or red, for Feishu"), "blue", "message"),
    "card_style": Variable(
        gettext_lazy("accent, warning or attention, for adaptive cards"), "accent", "message"
    ),
    "facts": Variable(
        gettext_lazy("Values, as a list of “title” and “value”; use outside quotes"),
        [{"title": "State", "value": "Finished"}],
        "message",
    ),
    "card_items": Variable(
        gettext_lazy("Text, values and runs as elements of an adaptive card; use outside quotes"),
        [{"type": "TextBlock", "text": "State: Finished", "wrap": True}],
        "message",
    ),
    "embed_fields": Variable(
        gettext_lazy("Values, as a list of “name” and “value”; use outside quotes"),
        [{"name": "State", "value": "Finished", "inline": True}],
        "message",
    ),
    "topic": Variable(gettext_lazy("For ntfy: the last part of the URL"), "runyard-alerts", "message"),
    "event_type": Variable(
        gettext_lazy("What happened, such as RUN_STATE; SEVERAL if it differs between runs"),
        "RUN_STATE",
        "event",
    ),
    "event_author": Variable(
        gettext_lazy("Owner of the run, who changed the artifact, or who created the sweep"), "ada", "event"
    ),
    "entity_name": Variable(gettext_lazy("Team or person that owns the project"), "vision", "event"),
    "project_name": Variable(gettext_lazy("Project"), "cifar", "event"),
    "run_id": Variable(gettext_lazy("ID of the run"), "k2x9q7ab"),
    "run_name": Variable(gettext_lazy("Run name"), "swift-river-12"),
    "run_url": Variable(
        gettext_lazy("URL of the run"), "https://runyard.example.com/vision/cifar/runs/k2x9q7ab"
    ),
    "run_state": Variable(gettext_lazy("State of the run"), "finished"),
    "metric_name": Variable(gettext_lazy("Metric that met the condition"), "val/loss"),
    "metric_value": Variable(gettext_lazy("Its value"), 0.0312),
    "threshold": Variable(gettext_lazy("What it was compared with"), 0.05),
    "alias": Variable(gettext_lazy("Alias that was added"), "production", "artifact"),
    "tag": Variable(gettext_lazy("Tag that was added or removed"), "release", "artifact"),
    "artifact_collection_name": Variable(gettext_lazy("Collection of the artifact"), "resnet", "artifact"),
    "artifact_version": Variable(
        gettext_lazy("URI of the version, for programs"), "wandb-artifact://_id/QXJ0aWZhY3Q6MQ==", "artifact"
    ),
    "artifact_version_string": Variable(
        gettext_lazy("Name of the version"), "vision/cifar/resnet:v3", "artifact"
    ),
    "artifact_url": Variable(
        gettext_lazy("URL of the version’s page"),
        "https://runyard.example.com/vision/cifar/artifacts/model/resnet/v3", "artifact",
    ),
    "sweep_id": Variable(gettext_lazy("ID of the sweep"), "q8w3n5zt", "sweep"),
    "sweep_name": Variable(gettext_lazy("Name of the sweep"), "learning-rates", "sweep"),
    "sweep_url": Variable(
        gettext_lazy("URL of the sweep"), "https://runyard.example.com/vision/cifar/sweeps/q8w3n5zt", "sweep"
    ),
    "sweep_state": Variable(
        gettext_lazy("RUNNING, PAUSED, FINISHED, STOPPED or CANCELED"), "FINISHED", "sweep"
    ),
    "best_value": Variable(gettext_lazy("Best value of the sweep’s metric so far"), 0.0312, "sweep"),
    "best_run": Variable(gettext_lazy("Name of the run with the best value"), "brisk-sweep-7", "sweep"),
    "best_run_url": Variable(
        gettext_lazy("URL of that run"), "https://runyard.example.com/vision/cifar/runs/m4d7t2xw", "sweep"
    ),
    "failed_runs": Variable(gettext_lazy("How many of its runs failed or crashed"), 2, "sweep"),
    "ended_runs": Variable(gettext_lazy("How many of its runs have ended"), 14, "sweep"),
}  # fmt: skip
"""In the order in which pages list them. `artifact_metadata.KEY` comes to them."""

_NUMBERS = {"metric_value", "threshold", "best_value", "failed_runs", "ended_runs"}


def is_variable(name: str) -> bool:
    """Say whether payloads know it without any secret."""
    return name in VARIABLES or _METADATA.fullmatch(name) is not None


def names_in(template: str) -> set[str]:
    """Return the names of all variables and secrets that a template has."""
    return {part.group("name") for part in _PART.finditer(template) if part.group("name") is not None}


def check_template(template: str, *, secret_names: Collection[str] | None) -> None:
    """Let pass a template that will be JSON whatever the values are.

    Args:
        template: What was written.
        secret_names: Those there are; None where the writer may not know them, and `secrets.require_use` decides.

    Raises:
        Invalid: says what is wrong, and of an unknown variable which there are.
    """
    if len(template) > MAX_TEMPLATE:
        raise Invalid(_("A payload can have at most %(limit)s characters.") % {"limit": f"{MAX_TEMPLATE:,}"})
    names = names_in(template)
    known_secrets = names if secret_names is None else {*secret_names, ACCESS_TOKEN}
    unknown = sorted(name for name in names - known_secrets if not is_variable(name))
    if unknown:
        message = _(
            "Unknown variable or secret %(unknown)s. Variables: %(known)s, artifact_metadata.KEY. Secrets: "
            "%(secrets)s."
        )
        known, secrets = ", ".join(VARIABLES), ", ".join(sorted(secret_names or ())) or _("none")
        raise Invalid(message % {"unknown": ", ".join(unknown), "known": known, "secrets": secrets})
    if any(part.group() == "$" and template.startswith("{", part.end()) for part in _PART.finditer(template)):
        raise Invalid(_("A variable is not closed. Write ${name}, or \\u0024 for a plain dollar sign."))
    _check_json(_filled(template, lambda _name: None))


def fill(template: str, values: Mapping[str, Any]) -> str:
    """Return the payload: the template with every variable's value; those without one are empty.

    Raises:
        Invalid: it is no JSON, or larger than it may be.
    """
    payload = _filled(template, lambda name: _value(name, values))
    _check_json(payload)
    if len(payload.encode(errors="replace")) > MAX_PAYLOAD_BYTES:
        limit = f"{MAX_PAYLOAD_BYTES // 1024} KiB"
        raise Invalid(_("With values filled in, the payload is larger than %(limit)s.") % {"limit": limit})
    return payload


def samples() -> dict[str, Any]:
    """Return a value for every variable."""
    return {name: variable.sample for name, variable in VARIABLES.items()}


def _value(name: str, values: Mapping[str, Any]) -> Any:
    """Return what is to be said; numbers come as text, and leave as numbers."""
    value = values.get(name)
    if isinstance(value, str) and (name in _NUMBERS or name.startswith("artifact_metadata.")):
        try:
            return json.loads(value, parse_constant=str, parse_float=_finite)
        except (ValueError, RecursionError):
            return value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _finite(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text


def _filled(template: str, value_of: Callable[[str], Any]) -> str:
    return "".join(_parts(template, value_of))


def _parts(template: str, value_of: Callable[[str], Any]) -> Iterator[str]:
    is_inside = False
    for part in _PART.finditer(template):
        name = part.group("name")
        if name is not None:
            yield _inside(value_of(name)) if is_inside else json.dumps(value_of(name), ensure_ascii=False)
            continue
        is_inside ^= part.group("mark") == '"'
        yield part.group()


def _inside(value: Any) -> str:
    """Return a value as a part of a JSON string."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _check_json(payload: str) -> None:
    """Let pass JSON as RFC 8259 has it, so without NaN.

    Raises:
        Invalid: says where it ends to be JSON.
    """
    try:
        json.loads(payload, parse_constant=_no_number)
    except RecursionError:
        raise Invalid(_("The payload is nested too deeply.")) from None
    except json.JSONDecodeError as error:
        message = _("The payload isn’t valid JSON: %(why)s in line %(line)s, column %(column)s.")
        raise Invalid(message % {"why": error.msg, "line": error.lineno, "column": error.colno}) from None
    except ValueError as error:
        raise Invalid(_("The payload isn’t valid JSON: %(why)s.") % {"why": error}) from None


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")
