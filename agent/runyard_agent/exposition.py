"""Families of metrics in the text format of Prometheus (0.0.4), named and in base units as it wants them.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/ and https://prometheus.io/docs/practices/naming/
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from runyard_agent.metrics import Metric, describe

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_UNITS = {
    "%": ("ratio", 1, 100),
    "bytes": ("bytes", 1, 1),
    "MiB": ("bytes", 2**20, 1),
    "GiB": ("bytes", 2**30, 1),
    "bytes/s": ("bytes_per_second", 1, 1),
    "Mbit/s": ("bytes_per_second", 125_000, 1),
    "W": ("watts", 1, 1),
    "J": ("joules", 1, 1),
    "mJ": ("joules", 1, 1000),
    "°C": ("celsius", 1, 1),
    "MHz": ("hertz", 10**6, 1),
    "GT/s": ("transfers_per_second", 10**9, 1),
    "s": ("seconds", 1, 1),
    "lanes": ("lanes", 1, 1),
    "count": ("", 1, 1),
    "": ("", 1, 1),
}
"""The suffix of a unit, and by what its values are multiplied and divided."""
_UNIT_WORDS = {"percent", "mb", "gb", "bytes", "watts", "joules"}
"""Units at the end of tags."""
_LEFT_OUT = {
    "disk.in",  # the sums of what each disk has
    "disk.out",
    "openmetrics.{endpoint}.{metric}.{n}",  # Prometheus asks the endpoint itself, which knows the labels
}
_NAMES = {
    "cpu": "cpu_utilization",
    "cpu.{core}.cpu_percent": "cpu_core_utilization",
    "memory_percent": "memory_utilization",
    "tpu": "tpu_utilization",
    "ipu.{ipu}.{key}": "ipu_attribute",
    **{
        place + tag: f"{prefix}_{name}"
        for place, prefix in (("gpu.{gpu}.", "gpu"), ("gpu.process.{gpu}.", "gpu_process"))
        for tag, name in (
            ("gpu", "utilization"),
            ("memory", "memory_access"),
            ("unCorrectedMemoryErrors", "uncorrected_memory_errors"),
        )
    },
}
"""Tags that say too little without what stands around them."""


class Family(NamedTuple):
    """Series of one name."""

    name: str
    text: str
    series: list[tuple[Mapping[str, str], float]]
    """Labels and value of each."""


def prometheus_name(metric: Metric) -> str:
    """Return what a metric is called there; empty where it is left out.

    >>> prometheus_name(Metric("gpu.{gpu}.temp", "°C", "", "", "", ""))
    'runyard_gpu_temp_celsius'
    """
    if metric.tag in _LEFT_OUT:
        return ""
    words = _words(_NAMES.get(metric.tag, metric.tag))
    suffix = _UNITS[metric.unit][0]
    return "_".join(filter(None, ("runyard", *words, suffix, "total" if metric.cumulative else "")))


def families_of(values: Mapping[str, float], *, label: str, uuids: Mapping[str, str]) -> list[Family]:
    """Return the families of values by tag.

    Args:
        label: the agent's own; a value with another one is of another host.
        uuids: of this host's GPUs, by index.
    """
    found: dict[str, Family] = {}
    for tag, value in values.items():
        described = describe(tag)
        name = _name(described.metric) if described else ""
        if not described or not name:
            continue
        _, times, over = _UNITS[described.metric.unit]
        labels = dict(described.places)
        if described.label:
            labels["label"] = described.label
        if described.label == label and (uuid := uuids.get(labels.get("gpu", ""))):
            labels["uuid"] = uuid
        family = found.setdefault(name, Family(name, described.metric.text, []))
        family.series.append((labels, value * times / over))
    return list(found.values())


def text_of(families: Iterable[Family]) -> str:
    """Return the page that Prometheus reads."""
    return "".join(f"{line}\n" for family in families if family.series for line in _lines(family))


def _lines(family: Family) -> Iterator[str]:
    yield f"# HELP {family.name} {_escaped(family.text)}"
    yield f"# TYPE {family.name} {'counter' if family.name.endswith('_total') else 'gauge'}"
    for labels, value in family.series:
        pairs = ",".join(f'{name}="{_quoted(text)}"' for name, text in labels.items())
        yield f"{family.name}{{{pairs}}} {float(value)!r}" if pairs else f"{family.name} {float(value)!r}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _quoted(text: str) -> str:
    return _escaped(text).replace('"', '\\"')


def _words(tag: str) -> list[str]:
    """Return the words of a tag without placeholders and unit, none twice in a row as in ``ipu.0.ipu power (W)``."""
    bare = re.sub(r"{\w+}|\([^()]*\)$", "", tag)
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", bare).lower()
    words = [word for word in re.split(r"[^a-z0-9]+", snake) if word]
    if len(words) > 1 and words[-1] in _UNIT_WORDS:
        words.pop()
    return [word for word, before in zip(words, ["", *words]) if word != before]


_name = lru_cache(maxsize=512)(prometheus_name)
