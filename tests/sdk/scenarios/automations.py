# ruff: noqa: BLE001
# mypy: ignore-errors
"""`wandb.automations`: everything that the release offers, made, read back, changed and deleted."""

import json
import os
from pathlib import Path

import wandb
from wandb import automations as aut
from wandb.automations import (
    ArtifactEvent,
    DoNothing,
    OnAddArtifactAlias,
    OnLinkArtifact,
    OnRunMetric,
    RunEvent,
    SendNotification,
    SendWebhook,
)
from wandb.automations._generated import CREATE_GENERIC_WEBHOOK_INTEGRATION_GQL

team, sink = os.environ["TEAM"], os.environ["SINK"]
api = wandb.Api()
api.create_project("automated", team)
project = api.project("automated", entity=team)
told = {"version": wandb.__version__}


def make_webhook(given):
    """Send the SDK's document for which it has no method; releases name its variable differently."""
    document = CREATE_GENERIC_WEBHOOK_INTEGRATION_GQL
    variables = {"params" if "$params" in document else "input": given}
    if hasattr(api, "_service_api"):
        answer = api._service_api.execute_graphql(document, variables)
    else:
        from wandb_gql import gql

        answer = api.client.execute(gql(document), variable_values=variables)
    (payload,) = answer.values()
    return payload["integration"]


def error_of(call):
    """Return what a call raises."""
    try:
        return f"nothing: {call()!r}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def plain(saved):
    """Return what was saved, as the SDK reads it."""
    dumped = json.loads(saved.model_dump_json(by_alias=True))
    found = {key: dumped[key] for key in ("id", "name", "description", "enabled", "scope", "event", "action")}
    found["event"]["eventType"] = saved.event.event_type.value  # 0.19 names it otherwise
    assert saved.created_at is not None
    return found


given = {
    "entityName": team, "name": "hook", "urlEndpoint": sink, "accessTokenRef": "TOKEN", "secretRef": "SIGN",
}  # fmt: skip
made = make_webhook(given)
told["made hook"] = [made["name"], made["urlEndpoint"]]
hook = next(api.webhook_integrations(entity=team))
slack = next(api.slack_integrations(entity=team))
told["hooks"] = [[one.name, one.url_endpoint] for one in api.webhook_integrations(entity=team)]
told["channels"] = [one.channel_name for one in api.slack_integrations(entity=team)]
told["integrations"] = [type(one).__name__ for one in api.integrations(entity=team, per_page=1)]
told["ids"] = {"hook": hook.id, "slack": slack.id, "project": project.id}

loss = RunEvent.metric("loss")
send = SendWebhook.from_integration(hook, payload={"run": "${run_name}", "at": {"value": "${metric_value}"}})
notify = SendNotification.from_integration(slack, title="T", text="of ${run_name}", level="WARN")
events = {
    "threshold": OnRunMetric(scope=project, filter=loss.avg(5).gt(1.5)),
    "last value": OnRunMetric(scope=project, filter=(loss <= 3) & RunEvent.name.contains("big")),
    "change": OnRunMetric(scope=project, filter=loss.changes_by(frac=0.25)),
    "fall": OnRunMetric(scope=project, filter=loss.max(4).decreases_by(diff=2)),
    "alias": OnAddArtifactAlias(scope=project, filter=ArtifactEvent.alias.eq("prod")),
    "link": OnLinkArtifact(scope=project),
}
if hasattr(aut, "OnRunState"):
    states = ["finished", "failed"]
    events |= {
        "z-score": OnRunMetric(scope=project, filter=loss.zscore(20) > 2.5),
        "state": aut.OnRunState(scope=project, filter=RunEvent.state.in_(states)),
        "team": aut.OnRunState(scope=api.team(team), filter=RunEvent.state.eq("failed")),
    }
if hasattr(aut, "OnAddArtifactTag"):
    events |= {
        "tag": aut.OnAddArtifactTag(scope=project, filter=ArtifactEvent.tag.eq("x")),
        "untag": aut.OnRemoveArtifactTag(scope=project, filter=ArtifactEvent.tag.contains("x")),
        "collection tag": aut.OnAddCollectionTag(scope=project),
        "collection untag": aut.OnRemoveCollectionTag(scope=project),
        "unlink": aut.OnUnlinkArtifact(scope=project),
    }
actions = [send, notify, DoNothing()]
told["sent"], told["answered"], told["read"] = {}, {}, {}
for number, (name, event) in enumerate(events.items()):
    new = event >> actions[number % 3]
    told["sent"][name] = [
        event.event_type.value,
        json.loads(new.model_dump_json(by_alias=True))["event"]["filter"],
    ]
    saved = api.create_automation(new, name=name, description=f"about {name}", enabled=number != 1)
    told["answered"][name] = plain(saved)
for name in events:
    told["read"][name] = plain(api.automation(name=name, entity=team))
told["all"] = sorted(one.name for one in api.automations(entity=team, per_page=2))
told["mine"] = sorted(one.name for one in api.automations() if one.name in events)
told["none"] = error_of(lambda: api.automation(name="nothing", entity=team))

again = events["change"] >> DoNothing()
told["taken"] = error_of(lambda: api.create_automation(again, name="change"))
told["existing"] = api.create_automation(again, name="change", fetch_existing=True).id

one = api.automation(name="threshold", entity=team)
one.enabled, one.description = False, "changed"
told["changed"] = plain(api.update_automation(one))
told["other action"] = plain(api.update_automation(one, action=notify, name="renamed"))
told["other event"] = plain(api.update_automation(one, event=events["fall"], name="renamed"))
gone = api.automation(name="fall", entity=team)
told["deleted"] = [api.delete_automation(gone), api.delete_automation(api.automation("link", entity=team).id)]
told["gone"] = error_of(lambda: api.update_automation(gone))
told["deleted again"] = error_of(lambda: api.delete_automation(gone))
told["left"] = sorted(one.name for one in api.automations(entity=team))

nowhere = {"__typename": "ArtifactSequence", "id": "QXJ0aWZhY3RDb2xsZWN0aW9uOjA=", "name": "c"}
told["no collection"] = error_of(
    lambda: api.create_automation(aut.OnCreateArtifact(scope=nowhere) >> DoNothing(), name="c")
)
with wandb.init(project="automated", entity=team) as run:
    artifact = wandb.Artifact("watched", type="dataset")
    with artifact.new_file("a.txt") as file:
        file.write("a")
    run.log_artifact(artifact).wait()
collection = api.artifact_collection("dataset", f"{team}/automated/watched")
told["ids"]["collection"] = collection.id
new = aut.OnCreateArtifact(scope=collection) >> DoNothing()
told["collection"] = plain(api.create_automation(new, name="c"))
other = api.automation(name="c", entity=team)
told["moved"] = plain(api.update_automation(other, scope=project))
told["moved back"] = plain(api.update_automation(other, scope=collection))
if hasattr(aut, "SendPromptToAria"):
    aria = events["change"] >> aut.SendPromptToAria(prompt="why?")
    told["aria"] = error_of(lambda: api.create_automation(aria, name="aria"))
if hasattr(aut, "OnAddArtifactTag"):
    artifact.tags = ["x", "y"]
    artifact.save()
Path("told.json").write_text(json.dumps(told))
