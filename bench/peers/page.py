"""The tables of docs/develop/benchmarks.md, made from the results; the words around them are a person's."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.peers import systems
from bench.peers.servers import ROOT

PAGE = ROOT / "docs" / "develop" / "benchmarks.md"
BEGIN, END = "<!-- {} -->", "<!-- end of {} -->"
Figures = dict[str, Any]
Column = tuple[str, Callable[[Figures], float | str | None]]
_MICRO, _MEGA = 1e6, 1e6


def _label(found: Figures) -> str:
    return " ".join(part for part in (found["system"], found["variant"], found["mode"]) if part)


def _per_value(key: str) -> Callable[[Figures], float | None]:
    return lambda found: found[key] / found["values"] * _MICRO if key in found else None


def _read_back(found: Figures) -> str:
    if "wrong_values" not in found:
        return "nothing to read"
    told = (
        f"{found['wrong_values']:,} wrong" if found["wrong_values"] else f"{found['checked_values']:,} equal"
    )
    cut = f"; cut at {found['values']:,} of {found['wanted']:,}" if found["values"] < found["wanted"] else ""
    return told + cut


def _values_a_s(found: Figures) -> float:
    return float(found["values"] / found["s"])


INGEST: list[Column] = [
    ("server CPU, µs a value", _per_value("server_cpu_s")),
    ("client CPU, µs a value", _per_value("client_cpu_s")),
    ("values a second", _values_a_s),
    ("disk, B a value", lambda found: found["disk_bytes"] / found["values"]),
    ("server CPU later, s", lambda found: found.get("server_later_cpu_s")),
    ("server peak, MB", lambda found: found.get("server_peak_mb")),
    ("log() p50, ms", lambda found: found["log_ms"]["p50"]),
    ("p99, ms", lambda found: found["log_ms"]["p99"]),
    ("finish, s", lambda found: found["finish_s"]),
    ("read back", _read_back),
]
CLIENT: list[Column] = [
    ("of one core", lambda found: f"{found['core_ratio'] * 100:.1f} %"),
    ("client CPU in all, s", lambda found: found["client_cpu_s"]),
    ("client peak, MB", lambda found: found["client_peak_mb"]),
    ("log() p50, ms", lambda found: found["log_ms"]["p50"]),
    ("p99, ms", lambda found: found["log_ms"]["p99"]),
    ("init, s", lambda found: found["init_s"]),
    ("finish, s", lambda found: found["finish_s"]),
    ("steps a second", lambda found: found["steps_a_s"]),
    ("server CPU, s", lambda found: found["server_cpu_s"]),
]
START: list[Column] = [
    ("idle memory (PSS), MB", lambda found: found["pss_mb"]),
    ("RSS, MB", lambda found: found["rss_mb"]),
    ("processes", lambda found: found["processes"]),
    ("idle, of one core", lambda found: f"{found['core_ratio'] * 100:.1f} %"),
    ("first start, s", lambda found: found["first_s"]),
    ("later, s", lambda found: found["later_s"]),
]
QUERY: list[Column] = [
    ("server CPU, ms", lambda found: found["cpu_ms"]),
    ("median, ms", lambda found: found["ms"]),
    ("first, ms", lambda found: found["first_ms"]),
    ("sent, kB", lambda found: found["wire_bytes"] / 1000),
    ("points or rows", lambda found: found.get("points")),
    ("answer", lambda found: {True: "right", False: "wrong", None: ""}[found.get("right")]),
    ("of", lambda found: found["size"]),
]
TABLES = {
    **dict.fromkeys(("ingest", "many-runs"), INGEST),
    **dict.fromkeys(("chart-100k", "chart-1m", "table-1k", "table-10k"), QUERY),
    "client": CLIENT,
    "start": START,
}


def _number(value: float | str | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    digits = 0 if abs(value) >= 100 or isinstance(value, int) else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f}"


def _comparable(value: float | str | None) -> float | None:
    if isinstance(value, str):
        value = float(value.removesuffix(" %")) if value.endswith(" %") else None
    return value or None


def _rows(found: list[Figures]) -> list[tuple[str, Figures]]:
    """Return a row per measurement, or per query of it."""
    rows = []
    for one in found:
        queries = one.get("queries", {"": {}})
        rows += [
            (f"{_label(one)}: {name}" if name else _label(one), one | query)
            for name, query in queries.items()
        ]
    return rows


def _table(found: list[Figures], columns: list[Column]) -> str:
    """Draw a table; its second column is the ratio of the first figure to Runyard's first row."""
    (title, first), others = columns[0], columns[1:]
    rows = _rows([one for one in found if "error" not in one])
    base = next((row for _, row in rows if row["system"] == "runyard"), None)
    heads = ["system", title, "to Runyard", *(name for name, _ in others), "load"]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "--:|" * (len(heads) - 1)]
    for label, row in rows:
        cells = [_number(first(row)), _ratio(row, base, first)]
        cells += [*(_number(read(row)) for _, read in others), f"{row['load']:.1f}"]
        lines.append("| " + " | ".join([label, *cells]) + " |")
    failed = [f"- {_label(one)}: not measured. {_cause(one)}" for one in found if "error" in one]
    return "\n".join([*lines, *([""] if failed else []), *failed])


def _ratio(row: Figures, base: Figures | None, read: Callable[[Figures], float | str | None]) -> str:
    """Return how many times Runyard's figure this is; nothing where one of the two was cut to another size."""
    mine, ours = _comparable(read(row)), _comparable(read(base)) if base else None
    if not mine or not ours or base is None:
        return "–"
    alike = 0.75 < row.get("size", 1) / base.get("size", 1) < 1.34
    return f"{mine / ours:.2f}×" if alike else "other size"


def _cause(found: Figures) -> str:
    lines = [line for line in found["error"].splitlines() if line.strip()]
    return " … ".join(dict.fromkeys((lines[0], lines[-1])))[:240]


def _versions(found: list[Figures]) -> str:
    by_system = {one["system"]: one.get("versions", {}) for one in found}
    lines = [
        f"- {system}: " + ", ".join(f"{name} {release}" for name, release in packages.items())
        for system, packages in by_system.items()
    ]
    measured = sorted(one["at"] for one in found)
    return "\n".join([f"Measured between {measured[0]} and {measured[-1]} UTC.", "", *lines])


def gist(found: Figures) -> str:
    """Return a result in a line."""
    if "error" in found:
        return _cause(found)
    columns = TABLES[found["workload"]]
    rows = _rows([found])
    return "; ".join(
        " ".join([label, *(f"{name} {_number(read(row))}," for name, read in columns[:4])])
        for label, row in rows
    )


def write(results: Path) -> None:
    """Put the tables of all results between their marks."""
    read = [json.loads(path.read_text()) for path in sorted(results.glob("*.json"))]
    found = [one for one in read if one["scale"] == 1.0]
    found.sort(key=lambda one: systems.NAMES.index(one["system"]))
    if not found:
        return
    text = PAGE.read_text()
    for workload, columns in TABLES.items():
        there = [one for one in found if one["workload"] == workload]
        plan = {name: systems.kind_of(name).plan.get(workload, ()) for name in systems.NAMES}
        there.sort(
            key=lambda one: plan[one["system"]].index(f"{one['variant']} {one['mode']}".removesuffix(" "))
        )
        there.sort(key=lambda one: systems.NAMES.index(one["system"]))
        if there:  # else the table stays as the last measurement left it
            text = _put(text, workload, _table(there, columns))
    PAGE.write_text(_put(text, "versions", _versions(found)))


def _put(text: str, name: str, content: str) -> str:
    begin, end = BEGIN.format(name), END.format(name)
    before, _, rest = text.partition(begin)
    return f"{before}{begin}\n\n{content}\n\n{end}{rest.partition(end)[2]}"
