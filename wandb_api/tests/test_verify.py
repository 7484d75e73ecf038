"""`wandb verify`, but for what wants https."""

import re
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests import sdks
from tests.installation import Installation
from tests.sdk.people import person
from tests.sdk.table import parts
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.sdk

GOOD = [
    "Checking if logged in",
    "Checking signed URL upload",
    "Checking ability to send large payloads through proxy",
    "Checking CORs configuration of the bucket",
    "Checking wandb package version is up to date",
    "Checking logged metrics, saving and downloading a file",
    "Checking artifact save and download workflows",
]
SWEEPS = "Checking sweep creation and agent execution"
"""From 0.29 on."""


@pytest.fixture(scope="module")
def printed_by(
    server: Installation, sdk: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """Run it with all releases at once: it waits most of its half minute."""

    def run(version: str) -> str:
        folder = tmp_path_factory.mktemp(f"verify-{version}")
        (folder / "config").mkdir()  # 0.16 writes there and does not make it
        with person(server, f"verify-{version.replace('.', '-')}") as someone:
            done = subprocess.run(
                [str(sdk(version)), "-m", "wandb", "verify", "--host", server.url],
                env=sdks.script_env(someone.env, folder), cwd=folder, text=True, stdin=subprocess.DEVNULL,
                capture_output=True, timeout=PATIENCE_S, check=False,
            )  # fmt: skip
        return done.stdout + done.stderr

    with ThreadPoolExecutor() as pool:
        return dict(zip(sdks.newest(), pool.map(run, sdks.newest()), strict=True))


@pytest.mark.parametrize("version", sdks.newest())
def test_wandb_verify_finds_runs_files_artifacts_and_versions_in_order(
    printed_by: dict[str, str], version: str
) -> None:
    printed = printed_by[version]
    lines = dict(re.findall(r"^(Checking [^.\n]+?)\.+(.)", printed, re.MULTILINE))
    checks = [*GOOD, SWEEPS] if parts(version) >= (0, 29) else GOOD
    assert {check: lines.get(check) for check in checks} == dict.fromkeys(checks, "✅"), printed
