"""What system metrics are: titles, units and groups of their charts, from the agent's one table (hardware.json)."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from django.utils.translation import gettext as _

TABLE = Path(__file__).with_name("hardware.json")
"""Written by ``make schemas`` from agent/runyard_agent/metrics.py."""

GROUPS = (
    "GPU", "TPU", "Trainium", "IPU", "CPU", "Memory", "Disk", "Network", "Apple silicon", "GPU of the process",
    "MIG instance", "OpenMetrics",
)  # fmt: skip
"""In the order in which people look; others follow."""
_NUMBERS = frozenset({"gpu", "core", "mig", "n", "ipu", "tpu"})
"""Placeholders that are numbers; any other is text that may hold dots."""
_DEVICES = {
    "gpu": "GPU",
    "core": "",
    "mig": "MIG",
    "n": "",
    "ipu": "IPU",
    "tpu": "TPU",
    "path": "",
    "device": "",
}
"""Placeholders that tell lines of one chart apart, and what is written before them; others tell charts apart."""
_RATES = {"bytes": "bytes/s", "MiB": "MiB/s", "J": "W", "mJ": "mW", "count": "1/s"}
_FAMILIES = {"cpu": "CPU", "proc": "CPU", "memory": "Memory", "swap": "Memory", "disk": "Disk", "network": "Network",
             "gpu": "GPU"}  # fmt: skip
_PLACEHOLDER = re.compile(r"{(\w+)}")
_NUMBER = re.compile(r"\.(\d+)(?=\.)")


@dataclass(frozen=True, slots=True)
class SystemMetric:
    """A row of the table."""

    tag: str
    unit: str
    title: str
    group: str
    source: str
    text: str
    aliases: tuple[str, ...]
    cumulative: bool

    @property
    def plain_title(self) -> str:
        """The title without the device; equal ones of a group and unit share a chart."""
        return _without_devices(self.title)


@dataclass(frozen=True, slots=True)
class TagMatch:
    """What a tag is: the metric, which device, and the label of the node that sampled it."""

    metric: SystemMetric
    places: tuple[tuple[str, str], ...]
    label: str
    is_known: bool = True

    @property
    def tag(self) -> str:
        """The tag in its documented spelling, without ``system.`` and label; aliases have the same."""
        places = dict(self.places)
        return _PLACEHOLDER.sub(lambda place: places.get(place[1], ""), self.metric.tag)

    @property
    def device(self) -> str:
        """What tells its line from others of the chart: ``GPU 3``, ``/mnt/data``; "" for the whole machine."""
        named = [f"{_DEVICES[name]} {value}".strip() for name, value in self.places if name in _DEVICES]
        return " · ".join(name for name in named if name)


@dataclass(frozen=True, slots=True)
class SystemChart:
    """The chart that a key's line belongs to, in the reader's language."""

    id: str
    title: str
    unit: str
    rate_unit: str
    """Of what a counter grows by in a second; "" for what is no counter."""
    section: str
    rank: int
    """Of the section; lower ones come first."""
    order: int
    """Within the section."""
    text: str


def match_tag(key: str) -> TagMatch:
    """Return what a key of a system row is, with or without ``system.`` before it; the set of tags is open.

    >>> find("system.gpu.0.temp/l:node-3").label
    'node-3'
    """
    bare, _mark, label = key.partition("/l:")
    short = bare.removeprefix("system.")
    known = _known(bare) or (_known(short) if short != bare else None)
    if known is None:
        return TagMatch(
            _unknown(short), tuple(("n", number) for number in _NUMBER.findall(short)), label, is_known=False
        )
    return TagMatch(*known, label)


def chart_of(found: TagMatch) -> SystemChart:
    """Return the chart of a key."""
    metric = found.metric
    places = {name: value for name, value in found.places if name not in _DEVICES}
    key = (metric.group, metric.plain_title, metric.unit)
    charts, units = _charts()
    order, first = charts.get(key, (len(charts), metric.tag))
    title = _without_devices(_(metric.title)) if found.is_known else metric.title
    title = _PLACEHOLDER.sub(lambda place: places.get(place[1], ""), title)
    if len(units.get(key[:2], ())) > 1:
        title = f"{title} ({metric.unit})"
    endpoint = places.get("endpoint", "")
    return SystemChart(
        id=":".join([first, *places.values()]),
        title=title,
        unit=metric.unit,
        rate_unit=_RATES.get(metric.unit, f"{metric.unit}/s") if metric.cumulative else "",
        section=" · ".join(
            filter(None, [_(metric.group) if metric.group in GROUPS else metric.group, endpoint])
        ),
        rank=GROUPS.index(metric.group) if metric.group in GROUPS else len(GROUPS),
        order=order,
        text=_(metric.text).replace("`", "") if metric.text else "",
    )


@cache
def table() -> tuple[SystemMetric, ...]:
    """Return all metrics, in the order of charts."""
    rows = json.loads(TABLE.read_text())
    return tuple(SystemMetric(**row | {"aliases": tuple(row["aliases"])}) for row in rows)


@cache
def _charts() -> tuple[dict[tuple[str, str, str], tuple[int, str]], dict[tuple[str, str], set[str]]]:
    """Return (order, first tag) of each chart by group, title and unit, and which units share a title."""
    charts: dict[tuple[str, str, str], tuple[int, str]] = {}
    units: dict[tuple[str, str], set[str]] = {}
    for metric in table():
        charts.setdefault((metric.group, metric.plain_title, metric.unit), (len(charts), metric.tag))
        units.setdefault((metric.group, metric.plain_title), set()).add(metric.unit)
    return charts, units


def _without_devices(title: str) -> str:
    """Return the title of a chart of all devices."""
    kept = _PLACEHOLDER.sub(lambda place: "" if place[1] in _DEVICES else place[0], title)
    return " ".join(kept.split())


def _unknown(name: str) -> SystemMetric:
    """Return a row for a tag that no table has, titled by its own name; numbers in it are devices."""
    family = name.partition(".")[0]
    is_device = _NUMBER.match(name[len(family) :]) is not None
    group = _FAMILIES.get(family) or (family.upper() if is_device else _("Other"))
    return SystemMetric(
        _NUMBER.sub(".{n}", name), "", _NUMBER.sub("", name), group, "", "", (), cumulative=False
    )


@lru_cache(maxsize=16384)
def _known(name: str) -> tuple[SystemMetric, tuple[tuple[str, str], ...]] | None:
    for pattern, metric in _patterns().get(name.partition(".")[0], ()):
        match = pattern.fullmatch(name)
        if match:
            return metric, tuple(match.groupdict().items())
    return None


@cache
def _patterns() -> dict[str, list[tuple[re.Pattern[str], SystemMetric]]]:
    """Return the patterns of tags and aliases, by what stands before the first dot."""
    found: dict[str, list[tuple[re.Pattern[str], SystemMetric]]] = {}
    for metric in table():
        for tag in (metric.tag, *metric.aliases):
            found.setdefault(tag.partition(".")[0], []).append((_pattern(tag), metric))
    return found


def _pattern(tag: str) -> re.Pattern[str]:
    return re.compile("".join(_parts(tag)))


def _parts(tag: str) -> Iterator[str]:
    for odd, part in enumerate(_PLACEHOLDER.split(tag)):
        if odd % 2:
            yield f"(?P<{part}>{r'[0-9]+' if part in _NUMBERS else '.+'})"
        else:
            yield re.escape(part)
