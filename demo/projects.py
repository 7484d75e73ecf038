"""All runs of the demo, by project."""

from collections.abc import Callable, Collection, Iterator

import numpy as np

from demo.cluster import cluster
from demo.diffusion import diffusion_models
from demo.language import language_models
from demo.plans import Plan, Source
from demo.robots import robots
from demo.sweep import sweep

PROJECTS: dict[str, Callable[[Source], Iterator[Plan]]] = {
    "cifar-sweep": sweep,
    "pretraining": language_models,
    "diffusion": diffusion_models,
    "humanoid": robots,
    "cluster": cluster,
}
DESCRIPTIONS = {
    "cifar-sweep": "Which **depth** and learning rate for CIFAR-100?\n\n| we want | now |\n|---|---|\n"
    "| `val/accuracy` ≥ 0.95 | see the runs sorted by it |\n\nA run counts when it has trained for 90 epochs.",
    "pretraining": "Loss over size at 20 tokens a parameter, for the scaling law. Four nodes of eight GPUs.",
    "diffusion": "Does the *cosine* schedule give better samples than the linear one?\n\nLook at `samples` "
    "on the media page of each run: the last step should show clean discs.",
    "humanoid": "PPO, SAC and TD3 with ten seeds each. Group by `config.algorithm`; three were stopped by hand.",
    "cluster": "What runs now: a training over four nodes of eight GPUs, and the agent of a machine.",
}


def all_plans(names: Collection[str]) -> list[Plan]:
    """Return the runs of the projects named, oldest first; the same ones every time."""
    plans = [plan for name in PROJECTS if name in names for plan in PROJECTS[name](np.random.default_rng(7))]
    return sorted(plans, key=lambda plan: -plan.began_s_ago)
