# mypy: ignore-errors
"""A run that fails at first and is then resumed by itself, and a new one after it has ended."""

import json
import os
import sys
import time
from pathlib import Path

import wandb

begins = os.environ["WHO"] == "1"
ids = []
for steps in [5] if begins else [3, 1]:
    run = wandb.init(resume="auto")
    ids.append(run.id)
    for step in range(steps):
        run.log({"i": step})
    Path(f"ids{os.environ['WHO']}.json").write_text(json.dumps(ids))
    if begins:
        time.sleep(1)  # see FAILS in tests/sdk/test_roundtrip.py
        sys.exit(3)
    run.finish()
