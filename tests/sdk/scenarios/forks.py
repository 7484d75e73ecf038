# mypy: ignore-errors
"""A run, and another that begins as a part of it."""

import wandb

trunk = wandb.init(id="trunk", config={"lr": 1})
for step in range(10):
    trunk.log({"value": step, "who": "trunk"})
trunk.finish()
branch = wandb.init(id="branch", fork_from="trunk?_step=4")
for step in range(3):
    branch.log({"value": 100 + step, "who": "branch"})
branch.finish()
