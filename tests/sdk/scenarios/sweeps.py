"""Creates, runs, reads and steers sweeps with whatever release runs it; prints what it saw as JSON."""

import inspect
import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import wandb

PROJECT = "steered"
GRID: dict[str, Any] = {
    "name": "a grid",
    "description": "six points",
    "program": "train.py",
    "method": "grid",
    "metric": {"name": "loss", "goal": "minimize"},
    "parameters": {
        "lr": {"values": [0.1, 0.2, 0.3]},
        "optimizer": {"parameters": {"kind": {"values": ["adam", "sgd"]}}},
        "seed": {"value": 7},
    },
}
told: dict[str, Any] = {}


def cli(*words: str) -> list[Any]:
    """Run the command line of the SDK; return its status and what it printed."""
    command = str(pathlib.Path(sys.executable).with_name("wandb"))
    env = {
        name: value for name, value in os.environ.items() if "SERVICE" not in name
    }  # of this process, not theirs
    done = subprocess.run(
        [command, *words], capture_output=True, text=True, check=False, timeout=300, env=env
    )
    return [done.returncode, done.stdout + done.stderr]


def train() -> None:
    """One run: the loss is a function of the arguments."""
    with wandb.init() as run:
        config = dict(run.config)
        run.log({"loss": config["lr"] + (1 if config["optimizer"]["kind"] == "sgd" else 0)})


def steer(path: str) -> list[Any]:
    """Pause, resume, update, stop; return the states seen."""
    states = []
    for words in (["--pause"], ["--resume"], ["--stop"], ["--resume"], ["--cancel"]):
        status, printed = cli("sweep", *words, path)
        states.append([words[0], status, wandb.Api().sweep(path).state, printed if status else ""])
    return states


sweep_id = wandb.sweep(GRID, project=PROJECT)
entity = wandb.Api().default_entity
path = f"{entity}/{PROJECT}/{sweep_id}"
before = wandb.Api().sweep(path)
told["before"] = [before.state, before.config["parameters"]["lr"], len(before.runs)]
wandb.agent(sweep_id, function=train, project=PROJECT, count=2)
wandb.agent(sweep_id, function=train, project=PROJECT)
sweep = wandb.Api().sweep(path)
best = sweep.best_run()
told["after"] = {
    "state": sweep.state,
    "runs": sorted(
        [run.config["lr"], run.config["optimizer"]["kind"], run.config["seed"]] for run in sweep.runs
    ),
    "best": [best.config["lr"], best.config["optimizer"]["kind"], best.summary["loss"]],
    "sweep of best": best.sweep.id if best.sweep else None,
    "names": sorted(run.name.split("-", 1)[1] for run in sweep.runs),
    "name": getattr(sweep, "name", None),
    "expected": getattr(sweep, "expected_run_count", None),
    "url": sweep.url,
}
told["listed"] = sorted(one.id for one in wandb.Api().project(PROJECT, entity).sweeps())
if hasattr(sweep, "agents"):
    agents = sweep.agents()
    told["agents"] = [[len(agents)], sorted(len(list(agent.runs())) for agent in agents)]

if "prior_runs" in inspect.signature(wandb.sweep).parameters:
    learning = {
        "method": "bayes",
        "run_cap": 2,
        "parameters": GRID["parameters"] | {"lr": {"min": 0.05, "max": 0.3}},
    }
    learned = wandb.sweep(GRID | learning, project=PROJECT, prior_runs=[run.id for run in sweep.runs])
    wandb.agent(learned, function=train, project=PROJECT)
    told["learned"] = [run.config["lr"] for run in wandb.Api().sweep(f"{entity}/{PROJECT}/{learned}").runs]

pathlib.Path("random.yaml").write_text(
    "method: random\nprogram: train.py\nrun_cap: 5\nmetric: {name: loss, goal: maximize}\n"
    "parameters:\n  lr: {distribution: log_uniform_values, min: 0.001, max: 0.1}\n  layers: {min: 1, max: 4}\n"
)
status, printed = cli("sweep", "-p", PROJECT, "random.yaml")
told["created"] = [status, printed]
other = printed.partition("wandb agent ")[2].split()[0].replace("\x1b[0m", "")
pathlib.Path("train.py").write_text(
    "import wandb\nrun = wandb.init()\nrun.log({'loss': run.config['lr'] * run.config['layers']})\nrun.finish()\n"
)
told["agent"] = cli("agent", "--count", "1", other)
told["states"] = steer(other)
pathlib.Path("changed.yaml").write_text(
    pathlib.Path("random.yaml").read_text().replace("run_cap: 5", "run_cap: 9")
)
told["update"] = cli("sweep", "--update", other, "changed.yaml")
told["cap"] = wandb.Api().sweep(other).config["run_cap"]

WRONG: dict[str, dict[str, Any]] = {
    "custom": {"method": "custom"},
    "continuous grid": {"parameters": {"lr": {"min": 0.0, "max": 1.0}}},
    "controller": {"controller": {"type": "local"}},
    "no parameters": {"parameters": {}},
}
for name, change in WRONG.items():
    try:
        told[name] = repr(wandb.sweep(GRID | change, project=PROJECT))
    except Exception as error:  # noqa: BLE001 - whatever its release raises
        told[name] = str(error)
pathlib.Path("told.json").write_text(json.dumps(told))
