"""What is logged: the same numbers for every system, so that they can be compared when they are read back."""

import math
import random
from dataclasses import dataclass

PARAMS, METRICS = 50, 20
TABLE_ROWS = 100


def metrics(count: int = METRICS) -> list[str]:
    """Return the names of the first metrics."""
    return [f"m{number:02d}" for number in range(count)]


def walk(step: int, names: list[str], salt: int) -> dict[str, float]:
    """Return one step: smooth, and no two series alike; about 4 us for 20 metrics."""
    x = step * 0.001
    return {name: math.sin(x * (number + 1) + salt) * 0.5 + 0.5 for number, name in enumerate(names)}


@dataclass(frozen=True)
class TableRun:
    """One run of the runs table, which logs one step."""

    name: str
    config: dict[str, str]
    values: dict[str, float]

    @property
    def wanted(self) -> bool:
        """Whether the filter of the runs table finds it."""
        return self.config["p00"] == "v3" and self.values["m00"] > 0.5


def table_run(number: int) -> TableRun:
    """Return the run of this number."""
    source = random.Random(number)  # noqa: S311 - test data
    config = {f"p{key:02d}": f"v{source.randrange(10 if key == 0 else 97)}" for key in range(PARAMS)}
    return TableRun(f"t{number:05d}", config, {name: source.random() for name in metrics()})


def expected_table(numbers: list[int]) -> list[str]:
    """Return what the runs table has to answer: the filtered runs by m01, the largest first."""
    found = [run for run in map(table_run, numbers) if run.wanted]
    return [run.name for run in sorted(found, key=lambda run: -run.values["m01"])][:TABLE_ROWS]
