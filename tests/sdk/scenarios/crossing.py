# mypy: ignore-errors
"""A run whose loss crosses what an automation waits for; the automation is made by the same script."""

import os

import wandb
from wandb.automations import OnRunMetric, RunEvent, SendWebhook

team = os.environ["TEAM"]
api = wandb.Api()
project = api.project("automated", entity=team)
hook = next(api.webhook_integrations(entity=team))
payload = {
    "run": "${run_name}", "project": "${entity_name}/${project_name}", "metric": "${metric_name}",
    "value": "${metric_value}", "event": "${event_type}", "token": "${ACCESS_TOKEN}",
}  # fmt: skip
above = OnRunMetric(scope=project, filter=RunEvent.metric("loss") > 10)
api.create_automation(above >> SendWebhook.from_integration(hook, payload=payload), name="above ten")

with wandb.init(entity=team, project="automated", id="crossing", name="a crossing") as run:
    for step in range(15):
        run.log({"loss": step + 0.5})
