"""Posts as the SDK makes them, rendered once: each only gets its numbers, so that the client stays cheap."""

import json

import numpy as np

LINES, KEYS, SYSTEM_KEYS, CONSOLE = 20, 40, 15, 3
"""Of one post: history lines, keys of each, keys of its one line of system metrics, console lines."""
EVERY_S = 15.0
"""The SDK's own pace (docs/develop/protocol.md)."""
CHECKED = "train/checked"
"""A key whose value follows from the step, so that a wrong row is seen when rows are counted back."""
BEGAN_AT = 1_790_000_000.0
VARIANTS = 64
_SHELL = (
    b'{"files": {"wandb-history.jsonl": {"offset": %d, "content": [%b]},'
    b' "wandb-events.jsonl": {"offset": %d, "content": [%b]},'
    b' "output.log": {"offset": %d, "content": [%b]},'
    b' "wandb-summary.json": {"offset": 0, "content": [%b]}}}'
)


def checked_value(step: int) -> float:
    """Return what `CHECKED` is at a step."""
    return step + 0.25


def console_line(number: int) -> str:
    """Return a console line, in the SDK's form."""
    return f"2026-11-21T07:20:26.038634 line {number} of a training"


def _template(row: dict[str, float | bool], *fields: str) -> bytes:
    """Return a JSON string of a JSON object, its numbers that change being % fields."""
    text = json.dumps(row)[1:-1]
    return json.dumps("{" + ", ".join([*fields, text]) + "}").encode()


class Bodies:
    """Makes posts; post ``n`` of any run has the same numbers, which is nothing to a server."""

    def __init__(self) -> None:
        source = np.random.default_rng(0)
        count = VARIANTS * LINES
        walks = np.cumsum(source.normal(size=(count, KEYS - 1)), axis=0).astype(np.float32).astype(float)
        rows = [{f"train/metric_{key}": value for key, value in enumerate(row)} for row in walks.tolist()]
        head = ('"_step": %d', f'"{CHECKED}": %d.25', '"_timestamp": %.3f', '"_runtime": %.3f')
        lines = [_template(row, *head) for row in rows]
        self._history = [b",".join(lines[start : start + LINES]) for start in range(0, count, LINES)]
        self._summary = [_template(row) for row in rows[LINES - 1 :: LINES]]
        usage = source.uniform(0, 100, size=(VARIANTS, SYSTEM_KEYS)).round(2).tolist()
        self._system = [
            _template({f"system.gpu.{key}": value for key, value in enumerate(row)} | {"_wandb": True},
                      '"_timestamp": %.3f', '"_runtime": %.3f')
            for row in usage
        ]  # fmt: skip
        self._console = json.dumps(console_line(0)).replace("line 0", "line %d").encode()

    def render(self, first: int, count: int = 1) -> bytes:
        """Return posts ``first`` to ``first + count - 1`` of a run as one body."""
        posts = range(first, first + count)
        steps = range(first * LINES, (first + count) * LINES)
        pace = EVERY_S / LINES
        numbers: list[float] = []
        for step in steps:
            numbers += (step, step, BEGAN_AT + step * pace, step * pace)
        history = b",".join([self._history[post % VARIANTS] for post in posts]) % tuple(numbers)
        times = [at for post in posts for at in (BEGAN_AT + post * EVERY_S, post * EVERY_S)]
        system = b",".join([self._system[post % VARIANTS] for post in posts]) % tuple(times)
        console = range(first * CONSOLE, (first + count) * CONSOLE)
        log = b",".join([self._console] * len(console)) % tuple(console)
        summary = self._summary[posts[-1] % VARIANTS]
        return _SHELL % (steps[0], history, first, system, console[0], log, summary)
