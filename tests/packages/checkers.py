"""Runs in the environment of deploy/requirements-tools.txt: renders the chart by Helm, and validates what is deployed.

``python checkers.py DEPLOY`` prints one JSON object; tests/packages/test_deployment.py reads it.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

import helm_python
import kubernetes_validate
import yaml
from compose_spec import PyCompose

KUBERNETES = ("1.27", "1.34")
"""The oldest that the chart supports, and a new one."""
VARIABLE = re.compile(r"\$\{([A-Z0-9_]+)(?::-([^}]*)|:\?[^}]*)?\}")
WRONG: list[dict[str, Any]] = [
    {"web": {"replica": 3}},
    {"settings": {"RUNYARD_SEGMENTS": "bucket"}},
    {"settings": {"RUNYARD_STORAGE_URL": "s3://bucket"}},
]
"""Values that must be refused: a misspelt one, and those by which files or metrics would go with their pods."""
NOT_OF_KUBERNETES = {"ServiceMonitor"}
"""The Prometheus operator's own, of which there is no schema here."""


def rendered(chart: helm_python.Chart, values: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the objects of the chart."""
    texts = chart.render(values=values, name="demo", namespace="science").items()
    found = [one for name, text in texts if name.endswith(".yaml") for one in yaml.safe_load_all(text)]
    return [one for one in found if one]


def refusals(one: dict[str, Any]) -> list[str]:
    """Return what Kubernetes would not take."""
    if one["kind"] in NOT_OF_KUBERNETES:
        return []
    found = []
    for version in KUBERNETES:
        try:
            kubernetes_validate.validate(one, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            found.append(f"{version} {one['kind']} {one['metadata']['name']}: {error}")
    return found


def refusal_of(chart: helm_python.Chart, values: dict[str, Any]) -> str:
    """Return why Helm does not render the chart for these values; empty where it does."""
    try:
        rendered(chart, values)
    except helm_python.HelmError as error:
        return str(error)
    return ""


def chart_report(folder: Path) -> dict[str, Any]:
    """Render the chart for each example; say what Helm and Kubernetes find wrong."""
    with helm_python.Chart.load(folder) as chart:
        examples = {
            path.stem: rendered(chart, yaml.safe_load(path.read_text()))
            for path in sorted((folder / "examples").glob("*.yaml"))
        }
        refused = [refusal_of(chart, values) for values in WRONG]
    return {
        "metadata": yaml.safe_load((folder / "Chart.yaml").read_text()),
        "errors": helm_python.lint(str(folder))["errors"],
        "examples": examples,
        "refusals": [text for objects in examples.values() for one in objects for text in refusals(one)],
        "refused": refused,
    }


def compose_report(path: Path) -> dict[str, Any]:
    """Read the Compose file by its specification, as Compose does: variables first, then anchors; return it."""
    found: dict[str, Any] = yaml.safe_load(VARIABLE.sub(lambda match: match[2] or "given", path.read_text()))
    plain = {name: value for name, value in found.items() if not name.startswith("x-")}
    PyCompose.from_json(json.dumps(plain)).to_spec()
    return plain


if __name__ == "__main__":
    deploy = Path(sys.argv[1])
    report = {
        "chart": chart_report(deploy / "chart"),
        "compose": compose_report(deploy / "compose/compose.yaml"),
    }
    sys.stdout.write(json.dumps(report))
