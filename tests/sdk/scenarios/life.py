# ruff: noqa: T201
# mypy: ignore-errors
"""A run from its beginning to a good end, and one to a bad end."""

import sys
import time
from pathlib import Path

import wandb

run = wandb.init(
    id="life", name="a life", notes="noted", tags=["b", "a"], group="g", job_type="train",
    config={"lr": 0.1, "deep": {"layers": [1, 2]}},
)  # fmt: skip
run.config.update({"later": True})
run.define_metric("epoch")
run.define_metric("loss", summary="min")
run.define_metric("accuracy", summary="max", step_metric="epoch")
run.define_metric("custom/*", step_metric="epoch")
for step in range(20):
    run.log(
        {"epoch": step // 5, "loss": 1.5 + abs(step - 7), "accuracy": step * (19 - step), "custom/x": step}
    )
run.summary["by hand"] = 42

print("to stdout é")
print("to stderr", file=sys.stderr)
for percent in range(0, 101, 5):
    sys.stderr.write(f"\rprogress {percent}%")
    sys.stderr.flush()
    time.sleep(0.02)
sys.stderr.write("\n")
print("after the bar")

for name in ("end.txt", "sub/end.txt"):
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text("before")
    run.save(name, base_path=".", policy="end")
    Path(name).write_text("after")

for _ in range(2):
    run.alert(title="once", text="the loss is high", level="WARN", wait_duration=3600)
run.alert(title="another", text="in time")
run.finish()

bad = wandb.init(id="bad")
bad.log({"a": 1})
bad.finish(exit_code=3)
