# mypy: ignore-errors
"""A run that goes on from a step in its past."""

import wandb

run = wandb.init(id="rewound")
for step in range(10):
    run.log({"value": step, "who": "before"})
run.finish()
run = wandb.init(resume_from="rewound?_step=6")
for step in range(2):
    run.log({"value": 100 + step, "who": "after"})
run.finish()
