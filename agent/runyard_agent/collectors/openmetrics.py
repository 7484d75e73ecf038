"""Any endpoint in the text format of Prometheus or OpenMetrics, with regular expressions that choose."""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Union

from runyard_agent.collecting import Facts, Failed, Reading

Filters = Union[list[str], Mapping[str, Mapping[str, str]]]
"""Expressions over ``<endpoint>.<metric>``, or such with expressions for labels, all of which must be found."""

_MOST_BYTES = 16 * 1024**2


class Point(NamedTuple):
    name: str
    labels: Mapping[str, str]
    value: float
    kind: str


class OpenMetrics:
    """Gauges and counters of one endpoint.

    A series is ``openmetrics.<endpoint>.<metric>.<n>``, n being the order in which its labels were first seen; the
    facts tell the labels of each.

    Args:
        filters: what is kept; nothing keeps all.
        headers: sent with each request, such as an authorization.
    """

    def __init__(
        self,
        endpoint: str,
        url: str,
        *,
        filters: Filters = (),  # type: ignore[assignment]
        headers: Mapping[str, str] | None = None,
        timeout_s: float = 5,
    ) -> None:
        self.name = f"openmetrics {endpoint}"
        self._endpoint, self._url, self._headers, self._timeout_s = endpoint, url, headers, timeout_s
        self._filters = compile_filters(filters)
        self._numbers: dict[str, dict[frozenset[tuple[str, str]], int]] = {}

    def start(self) -> None:
        """Ask nothing yet: an exporter may start after us."""

    def collect(self) -> Reading:
        reading: Reading = {}
        for point in points(fetch(self._url, self._headers, self._timeout_s)):
            if point.kind in ("gauge", "counter") and self._is_wanted(point):
                reading[f"openmetrics.{self._endpoint}.{point.name}.{self._number(point)}"] = point.value
        return reading

    def facts(self) -> Facts:
        """Return the labels of each series, which the tags have no room for."""
        return {
            f"_openmetrics.{self._endpoint}.{name}.{number}": dict(sorted(labels))
            for name, numbers in self._numbers.items()
            for labels, number in numbers.items()
            if labels
        }

    def close(self) -> None:
        """Hold nothing: each sample is a request of its own."""

    def _is_wanted(self, point: Point) -> bool:
        full = f"{self._endpoint}.{point.name}"
        return not self._filters or any(
            pattern.search(full)
            and all(rule.search(point.labels.get(name, "")) for name, rule in rules.items())
            for pattern, rules in self._filters
        )

    def _number(self, point: Point) -> int:
        numbers = self._numbers.setdefault(point.name, {})
        return numbers.setdefault(frozenset(point.labels.items()), len(numbers))


def compile_filters(filters: Filters) -> list[tuple[re.Pattern[str], dict[str, re.Pattern[str]]]]:
    """Return the expressions ready to search.

    Raises:
        ValueError: one is no regular expression.
    """
    rules = filters if isinstance(filters, Mapping) else {pattern: {} for pattern in filters}
    try:
        return [
            (re.compile(pattern), {name: re.compile(rule) for name, rule in labels.items()})
            for pattern, labels in rules.items()
        ]
    except re.error as error:
        raise ValueError(f"{error.pattern!r} is not a regular expression: {error}") from None


def fetch(url: str, headers: Mapping[str, str] | None, timeout_s: float) -> str:
    """Return the body of a URL.

    Raises:
        Failed: it can't be reached, or answers anything but 200.
    """
    import urllib3

    http = urllib3.PoolManager(num_pools=1, retries=False, timeout=timeout_s)
    try:
        with http.request("GET", url, headers=dict(headers or {}), preload_content=False) as reply:
            if reply.status != 200:
                raise Failed(f"{url} answers {reply.status}")
            body = reply.read(_MOST_BYTES, decode_content=True)
    except urllib3.exceptions.HTTPError as error:
        raise Failed(f"{url} can't be read: {error}") from None
    finally:
        http.clear()
    return str(body.decode("utf-8", "replace"))


def points(text: str) -> Iterator[Point]:
    """Return the finite values of an exposition, in either format.

    Raises:
        Failed: it is in neither.
    """
    try:
        for family in _parse(text):
            for sample in family.samples:
                value = float(sample.value)
                if math.isfinite(value) and not sample.name.endswith("_created"):
                    yield Point(sample.name, sample.labels, value, family.type)
    except (ValueError, KeyError, IndexError) as error:
        raise Failed(f"this is not in the format of Prometheus or OpenMetrics: {error}") from None


def _parse(text: str) -> Iterable[Any]:
    kind = "openmetrics.parser" if text.rstrip().endswith("# EOF") else "parser"
    parser: Any = importlib.import_module(f"prometheus_client.{kind}")
    families: Iterable[Any] = parser.text_string_to_metric_families(text)
    return families
