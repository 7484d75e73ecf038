# mypy: ignore-errors
"""Fit two classifiers; log a loop's scores and the plots of the SDK's own integration."""

import wandb
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

features, species = load_iris(return_X_y=True)
names = ["setosa", "versicolor", "virginica"]
x_train, x_test, y_train, y_test = train_test_split(features, species, test_size=0.3, random_state=0)

run = wandb.init(project="iris", config={"alpha": 0.01, "trees": 10})

steps = SGDClassifier(loss="log_loss", alpha=run.config.alpha, random_state=0)
for epoch in range(8):
    steps.partial_fit(x_train, y_train, classes=[0, 1, 2])
    loss = log_loss(y_test, steps.predict_proba(x_test))
    run.log({"epoch": epoch, "loss": loss, "accuracy": steps.score(x_test, y_test)})

forest = RandomForestClassifier(n_estimators=run.config.trees, random_state=0).fit(x_train, y_train)
wandb.sklearn.plot_classifier(
    forest, x_train, x_test, y_train, y_test, forest.predict(x_test), forest.predict_proba(x_test), names,
    is_binary=False, model_name="forest",
)  # fmt: skip
wandb.sklearn.plot_learning_curve(forest, x_train, y_train, cv=3, shuffle=True)
run.finish()
