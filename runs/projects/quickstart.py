"""The script that pages show to who has no runs yet."""

from django.http import HttpRequest

from common.web.origins import origin_of

SCRIPT = """\
import math, random, time
import wandb

with wandb.init({init}config={{"lr": 0.01, "epochs": 200}}) as run:
    for step in range(200):
        run.log({{"train/loss": math.exp(-step / 60) + 0.05 * random.random(), "train/accuracy": step / 200}})
        time.sleep(0.3)
"""


def script_for(**names: str) -> str:
    """Return a script that logs for a minute, with ``entity`` and ``project`` filled in."""
    init = "".join(f'{key}="{value}", ' for key, value in names.items())
    return SCRIPT.format(init=init)


def server_address(request: HttpRequest) -> str:
    """Return what the SDK's ``WANDB_BASE_URL`` is for whoever reads this page."""
    return origin_of(request)
