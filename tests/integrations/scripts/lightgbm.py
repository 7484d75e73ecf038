# mypy: ignore-errors
"""Boost trees with LightGBM and the SDK's callback; its summary keeps the best model."""

import lightgbm
import numpy as np
import wandb
from wandb.integration.lightgbm import log_summary, wandb_callback

draw = np.random.default_rng(0)
x = draw.normal(size=(400, 5))
y = (x[:, 0] + 0.5 * x[:, 1] + 0.5 * draw.normal(size=400) > 0).astype(int)

run = wandb.init(project="leaves", config={"folds": 1})
train = lightgbm.Dataset(x[:300], y[:300])
booster = lightgbm.train(
    {
        "objective": "binary",
        "metric": ["auc", "binary_logloss"],
        "num_leaves": 7,
        "num_threads": 1,
        "verbose": -1,
    },
    train,
    num_boost_round=60,
    valid_sets=[lightgbm.Dataset(x[300:], y[300:], reference=train)],
    valid_names=["test"],
    callbacks=[wandb_callback(), lightgbm.early_stopping(5, verbose=False)],
)
log_summary(booster, save_model_checkpoint=True)
run.finish()
