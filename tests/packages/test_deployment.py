"""What `deploy/` has is what Helm, Kubernetes, Compose, Caddy and systemd take; no test here starts any of it."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from common import VERSION
from config.env import ROOT
from deploy.release import SEMANTIC_VERSION
from tests.environments import python_of

DEPLOY = ROOT / "deploy"
VARIABLE = re.compile(r"\$\{?([A-Z][A-Z0-9_]+)")
UNITS = {
    "runyard.service": "runyard.service", "runyard-prepare.service": "runyard-prepare.service",
    "runyard-web@.service": "runyard-web@8000.service", "runyard-worker@.service": "runyard-worker@1.service",
}  # fmt: skip
OWN = {
    "POSTGRES_PASSWORD",
    "REDIS_PASSWORD",
    "STORAGE_KEY",
    "STORAGE_SECRET",
    "STORAGE_DOMAIN",
    "RUNYARD_DOMAIN",
}
"""Variables of the Compose file that are none of Runyard's."""


@pytest.fixture(scope="module")
def tools() -> Path:
    return python_of("deploy", "tools", DEPLOY / "requirements-tools.txt").parent


@pytest.fixture(scope="module")
def report(tools: Path) -> Any:
    command = [tools / "python", Path(__file__).with_name("checkers.py"), DEPLOY]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def pods(report: Any, example: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for one in report["chart"]["examples"][example]:
        if one["kind"] in ("Deployment", "Job"):
            yield one["metadata"]["name"], one["spec"]["template"]["spec"]


def of_kind(report: Any, example: str, kind: str) -> list[dict[str, Any]]:
    return [one for one in report["chart"]["examples"][example] if one["kind"] == kind]


EXAMPLES = pytest.mark.parametrize("example", ["small", "large", "closed"])


def test_the_chart_is_one_that_helm_and_kubernetes_take(report):
    chart = report["chart"]
    assert (chart["errors"], chart["refusals"]) == ([], [])
    assert set(chart["examples"]) == {"small", "large", "closed"}


def test_the_chart_has_the_number_of_the_release(report):
    metadata = report["chart"]["metadata"]
    assert (metadata["version"], metadata["appVersion"]) == (SEMANTIC_VERSION, VERSION)


def test_values_that_cannot_be_meant_are_refused(report):
    misspelt, no_place_for_files, no_place_for_metrics = report["chart"]["refused"]
    assert "'replica' not allowed" in misspelt
    assert "Files would be lost with their pod" in no_place_for_files
    assert "Packed metrics would be lost with their pod" in no_place_for_metrics


@EXAMPLES
def test_pods_run_as_nobody_and_write_only_to_their_folders(report, example):
    found = dict(pods(report, example))
    assert set(found) == {"demo-runyard-web", "demo-runyard-worker", "demo-runyard-prepare"}
    for pod in found.values():
        assert pod["securityContext"]["runAsNonRoot"]
        [container] = pod["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
        }  # fmt: skip
        assert {mount["mountPath"] for mount in container["volumeMounts"]} == {"/data", "/tmp"}  # noqa: S108


@EXAMPLES
def test_the_database_is_prepared_before_a_release_starts(report, example):
    """Hooks come before all else, so the job reads settings and secrets that are hooks, too, or were there."""
    [job] = of_kind(report, example, "Job")
    assert job["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"
    hooks = {
        one["metadata"]["name"]: int(one["metadata"]["annotations"]["helm.sh/hook-weight"])
        for one in report["chart"]["examples"][example]
        if "helm.sh/hook" in one["metadata"].get("annotations", {})
    }
    [container] = job["spec"]["template"]["spec"]["containers"]
    for source in container["envFrom"]:
        [reference] = source.values()
        assert reference["name"] == "runyard-secrets" or hooks[reference["name"]] <= 0


@EXAMPLES
def test_each_process_can_be_taken_away_and_is_watched(report, example):
    budgets = {one["metadata"]["name"] for one in of_kind(report, example, "PodDisruptionBudget")}
    assert budgets == {"demo-runyard-web", "demo-runyard-worker"}
    found = dict(pods(report, example))
    [web] = found["demo-runyard-web"]["containers"]
    assert web["readinessProbe"]["httpGet"]["path"] == "/ready?parts=database,migrations"
    assert web["livenessProbe"]["httpGet"]["path"] == "/healthz"
    [worker] = found["demo-runyard-worker"]["containers"]
    assert worker["livenessProbe"]["exec"]["command"] == ["runyard", "health", "worker"]


def test_web_grows_with_the_posts(report):
    [scaler] = of_kind(report, "large", "HorizontalPodAutoscaler")
    assert [one["pods"]["metric"]["name"] for one in scaler["spec"]["metrics"] if one["type"] == "Pods"] == [
        "runyard_posts_per_second"
    ]
    [web] = [one for one in of_kind(report, "large", "Deployment") if one["metadata"]["name"].endswith("web")]
    assert "replicas" not in web["spec"], "or each upgrade would set the number back"


def test_secrets_are_never_in_a_config_map(report):
    for example in ("small", "large", "closed"):
        for one in of_kind(report, example, "ConfigMap"):
            assert not {
                name for name in one["data"] if re.search("SECRET|KEY|TOKEN|DATABASE_URL|REDIS", name)
            }


def test_the_compose_file_starts_the_image_of_the_release(report):
    services = report["compose"]["services"]
    ours = [services[name] for name in ("prepare", "web", "worker")]
    assert {one["image"] for one in ours} == {f"runyard:{VERSION}"}
    assert all(one["read_only"] and one["cap_drop"] == ["ALL"] for one in ours)
    assert {name for name, one in services.items() if "healthcheck" not in one} == {"web", "proxy"}, (
        "web: the image's"
    )


def test_only_the_proxy_is_reached_from_outside(report):
    assert [name for name, one in report["compose"]["services"].items() if "ports" in one] == ["proxy"]


def test_each_variable_of_the_compose_file_is_in_its_example(report):
    text = (DEPLOY / "compose" / "compose.yaml").read_text()
    example = (DEPLOY / "compose" / "env.example").read_text()
    named = set(re.findall(r"^(?:# )?([A-Z_]+)=", example, re.MULTILINE))
    assert set(VARIABLE.findall(text)) == named
    page = (ROOT / "docs" / "operate" / "configure.md").read_text()
    for name in report["compose"]["services"]["web"]["environment"]:
        assert f"`{name}`" in page or name == "PROMETHEUS_MULTIPROC_DIR"
    assert named > OWN


def test_the_proxy_takes_its_file(tools, tmp_path):
    env = {
        "PATH": os.defpath,
        "HOME": str(tmp_path),
        "RUNYARD_DOMAIN": "a.example",
        "STORAGE_DOMAIN": "b.example",
    }
    command = [
        tools / "caddy",
        "validate",
        "--adapter",
        "caddyfile",
        "--config",
        DEPLOY / "compose" / "Caddyfile",
    ]
    done = subprocess.run(command, env=env, check=False, capture_output=True, text=True)
    assert "Valid configuration" in done.stdout + done.stderr


def test_the_units_are_such_that_systemd_takes_them(tmp_path):
    """Without what this machine lacks: the installed program, and PID 1."""
    verify = shutil.which("systemd-analyze")
    if verify is None:
        pytest.skip("systemd-analyze is not there")
    assert set(UNITS) == {path.name for path in (DEPLOY / "systemd").iterdir()}
    for name, instance in UNITS.items():
        text = (DEPLOY / "systemd" / name).read_text()
        (tmp_path / instance).write_text(text.replace("/opt/runyard/bin/runyard", "/bin/true"))
    command = [verify, "verify", *(str(tmp_path / instance) for instance in UNITS.values())]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert [line for line in done.stderr.splitlines() if str(tmp_path) in line or "runyard" in line] == []


def test_the_image_has_no_rights_and_nothing_that_is_not_hashed():
    text = (DEPLOY / "Containerfile").read_text()
    assert re.search(r"^USER 10001:10001$", text, re.MULTILINE)
    assert "--require-hashes" in text
    assert re.search(r"^HEALTHCHECK .*\"runyard\", \"health\"", text, re.MULTILINE)
