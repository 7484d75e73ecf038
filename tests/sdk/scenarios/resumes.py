# ruff: noqa: T201
# mypy: ignore-errors
"""Runs that are resumed; what is refused has a process of its own, since 0.16 hangs in the init after a refusal."""

import os

import wandb


def goes_on(uid, resume, steps, **config):
    """Log some steps; print why the SDK refuses."""
    try:
        run = wandb.init(id=uid, resume=resume, config=config)
    except wandb.errors.Error as error:
        print("REFUSED", uid, resume, type(error).__name__, " ".join(str(error).split()))
        return
    print("LINE", uid, resume)
    for step in range(steps):
        run.log({"way": str(resume), "i": step})
    run.finish()


if os.environ["WHO"] == "goes on":
    goes_on("must", None, 5, first=1, second=1)
    goes_on("must", "must", 3, second=2)
    goes_on("must", "must", 2, third=3)
    goes_on("empty", None, 0)
    goes_on("empty", "must", 2)
    goes_on("allow", "allow", 5)
    goes_on("allow", "allow", 3)
    goes_on("never", "never", 2)
elif os.environ["WHO"] == "must":
    goes_on("must-new", "must", 1)
else:
    goes_on("never", "never", 2)
