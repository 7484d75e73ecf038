"""Registries with every release of the SDK: ART-5, TEAM-21. The scripts are `scenarios/registry_*.py`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.installation import Installation
from tests.sdk.lab import Lab
from tests.sdk.lines import Job, Ran, Told, scenario
from tests.sdk.people import VERSION, Person, person
from tests.sdk.wire import recording
from wandb_api.graphql.global_ids import to_id

pytestmark = [pytest.mark.sdk, pytest.mark.dialect]

SHARED = "0.19"
"""From here on an SDK creates and searches registries."""
MEMBERS = "0.29"
"""From here on it manages their members."""

PROTECT = """
import json
from artifacts.models import Registry, RegistryMember
from accounts.models import User
registry = Registry.objects.get(project__name="wandb-registry-model", project__team__name={organization!r})
registry.protected_aliases.get_or_create(name="production")
registry.members.update_or_create(user=User.objects.get(username={name!r}), defaults={{"role": {role!r}}})
print(json.dumps(User.objects.get(username={colleague!r}).pk))
"""


def _prepare(lab: Lab, organization: str, colleague: Person, role: str, given: Person | None = None) -> int:
    """Protect an alias, and give Ada, or another, a role in the registry `model`; returns the colleague's number."""
    name = (given or lab.ada).name
    code = PROTECT.format(organization=organization, name=name, role=role, colleague=colleague.name)
    return int(lab.server.manage("shell", "--no-imports", "-c", code))


def life(lab: Lab) -> Told:
    """Let the admin of an organization, a colleague and the admin again do what they do with registries."""
    name = lab.project.replace(".", "-")
    organization, team, ops = f"{name}-org", f"{name}-lab", f"{name}-ops"
    manage = lab.server.manage
    manage("create_organization", organization, "--admin", lab.ada.name)
    for each in (team, ops):
        manage("create_team", each, "--organization", organization, "--admin", lab.ada.name)
    with person(lab.server, f"{name}-eve") as eve:
        manage("add_member", ops, eve.name, "--role", "member")
        number = _prepare(lab, organization, eve, "member")
        names = {
            "ORGANIZATION": organization,
            "TEAM": team,
            "OPS": ops,
            "COLLEAGUE_ID": to_id("User", number),
        }
        as_eve = {**eve.env, "WANDB_USERNAME": eve.name}
        told: Told = {
            "names": {**names, "project": lab.project},
            "owner": _told(lab, "registry_owner", names),
        }
        is_young = "created" in told["owner"]
        shown = {"REGISTRY": "common" if is_young else "model"}
        told["colleague"] = _told(lab, "registry_colleague", {**names, **as_eve, **shown})
        _prepare(lab, organization, eve, "member", given=eve)
        told["promoter"] = _told(lab, "registry_promoter", {**names, **as_eve})
        _prepare(lab, organization, eve, "admin")
        told["end"] = _told(lab, "registry_end", names)
    return told


def _told(lab: Lab, script: str, variables: dict[str, str]) -> dict[str, Any]:
    lab.script(script, **variables)
    return dict(json.loads((lab.folder / "told.json").read_text()))


JOBS: dict[str, Job] = {"life": life}


def _owner(ran: Ran) -> dict[str, Any]:
    return dict(ran.told["owner"])


@scenario("link_artifact to a registry", "life")
def test_link(ran: Ran) -> None:
    """ART-5."""
    told = _owner(ran)
    assert told["linked"][:3] == ["v0", "Net", "model"]
    assert {"latest", "staging"} <= set(told["linked"][3])
    assert {"good", "latest", "staging"} <= set(told["aliases"])


@scenario("link_model to a team's registry", "life")
def test_link_model(ran: Ran) -> None:
    """ART-5."""
    assert _owner(ran)["old"] == ["v0", "Old"]


@scenario("a protected alias", "life")
def test_protected_alias(ran: Ran) -> None:
    """TEAM-21: only the registry admins give it, not the organization's."""
    refusal = _owner(ran)["protected"]
    assert "production" in refusal or "403" in refusal  # 0.16 has words of its own
    assert "production" in ran.told["end"]["protected"]


@scenario("create_registry", "life", since=SHARED)
def test_create(ran: Ran) -> None:
    """ART-5."""
    told = _owner(ran)
    assert told["created"] == ["shared", "organization", "what is shared", ["model"], False]
    assert told["restricted"][1] == "restricted"
    assert "already exists" in told["twice"]


@scenario("types of a registry", "life", since=SHARED)
def test_types(ran: Ran) -> None:
    """ART-5."""
    refusal = _owner(ran)["wrong type"]
    assert "model" in refusal or not refusal  # 0.19 only prints it
    assert "Rows" not in _owner(ran)["collections"]


@scenario("registries, collections, versions", "life", since=SHARED)
def test_search(ran: Ran) -> None:
    """ART-5."""
    told = _owner(ran)
    assert told["registries"] == ["dataset", "model", "secret", "shared"]
    assert told["by name"] == ["shared"]
    assert told["by pattern"] == ["secret", "shared"]
    assert told["collections"] == ["Net", "Second"]
    assert told["one collection"] == ["Net"]
    assert told["versions"] == ["Net:v0", "Net:v0", "Second:v0"]


@scenario("filters of versions", "life", since=SHARED)
def test_filters(ran: Ran) -> None:
    """ART-5."""
    assert _owner(ran)["found"] == {
        "alias": ["Net:v0"], "either": ["Net:v0", "Net:v0"], "tag": [], "other metadata": [],
        "metadata": ["Net:v0", "Net:v0", "Second:v0"],
    }  # fmt: skip


@scenario("save, rename", "life", since=SHARED)
def test_change(ran: Ran) -> None:
    """ART-5."""
    told = _owner(ran)
    assert told["changed"] == ["shared", "restricted", "changed", ["dataset", "model"], False]
    assert "has been saved" in told["kept"]  # as the SDK says; the server would remove it
    assert told["renamed"] == ["common", "organization", "changed", ["dataset", "model"], True]
    assert told["old name"] == told["renamed"][1:]  # code that uses a former name still finds it


@scenario("members of a registry", "life", since=MEMBERS)
def test_members(ran: Ran) -> None:
    """TEAM-21."""
    told, names = _owner(ran), ran.told["names"]
    assert told["people"] == {ran.lab.ada.name: "admin", f"{names['OPS'].removesuffix('-ops')}-eve": "member"}
    assert told["teams"] == {names["OPS"]: "restricted_viewer"}
    assert "last registry admin" in told["last admin"]
    assert "king" in told["wrong role"]
    assert told["left"] == 1


@scenario("use_artifact from a registry", "life")
def test_a_registry_s_viewer_downloads_and_learns_nothing_of_the_project(ran: Ran) -> None:
    """ART-5, TEAM-21."""
    told, names = ran.told["colleague"], ran.told["names"]
    assert told["bytes"]
    assert told["used"] == ["Net:v0"]
    assert told["known"][0] == names["ORGANIZATION"]
    assert names["TEAM"] not in told["known"]
    assert names["project"] not in told["known"]


@scenario("a registry's member promotes what they do not see the project of", "life")
def test_promotion(ran: Ran) -> None:
    """TEAM-21: SDKs change the version itself, too, unless they see that it is another project's."""
    told = ran.told["promoter"]
    assert told["refused"] == ""
    assert "promoted" in told["aliases"]


@scenario("what a viewer may not", "life", since=SHARED)
def test_refusals(ran: Ran) -> None:
    """TEAM-21."""
    told = ran.told["colleague"]
    for name in ("alias", "create", "delete", "nobody's"):
        assert told[name], name
    assert told["left"] == [], "linked by a viewer; 0.19 only prints that it was refused"
    assert told["registries"] == ["common", "dataset", "model"]
    assert told["by person"] == ""


@scenario("Artifact.url", "life", since=SHARED)
def test_url(ran: Ran) -> None:
    """ART-5: `wandb_api/tests/views/test_registries.py` sees where it leads."""
    organization = ran.told["names"]["ORGANIZATION"]
    address, _, query = _owner(ran)["url"].partition("?")
    assert address.endswith(f"/orgs/{organization}/registry/model")
    selected = f"{organization}%2Fwandb-registry-model%2FNet"
    assert query == f"selectionPath={selected}&view=membership&version=v0"


@scenario("delete, unlink", "life", since=SHARED)
def test_delete(ran: Ran) -> None:
    """ART-5: the versions stay."""
    told = ran.told["end"]
    assert told["registries"] == ["dataset", "model", "secret"]
    assert told["source"] == "net:v0"


def test_of_a_team_s_organization_no_metadata_host_is_asked(
    server: Installation,
    ada: Person,
    team: str,
    sdk: Callable[[str], Path],
    run_script: Callable[..., Any],
) -> None:
    """Entities tell their organization, by whose number alone the SDK asks that host."""
    code = "import time, wandb\nrun = wandb.init(project='hosts')\ntime.sleep(2)\nrun.finish()"
    with recording(server.port) as host:
        found = {"WANDB_X_STATS_COREWEAVE_METADATA_BASE_URL": host.url, "WANDB_ENTITY": team}
        run_script(sdk(VERSION), code, env={**ada.env, **found})
    assert host.statuses == []
