"""Diffusion models that log pictures, histograms, tables and a page."""

from collections.abc import Iterator

import numpy as np

from demo.hardware import run_environment, samples
from demo.media import Uploads, histogram, sample_picture
from demo.plans import Log, Plan, Source, rows, times
from demo.wire import LoggedRun

SCORES = {
    "panel_type": "Vega2",
    "panel_config": {
        "panelDefId": "wandb/bar/v0",
        "fieldSettings": {"label": "subject", "value": "score"},
        "stringSettings": {"title": "Score by subject"},
    },
}
"""What `wandb.plot.bar` tells of a chart; its rows are the table ``scores_table``."""
SUBJECTS = ("discs", "faces", "hands", "letters", "landscapes")


def _diffusion_log(lasts_s: float, *, is_wide: bool, is_cosine: bool) -> Log:
    pace, floor = (1.3 if is_wide else 1.0), (8.0 if is_cosine else 13.0)

    def log(run: LoggedRun, chance: Source, began_at: float) -> int | None:
        count, uploads = 600, Uploads()
        at = pace * np.arange(count)
        fid = 180 * np.exp(-at / 140) + floor + chance.normal(scale=1.2, size=count)
        loss = 0.4 * np.exp(-at / 200) + 0.004 * floor + chance.normal(scale=0.003, size=count)
        history = rows({"loss": loss, "fid": fid}, began_at, lasts_s)
        for step in range(0, count, 50):
            noise = 0.6 * np.exp(-step / 130)
            pictures = [sample_picture(np.random.default_rng(seed), noise) for seed in range(6)]
            captions = [f"“a disc, number {seed}”" for seed in range(6)]
            weights = chance.normal(0.02 * step / 50, 0.4 + step / 900, 4000)
            history[step] |= {
                "samples": uploads.images("samples", step, pictures, captions),
                "weights/encoder": histogram(weights),
                "prompts": uploads.table(
                    "prompts", step, ["prompt", "score", "is_safe"],
                    [[f"a disc, number {n}", round(chance.uniform(0.2, 0.99), 4), n % 7 != 0] for n in range(30)],
                ),
            }  # fmt: skip
        history[-1]["report"] = uploads.html(
            "report", count - 1, "<h1>Evaluation</h1><p>FID falls to about 9.</p>"
        )
        scores = [[subject, round(chance.uniform(0.3, 0.95), 3)] for subject in SUBJECTS]
        history[-1]["scores_table"] = uploads.table("scores_table", count - 1, ["subject", "score"], scores)
        uploads.files["requirements.txt"] = b"torch==2.9.0\ndiffusers==0.36.0\nwandb==0.31.0\n"
        uploads.files["config.yaml"] = b"model: unet\nchannels: 192\nsteps: 600\n"
        run.upload(uploads.files)
        run.log(history, samples(chance, times(began_at, lasts_s, 60), began_at, gpus=2))
        return 0

    return log


def diffusion_models(source: Source) -> Iterator[Plan]:
    """Yield runs that log pictures, histograms, tables and a page."""
    for number in range(4):
        lasts_s = 9000.0
        config = {
            "channels": 128 + 64 * (number % 2),
            "schedule": ["cosine", "linear"][number // 2],
            "steps": 600,
        }
        yield Plan(
            author="minseo", team="vision", project="diffusion", uid=f"diffusion{number}", seed=200 + number,
            fields={
                "displayName": f"unet-{config['channels']}-{config['schedule']}", "config": config, "host": "gpu-03",
                "program": "sample.py",
                "told": run_environment("gpu-03", ["sample.py"], gpus=2) | {"visualize": {"scores": SCORES}},
            },
            log=_diffusion_log(lasts_s, is_wide=number % 2 == 1, is_cosine=number < 2),
            began_s_ago=(5 - number) * 14_000.0, lasts_s=lasts_s,
        )  # fmt: skip
