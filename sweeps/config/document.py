"""The configuration of a sweep: its method, what it searches, and when it ends.

Source: the schema of the package ``sweeps`` 0.2.0, of which the SDK writes documents.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext as _

from common.errors import Invalid
from sweeps.config.hyperband import Hyperband, read_hyperband
from sweeps.config.parameters import read_space
from sweeps.config.section import Section
from sweeps.config.yaml_text import read_yaml
from sweeps.space.space import Space

__all__ = ["Hyperband", "Method", "Metric", "SweepConfig", "config_in", "read_config"]


class Method(StrEnum):
    """How the next arguments are chosen."""

    GRID = "grid"
    RANDOM = "random"
    BAYES = "bayes"


@dataclass(frozen=True, slots=True)
class Metric:
    """What a sweep optimises: a key of the summary; ``target``: the sweep ends once a run gets there."""

    name: str
    goal: str
    """``minimize`` or ``maximize``."""
    target: float | None


@dataclass(frozen=True, slots=True)
class SweepConfig:
    """What a sweep is to do; empty texts and None where the document says nothing."""

    method: Method
    space: Space
    metric: Metric | None
    run_cap: int | None
    """The most runs that are started, at least 1."""
    early_terminate: Hyperband | None
    program: str
    command: tuple[str, ...]
    name: str
    description: str
    retry_crashed: bool
    """Whether arguments whose run crashed are handed out again; a grid does so unless told otherwise."""
    warnings: tuple[str, ...]
    """Sentences about what is allowed but without effect, or hardly meant."""


_TAKEN = (
    "method parameters metric run_cap early_terminate program command name description retry_crashed controller"
).split()
_WITHOUT_EFFECT = ("apiVersion", "kind", "entity", "project")
"""The SDK reads these itself, or only once there was another value."""
_LAUNCH = (
    "scheduler",
    "launch_scheduler",
    "launch",
    "job",
    "image_uri",
    "resource",
    "resource_args",
    "queue",
)

_LARGEST_GRID = 2**63 - 1
"""The number of a point fits a column."""


def _refuse_unsupported(section: Section) -> None:
    for key in _LAUNCH:
        if key in section.data:
            raise section.error(
                key, _("Launch jobs and queues are not supported; agents run the program: `wandb agent`.")
            )
    controller = section.data.get("controller")
    kind = controller.get("type") if isinstance(controller, dict) else controller
    if kind not in (None, "cloud"):  # a tuple: it may be a list, which has no hash
        raise section.error(
            "controller",
            _(
                "the server chooses the parameters; the local controller is not supported. Remove `controller`."
            ),
        )


def _warn_of_unknown(section: Section) -> None:
    for key in section.data:
        if key not in {*_TAKEN, *_WITHOUT_EFFECT}:
            section.warn(key, _("is unknown and has no effect."))


def _method(section: Section) -> Method:
    if "method" not in section:
        raise section.error("method", _("is required: grid, random or bayes."))
    if section.data["method"] == "custom":
        raise section.error("method", _("custom is not supported: the server chooses the parameters."))
    return Method(section.choice("method", list(Method)))


def _metric(section: Section, method: Method) -> Metric | None:
    if "metric" not in section:
        if method is Method.BAYES:
            raise section.error("metric.name", _("is required for bayes."))
        if "early_terminate" in section:
            raise section.error("metric.name", _("is required for early_terminate."))
        return None
    metric = section.section("metric")
    metric.only(("name", "goal", "target", "impute"))
    if not metric.text("name"):
        raise metric.error("name", _("is required."))
    if "impute" in metric:
        metric.warn("impute", _("has no effect."))
    if "goal" not in metric and method is Method.BAYES:
        metric.warn("goal", _("is missing; the metric is minimized."))
    goal = metric.choice("goal", ("minimize", "maximize")) if "goal" in metric else "minimize"
    target = float(metric.number("target")) if "target" in metric else None
    return Metric(metric.text("name"), goal, target)


def _command(section: Section) -> tuple[str, ...]:
    if "command" not in section:
        return ()
    words = section.elements("command")
    for position in words.data:
        if not words.text(position):
            raise words.error(position, _("must be text."))
    return tuple(words.text(position) for position in words.data)


def _space(section: Section, method: Method) -> Space:
    if "parameters" not in section:
        raise section.error("parameters", _("is required."))
    space = read_space(section.section("parameters"))
    if method is not Method.GRID:
        if all(parameter.fixed for parameter in space.parameters):
            section.warn("parameters", _("each has a single value, so there is nothing to search."))
        return space
    for parameter in space.parameters:
        if parameter.distribution.size() is None:
            raise _not_countable(section, parameter.path, parameter.kind)
        if parameter.kind == "categorical_w_probabilities":
            section.warn(_key(parameter.path), _("a grid ignores probabilities."))
    if (space.size() or 0) > _LARGEST_GRID:
        raise section.error(
            "parameters", _("a grid can have at most %(most)s points.") % {"most": _LARGEST_GRID}
        )
    return space


def _key(path: tuple[str, ...]) -> str:
    return "parameters." + ".parameters.".join(path)


def _not_countable(section: Section, path: tuple[str, ...], kind: str) -> Invalid:
    reason = _("%(kind)s is unbounded") if kind.startswith("q_") else _("%(kind)s is continuous")
    return section.error(
        _key(path),
        _("a grid needs values; %(reason)s. Use q_uniform, values or another method.")
        % {"reason": reason % {"kind": kind}},
    )


def _run_cap(section: Section, method: Method, space: Space) -> int | None:
    if "run_cap" not in section:
        return None
    run_cap = section.whole("run_cap", 1)
    size = space.size()
    if method is Method.GRID and size is not None and run_cap > size:
        section.warn("run_cap", _("is above the number of points in the grid (%(size)s).") % {"size": size})
    return run_cap


def read_config(text: str) -> SweepConfig:
    """Return what a document asks for.

    Raises:
        Invalid: it is no YAML, or not a sweep's; the message begins with the path of what is wrong.
    """
    return config_in(read_yaml(text))


def config_in(document: Any) -> SweepConfig:
    """Return what a document asks for that was YAML; raises as `read_config`."""
    if document is None:
        raise Invalid(_("The configuration is empty."))
    if not isinstance(document, dict):
        raise Invalid(_("The configuration must be a mapping with method and parameters."))
    section = Section((), document)
    _refuse_unsupported(section)
    _warn_of_unknown(section)
    method = _method(section)
    space = _space(section, method)
    return SweepConfig(
        method=method,
        space=space,
        metric=_metric(section, method),
        run_cap=_run_cap(section, method, space),
        early_terminate=read_hyperband(section.section("early_terminate"))
        if "early_terminate" in section
        else None,
        program=section.text("program"),
        command=_command(section),
        name=section.text("name"),
        description=section.text("description"),
        retry_crashed=section.flag("retry_crashed", default=method is Method.GRID),
        warnings=tuple(section.warnings),
    )
