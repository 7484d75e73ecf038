"""All runs of the demo."""

import numpy as np

from demo.diffusion import diffusion_models
from demo.language import language_models
from demo.plans import Plan
from demo.robots import robots
from demo.sweep import sweep


def all_plans(sweep_runs: int) -> list[Plan]:
    """Return every run of the demo, oldest first."""
    source = np.random.default_rng(7)
    made = (sweep(sweep_runs, source), language_models(source), diffusion_models(source), robots(source))
    return sorted((plan for plans in made for plan in plans), key=lambda plan: -plan.began_s_ago)
