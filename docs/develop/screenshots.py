"""Make the pictures of the documentation: `.venv/bin/python -m docs.develop.screenshots`.

They come from a real installation, a run that the real SDK logs to it, and a headless Chromium; about a minute.
Look at them before committing.
"""

# ruff: noqa: INP001 - a script beside the texts, no package

import io
import json
import tempfile
import time
from pathlib import Path

import httpx
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from config.env import ROOT
from tests import plugin, sdks
from tests.browser import QUIET, find_chromium
from tests.installation import Installation

IMAGES = ROOT / "docs" / "images"
PASSWORD = "correct horse battery"  # noqa: S105 - of an installation that is thrown away at the end
SIZE = {"width": 1360, "height": 800}
COLORS = 128

SCRIPT = r"""
import math, random, time
import wandb

random.seed(7)
config = {"learning_rate": 3e-4, "batch_size": 64, "epochs": 40, "optimizer": "adamw", "model": "resnet-18"}
with wandb.init(project="digits", name="resnet-18-warmup", tags=["baseline"], config=config,
                settings=wandb.Settings(x_stats_sampling_interval=1)) as run:
    for step in range(400):
        t = step / 400
        noise = random.gauss(0, 1)
        run.log({
            "train/loss": 2.2 * math.exp(-4 * t) + 0.12 + 0.05 * noise * (1.2 - t),
            "train/accuracy": 0.97 - 0.85 * math.exp(-5 * t) + 0.012 * noise,
            "train/grad_norm": 1.4 + 2 * math.exp(-8 * t) + 0.25 * abs(noise),
        }, commit=step % 10 != 0)
        if step % 10 == 0:
            run.log({
                "val/loss": 2.1 * math.exp(-3.6 * t) + 0.19 + 0.02 * random.gauss(0, 1),
                "val/accuracy": 0.955 - 0.84 * math.exp(-4.6 * t) + 0.006 * random.gauss(0, 1),
                "val/f1": 0.94 - 0.86 * math.exp(-4.2 * t) + 0.008 * random.gauss(0, 1),
            })
            print(f"epoch {step // 10}: loss {2.2 * math.exp(-4 * t):.3f}")
        time.sleep(0.005)
"""


def sign_in(page: Page, site: Installation, name: str) -> None:
    """Sign in as a person does."""
    page.goto(f"{site.url}/accounts/login/")
    page.fill("[name=login]", name)
    page.fill("[name=password]", PASSWORD)
    page.click("form.panel button[type=submit]")
    page.wait_for_url(f"{site.url}/")


def shoot(page: Page, name: str) -> None:
    """Keep the page as a picture with few colours, which a page of flat areas does not miss."""
    page.wait_for_load_state("networkidle")
    time.sleep(1)  # charts draw in the next frames
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    IMAGES.mkdir(parents=True, exist_ok=True)
    target = IMAGES / f"{name}.png"
    picture.quantize(COLORS, dither=Image.Dither.NONE).save(target, optimize=True)
    print(f"{target.relative_to(ROOT)}: {target.stat().st_size // 1024} kB")  # noqa: T201 - says what it made


def log_a_run(site: Installation, key: str, folder: Path) -> str:
    """Log with the real SDK; return the path of the run's page."""
    sdks.run_script(sdks.python_of("0.31.0"), SCRIPT, env=site.client_env(key), cwd=folder)
    reply = httpx.get(f"{site.url}/api/v1/runs/", auth=("api", key), follow_redirects=True, trust_env=False)
    run = json.loads(reply.text)["results"][0]
    return f"/{run['entity']}/{run['project']}/runs/{run['uid']}"


def main() -> None:
    """Make all of them."""
    plugin.pytest_sessionstart()
    try:
        with (
            tempfile.TemporaryDirectory() as home,
            tempfile.TemporaryDirectory() as scratch,
            Installation(Path(home)) as site,
            sync_playwright() as playwright,
        ):
            person = ("create_user", "ada", "--email", "ada@example.com", "--password", PASSWORD)
            path = log_a_run(site, site.manage(*person)["api_key"], Path(scratch))
            chromium = playwright.chromium.launch(executable_path=find_chromium(), args=QUIET)
            page = chromium.new_page(viewport=SIZE, color_scheme="light")  # type: ignore[arg-type]
            sign_in(page, site, "ada")
            page.goto(site.url + path)
            page.wait_for_selector(".chart-card canvas")
            shoot(page, "run")
            chromium.close()
    finally:
        plugin.pytest_unconfigure()


if __name__ == "__main__":
    main()
