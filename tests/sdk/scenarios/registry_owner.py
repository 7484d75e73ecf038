# mypy: ignore-errors
"""An admin of an organization: creates a registry and links versions into it; what each release has of it."""

import json
import os
from pathlib import Path

import wandb

organization, team, ops, colleague = (
    os.environ[name] for name in ("ORGANIZATION", "TEAM", "OPS", "COLLEAGUE_ID")
)
project, told = os.environ["WANDB_PROJECT"], {}
is_young = hasattr(wandb.Api, "create_registry")


def refused(call):
    """Return what an exception says, with what it came from."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 - each SDK raises its own
        return f"{error} | {error.__cause__}"
    return ""


def plain(registries):
    return sorted(one.name.removeprefix("wandb-registry-") for one in registries)  # 0.19 lists them with it


def described(registry):
    types = sorted(registry.artifact_types)
    return [
        registry.name,
        registry.visibility,
        registry.description,
        types,
        registry.allow_all_artifact_types,
    ]


Path("net.bin").write_bytes(b"net " * 100)
with wandb.init(id="trainer", entity=team) as run:
    net = wandb.Artifact("net", "model", metadata={"accuracy": 0.9, "data": {"name": "birds"}})
    net.add_file("net.bin")
    run.log_artifact(net).wait()
    rows = wandb.Artifact("rows", "dataset")
    rows.add_file("net.bin")
    run.log_artifact(rows).wait()
    run.link_artifact(net, f"{organization}/wandb-registry-model/Net", aliases=["staging"])
    run.link_model(path="net.bin", registered_model_name="Old", name="other", aliases=["first"])

api = wandb.Api(overrides={"entity": team})
linked = api.artifact(f"{organization}/wandb-registry-model/Net:staging")
told["linked"] = [linked.version, linked.collection.name, linked.type, sorted(linked.aliases)]
old = api.artifact(f"{team}/model-registry/Old:first")
told["old"] = [old.version, old.collection.name]
linked.aliases.append("good")
linked.save()
told["aliases"] = sorted(wandb.Api().artifact(f"{organization}/wandb-registry-model/Net:v0").aliases)
linked.aliases.append("production")
told["protected"] = refused(
    linked.save
)  # protected in this registry, of which the organization's admin is no admin
if is_young:
    told["url"] = linked.url
    made = api.create_registry("shared", "organization", organization, "what is shared", ["model"])
    told["created"] = described(made)
    told["twice"] = refused(lambda: api.create_registry("shared", "organization", organization))
    told["restricted"] = described(api.create_registry("secret", "restricted", organization))
    own = api.artifact(f"{team}/{project}/net:v0")
    own.link(f"{organization}/wandb-registry-shared/Net", aliases=["best"])
    own.link("wandb-registry-shared/Second")  # the team's organization
    data = api.artifact(f"{team}/{project}/rows:v0")
    told["wrong type"] = refused(lambda: data.link(f"{organization}/wandb-registry-shared/Rows"))
    told["wrong name"] = refused(lambda: own.link(f"{organization}/wandb-registry-none/Net"))
    all_of = api.registries(organization=organization)
    told["registries"] = plain(all_of)

    def search(wanted):
        return api.registries(organization=organization, filter=wanted)

    told["by name"] = plain(search({"name": "shared"}))
    told["by pattern"] = plain(search({"name": {"$regex": "registry-s"}}))
    told["collections"] = sorted(one.name for one in made.collections())
    told["one collection"] = [
        one.name for one in search({"name": "shared"}).collections(filter={"name": "Net"})
    ]
    told["versions"] = sorted(one.name for one in search({}).versions())
    filters = {
        "alias": {"alias": "best"}, "either": {"$or": [{"alias": "best"}, {"alias": "staging"}]},
        "tag": {"tag": "none"}, "metadata": {"metadata.accuracy": {"$gt": 0.5}},
        "other metadata": {"metadata.data.name": "cats"},
    }  # fmt: skip
    told["found"] = {
        name: sorted(one.name for one in search({}).versions(filter=one)) for name, one in filters.items()
    }
    made.description, made.visibility = "changed", "restricted"
    made.artifact_types.append("dataset")
    made.save()
    told["changed"] = described(api.registry("shared", organization))
    told["kept"] = refused(lambda: made.artifact_types.remove("dataset"))
    made.name, made.visibility, made.allow_all_artifact_types = "common", "organization", True
    made.save()
    told["renamed"] = described(api.registry("common", organization))
    told["old name"] = described(api.registry("shared", organization))[1:]  # 0.19 keeps the name it asked for
if is_young and hasattr(made, "update_member"):
    made.add_members(colleague, api.team(ops))
    made.update_member(colleague, "member")
    made.update_member(api.team(ops), "restricted_viewer")
    told["people"] = {one.user.username: one.role for one in made.user_members()}
    told["teams"] = {one.team.name: one.role for one in made.team_members()}
    told["last admin"] = refused(lambda: made.remove_members(made.user_members()[0]))
    told["wrong role"] = refused(lambda: made.update_member(colleague, "king"))
    made.remove_members(colleague, api.team(ops))
    told["left"] = len(made.members())
Path("told.json").write_text(json.dumps(told))
