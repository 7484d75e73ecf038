# mypy: ignore-errors
"""Boost trees with the SDK's callback, which also keeps the model."""

import numpy as np
import wandb
import xgboost
from wandb.integration.xgboost import WandbCallback

draw = np.random.default_rng(0)
x = draw.normal(size=(400, 5))
y = (x[:, 0] + 0.5 * x[:, 1] + 0.1 * draw.normal(size=400) > 0).astype(int)

run = wandb.init(project="boosting", config={"folds": 1})
train, test = xgboost.DMatrix(x[:300], y[:300]), xgboost.DMatrix(x[300:], y[300:])
xgboost.train(
    {
        "objective": "binary:logistic",
        "max_depth": 3,
        "eta": 0.3,
        "eval_metric": ["auc", "logloss"],
        "nthread": 1,
    },
    train,
    num_boost_round=60,
    evals=[(train, "train"), (test, "test")],
    early_stopping_rounds=5,
    callbacks=[WandbCallback(log_model=True)],
    verbose_eval=False,
)
run.finish()
