"""Logs metrics, console lines, config, media and files; what it stores may be refused, and it must not mind."""

import os
import sys
from pathlib import Path

import wandb

run = wandb.init(id="full", config={"lr": 0.5}, settings=wandb.Settings(init_timeout=60))
Path("notes.txt").write_text("a file of the person's own")
Path("weights.bin").write_bytes(os.urandom(30 * 2**20))  # the refusal comes while it is being sent
for step in range(20):
    wandb.log({"loss": 1 / (step + 1)})
    sys.stdout.write(f"step {step} is done\n")
wandb.log({"sample": wandb.Html("<p>a page</p>")})
if os.environ.get("SAVES"):
    wandb.save("notes.txt", policy="now")
    wandb.save("weights.bin", policy="now")
wandb.summary["best"] = 0.05
wandb.finish()
