"""The section ``parameters``: names, and a distribution for each.

Source: the schema of the package ``sweeps`` 0.2.0, and what the SDK fills in (wandb/apis/public/sweeps.py).
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from sweeps.config.section import Section
from sweeps.config.yaml_text import number_in
from sweeps.space.curves import FARTHEST_DEVIATION, Beta, Curve, LogNormal, LogUniform, Normal, Uniform
from sweeps.space.distributions import Continuous, Distribution, Quantised, Steps
from sweeps.space.numbers import Multiples
from sweeps.space.options import Options, distinct
from sweeps.space.space import Parameter, Space

MOST_PARAMETERS = 1_000
MOST_VALUES = 100_000
_LARGEST_SHAPE = 1_000_000
"""Of a beta distribution; with shapes far larger, quantiles cannot be computed."""
_LARGEST_EXPONENT = 700
"""The exponential of more is infinite, of less than its negative 0."""


def _constant(section: Section) -> Distribution:
    return Options((section.data["value"],))


def _checked_values(section: Section) -> list[object]:
    values = section.items("values")
    if not values:
        raise section.error("values", _("needs at least one value."))
    if len(values) > MOST_VALUES:
        raise section.error("values", _("can have at most %(most)s values.") % {"most": MOST_VALUES})
    text = next((value for value in values if isinstance(value, str) and number_in(value) is not None), None)
    if text is not None:
        section.warn(
            "values",
            _("%(text)s is text in YAML; for a number, write a dot and a sign: 1.0e-3.") % {"text": text},
        )
    return values


def _categorical(section: Section) -> Distribution:
    values = _checked_values(section)
    kept = distinct(values)
    if len(kept) < len(values):
        section.warn("values", _("has duplicate values; each counts once."))
    return Options(tuple(values[position] for position in kept))


def _weighted(section: Section) -> Distribution:
    values = _checked_values(section)
    weights = _probabilities(section, len(values))
    kept = distinct(values)
    if len(kept) < len(values):
        raise section.error(
            "values", _("has a duplicate value; list it once, with the sum of its probabilities.")
        )
    drawn = [position for position in kept if weights[position] > 0]
    return Options(
        tuple(values[position] for position in drawn), tuple(weights[position] for position in drawn)
    )


def _probabilities(section: Section, count: int) -> list[float]:
    items = section.elements("probabilities")
    if len(items.data) != count:
        raise section.error(
            "probabilities",
            _("must have as many entries as the values: %(count)s, not %(found)s.")
            % {"count": count, "found": len(items.data)},
        )
    weights = [float(items.number(position)) for position in items.data]
    if min(weights) < 0:
        raise section.error("probabilities", _("must not be negative."))
    total = math.fsum(weights)
    if not math.isclose(total, 1, abs_tol=1e-5):
        raise section.error("probabilities", _("must sum to 1, not %(sum)s.") % {"sum": f"{total:g}"})
    return weights


def _require_order(section: Section, low: float, high: float) -> None:
    if low >= high:
        raise section.error("max", _("must be greater than min (%(min)s).") % {"min": low})


def _int_uniform(section: Section) -> Distribution:
    low, high = section.whole("min"), section.whole("max")
    _require_order(section, low, high)
    return Steps.of(Multiples.within(1, low, high))


def _uniform(section: Section) -> Curve:
    low, high = section.number("min"), section.number("max")
    _require_order(section, low, high)
    return Uniform(float(low), float(high))


def _log_uniform(section: Section) -> Curve:
    low, high = _exponents(section)
    return LogUniform(math.exp(low), math.exp(high))


def _inv_log_uniform(section: Section) -> Curve:
    low, high = _exponents(section)
    return LogUniform(math.exp(-high), math.exp(-low))


def _exponents(section: Section) -> tuple[float, float]:
    low, high = section.number("min"), section.number("max")
    _require_order(section, low, high)
    kind = section.data["distribution"]
    for key, exponent in (("min", low), ("max", high)):
        if abs(exponent) > _LARGEST_EXPONENT:
            raise section.error(
                key,
                _(
                    "is an exponent of e and must be between -%(most)s and %(most)s; %(kind)s_values takes values."
                )
                % {"most": _LARGEST_EXPONENT, "kind": kind},
            )
    section.warn(
        "",
        _("min and max of %(kind)s are exponents of e; %(kind)s_values takes the values themselves.")
        % {"kind": kind},
    )
    return low, high


def _log_uniform_values(section: Section) -> Curve:
    low, high = section.above("min", 0), section.number("max")
    _require_order(section, low, high)
    return LogUniform(float(low), float(high))


def _normal(section: Section) -> Curve:
    return Normal(float(section.number("mu", 0)), float(section.above("sigma", 0, 1)))


def _log_normal(section: Section) -> Curve:
    mu, sigma = float(section.number("mu", 0)), float(section.above("sigma", 0, 1))
    if abs(mu) + FARTHEST_DEVIATION * sigma > _LARGEST_EXPONENT:
        raise section.error(
            "", _("mu and sigma apply to the logarithm; with these, the values are too large.")
        )
    return LogNormal(mu, sigma)


def _beta(section: Section) -> Curve:
    for key in ("a", "b"):
        if section.above(key, 0, 1) > _LARGEST_SHAPE:
            raise section.error(key, _("must be at most %(most)s.") % {"most": _LARGEST_SHAPE})
    return Beta(float(section.number("a", 1)), float(section.number("b", 1)))


def _continuous(curve: Callable[[Section], Curve]) -> Callable[[Section], Distribution]:
    return lambda section: Continuous(curve(section))


def _quantised(curve_of: Callable[[Section], Curve]) -> Callable[[Section], Distribution]:
    def build(section: Section) -> Distribution:
        curve = curve_of(section)
        return Quantised(curve, _multiples(section, curve.low, curve.high))

    return build


def _q_uniform(section: Section) -> Distribution:
    low, high = section.number("min"), section.number("max")
    _require_order(section, low, high)
    multiples = _multiples(section, low, high)
    if multiples.first is not None and multiples.q * multiples.first > low:
        section.warn(
            "",
            _("values are multiples of q, so the first is %(first)s.")
            % {"first": multiples.value(multiples.first)},
        )
    return Steps.of(multiples)


def _multiples(section: Section, low: float, high: float) -> Multiples:
    q = section.above("q", 0, 1)
    multiples = Multiples.within(q, low, high)
    count = multiples.count()
    if count is not None and count < 1:
        raise section.error("q", _("there is no multiple of %(q)s between the bounds.") % {"q": q})
    return multiples


@dataclass(frozen=True, slots=True)
class _Kind:
    """A distribution: the keys it must and may have besides its name, and what makes it of them."""

    required: tuple[str, ...]
    optional: tuple[str, ...]
    build: Callable[[Section], Distribution]


_BOUNDS = ("min", "max")
_KINDS = {
    "constant": _Kind(("value",), (), _constant),
    "categorical": _Kind(("values",), (), _categorical),
    "categorical_w_probabilities": _Kind(("values", "probabilities"), (), _weighted),
    "int_uniform": _Kind(_BOUNDS, (), _int_uniform),
    "uniform": _Kind(_BOUNDS, (), _continuous(_uniform)),
    "q_uniform": _Kind(_BOUNDS, ("q",), _q_uniform),
    "log_uniform": _Kind(_BOUNDS, (), _continuous(_log_uniform)),
    "q_log_uniform": _Kind(_BOUNDS, ("q",), _quantised(_log_uniform)),
    "inv_log_uniform": _Kind(_BOUNDS, (), _continuous(_inv_log_uniform)),
    "log_uniform_values": _Kind(_BOUNDS, (), _continuous(_log_uniform_values)),
    "q_log_uniform_values": _Kind(_BOUNDS, ("q",), _quantised(_log_uniform_values)),
    # log(1/x) from log(1/max) to log(1/min) is the same as log(x) from log(min) to log(max)
    "inv_log_uniform_values": _Kind(_BOUNDS, (), _continuous(_log_uniform_values)),
    "normal": _Kind((), ("mu", "sigma"), _continuous(_normal)),
    "q_normal": _Kind((), ("mu", "sigma", "q"), _quantised(_normal)),
    "log_normal": _Kind((), ("mu", "sigma"), _continuous(_log_normal)),
    "q_log_normal": _Kind((), ("mu", "sigma", "q"), _quantised(_log_normal)),
    "beta": _Kind((), ("a", "b"), _continuous(_beta)),
    "q_beta": _Kind((), ("a", "b", "q"), _quantised(_beta)),
}


def _kind_of(section: Section) -> str:
    """Return the name of a distribution: the one given, else the one that the keys imply, as the SDK has it."""
    if "distribution" in section:
        return section.choice("distribution", _KINDS)
    if "value" in section.data:
        return "constant"
    if "values" in section:
        return "categorical_w_probabilities" if "probabilities" in section else "categorical"
    if "min" in section and "max" in section and "q" not in section:
        kinds = {type(section.number(key)) for key in _BOUNDS}
        if len(kinds) == 2:
            message = _("write min and max both as whole numbers (1, 10) or both as decimals (1.0, 10.0).")
            raise section.error("", message)
        return "int_uniform" if kinds == {int} else "uniform"
    raise section.error("", _("needs value, values, min and max, or a distribution with its keys."))


def _distribution(section: Section) -> tuple[str, Distribution]:
    name = _kind_of(section)
    kind = _KINDS[name]
    section.only((*kind.required, *kind.optional, "distribution"))
    for key in kind.required:
        if key not in section.data:
            raise section.error("", _("%(kind)s needs %(key)s.") % {"kind": name, "key": key})
    return name, kind.build(section)


def _parameters(section: Section, names: tuple[str, ...]) -> Iterator[Parameter]:
    if not section.data:
        raise section.error("", _("needs at least one parameter."))
    for name in section.data:
        if not name:
            raise section.error("", _("a parameter needs a name."))
        if not isinstance(section.data[name], dict):
            raise section.error(name, _("must be a mapping, such as {value: 1} or {values: [1, 2]}."))
        inner = section.section(name)
        if "parameters" in inner.data:
            inner.only(("parameters",))
            yield from _parameters(inner.section("parameters"), (*names, name))
        else:
            yield Parameter((*names, name), *_distribution(inner))


def read_space(section: Section) -> Space:
    """Return the space of a section ``parameters``.

    Raises:
        Invalid: a distribution is not known, or its keys do not fit; the message names the path.
    """
    parameters: list[Parameter] = []
    for parameter in _parameters(section, ()):
        if len(parameters) == MOST_PARAMETERS:
            raise section.error("", _("can have at most %(most)s parameters.") % {"most": MOST_PARAMETERS})
        parameters.append(parameter)
    return Space(tuple(parameters))
