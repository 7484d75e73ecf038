"""How the cost of a page grows with what it shows a part of: runs, steps, keys, members, projects.

``BENCH_GROWTH`` chooses some of them, by commas, and ``BENCH_GROWTH_MOST`` ends at a size. All of it takes an hour.
Figures and charts are written to ``bench/results/growth*``.
"""

import gc
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.core.management import call_command

from bench.growth import charts, people, points, runs
from bench.growth.requests import Cost

OUT = Path(__file__).resolve().parents[1] / "results"
"""Ignored by git."""
PARTS: dict[str, Callable[[], Iterator[tuple[int, dict[str, Cost | float]]]]] = {
    "runs": runs.grow, "steps": points.longer, "keys": points.wider, "members": people.members,
    "projects": people.projects,
}  # fmt: skip


def run(home: Path) -> None:
    """Print milliseconds of each page at each size, and keep them."""
    call_command("collectstatic", verbosity=0, interactive=False)
    chosen = os.environ.get("BENCH_GROWTH", ",".join(PARTS)).split(",")
    most = int(os.environ.get("BENCH_GROWTH_MOST", "1000000000"))
    OUT.mkdir(exist_ok=True)
    gc.freeze()  # as the server does
    for part in chosen:
        rows: list[dict[str, Any]] = []
        for size, costs in PARTS[part]():
            figures = {name: cost.ms if isinstance(cost, Cost) else cost for name, cost in costs.items()}
            rows.append({"size": size, "figures": figures})
            for name, cost in costs.items():
                print(
                    f"{size:>11,} {part:<9} {name:<28} {cost if isinstance(cost, Cost) else f'{cost:9.2f}'}",
                    flush=True,
                )
            if size >= most:
                break
        (OUT / f"growth-{part}.json").write_text(json.dumps(rows, indent=1))
        if len(rows) > 1:
            (OUT / f"growth-{part}.svg").write_text(charts.drawn(part, rows))
