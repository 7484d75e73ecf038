"""The distributions as the form names them: their fields, and what one becomes when another is chosen."""

import math
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Parameter = dict[str, Any]
_BOUNDS, _STEPS = ("min", "max"), ("min", "max", "q")


@dataclass(frozen=True, slots=True)
class Kind:
    """One way to search a parameter; ``name`` is the distribution's in YAML."""

    name: str
    label: str | Promise
    fields: tuple[str, ...]
    is_usual: bool = False
    """Whether the form offers it among the first."""


KINDS = {
    kind.name: kind
    for kind in (
        Kind("categorical", _("Values"), ("values",), is_usual=True),
        Kind("uniform", _("Range"), _BOUNDS, is_usual=True),
        Kind("int_uniform", _("Whole numbers"), _BOUNDS, is_usual=True),
        Kind("log_uniform_values", _("Logarithmic range"), _BOUNDS, is_usual=True),
        Kind("q_uniform", _("Stepped range"), _STEPS, is_usual=True),
        Kind("constant", _("Single value"), ("value",), is_usual=True),
        Kind("normal", _("Normal"), ("mu", "sigma"), is_usual=True),
        Kind("categorical_w_probabilities", _("Weighted values"), ("values", "probabilities")),
        Kind("q_log_uniform_values", _("Stepped logarithmic range"), _STEPS),
        Kind("inv_log_uniform_values", _("Inverse logarithmic range"), _BOUNDS),
        Kind("log_uniform", _("Logarithmic range (exponents of e)"), _BOUNDS),
        Kind("q_log_uniform", _("Stepped logarithmic range (exponents of e)"), _STEPS),
        Kind("inv_log_uniform", _("Inverse logarithmic range (exponents of e)"), _BOUNDS),
        Kind("q_normal", _("Stepped normal"), ("mu", "sigma", "q")),
        Kind("log_normal", _("Log-normal"), ("mu", "sigma")),
        Kind("q_log_normal", _("Stepped log-normal"), ("mu", "sigma", "q")),
        Kind("beta", _("Beta"), ("a", "b")),
        Kind("q_beta", _("Stepped beta"), ("a", "b", "q")),
    )
}
FIELD_LABELS = {
    "values": _("Values, separated by commas"), "value": _("Value"), "probabilities": _("Probabilities"),
    "min": _("Minimum"), "max": _("Maximum"), "q": _("Step"), "mu": _("Mean"), "sigma": _("Standard deviation"),
    "a": _("a (alpha)"), "b": _("b (beta)"),
}  # fmt: skip
_IMPLIED = ("categorical", "constant")
"""What the keys alone say, so that ``distribution`` would only repeat them."""
_STANDARD = {"mu": 0, "sigma": 1, "a": 1, "b": 1}


def kind_of(parameter: Any) -> Kind | None:
    """Return how a parameter is searched, None where the form cannot show it: nested ones, and what is unknown."""
    if not isinstance(parameter, dict) or "parameters" in parameter:
        return None
    name = parameter.get("distribution")
    if name is None:
        name = _implied(parameter)
    kind = KINDS.get(name) if isinstance(name, str) else None
    known = {*kind.fields, "distribution"} if kind else set()
    return kind if set(parameter) <= known else None


def _implied(parameter: Parameter) -> str:
    if "value" in parameter:
        return "constant"
    if "values" in parameter:
        return "categorical_w_probabilities" if "probabilities" in parameter else "categorical"
    bounds = [parameter.get(key) for key in _BOUNDS]
    return "int_uniform" if all(isinstance(bound, int) for bound in bounds) else "uniform"


def as_kind(parameter: Any, name: str) -> Parameter:
    """Return a parameter searched in another way, over what it is now as far as that can be said."""
    old = parameter if isinstance(parameter, dict) else {}
    kind = KINDS[name]
    made: Parameter = {} if name in _IMPLIED else {"distribution": name}
    low, high = _ends(old)
    values = _values(old)
    for field in kind.fields:
        made[field] = {
            "value": values[0],
            "values": values,
            "probabilities": [round(1 / len(values), 6)] * len(values),
            "min": _bound(name, low),
            "max": _bound(name, high),
            "q": _step(low, high),
        }.get(field, old.get(field, _STANDARD.get(field)))
    if "q" in old and "q" in made:
        made["q"] = old["q"]
    return made


def _numbers(values: Any) -> list[float]:
    listed = values if isinstance(values, list) else [values]
    return [one for one in listed if isinstance(one, int | float) and not isinstance(one, bool)]


def _ends(parameter: Parameter) -> tuple[float, float]:
    """Return the smallest and largest number that a parameter has now."""
    found = [number for key in ("values", "value", *_BOUNDS) for number in _numbers(parameter.get(key))]
    if not found:
        return 0, 1
    low, high = min(found), max(found)
    return (low, high) if low < high else (low, low + 1)


def _bound(kind: str, number: float) -> float:
    if kind == "int_uniform":
        return math.floor(number)
    if "values" in kind and number <= 0:  # of a logarithm
        return 1e-4
    return float(number) if "uniform" in kind and not kind.startswith("q_") else number


def _step(low: float, high: float) -> float:
    return 1 if isinstance(low, int) and isinstance(high, int) else float(f"{(high - low) / 10:.1g}")


def _values(parameter: Parameter) -> list[Any]:
    """Return the values that a parameter has now, or the ends of its range."""
    if isinstance(parameter.get("values"), list) and parameter["values"]:
        return list(parameter["values"])
    if "value" in parameter:
        return [parameter["value"]]
    return list(_ends(parameter))
