"""What the browser computes, run by Node from the TypeScript itself, bundled as for the browser."""

import json
import subprocess
from collections.abc import Sequence
from typing import Any

from config.env import ROOT
from tests.waiting import PATIENCE_S

BUNDLE = ["node_modules/.bin/esbuild", "--bundle", "--format=esm", "--platform=node", "--loader=ts"]
NODE = [".venv/bin/node", "--no-warnings", "--input-type=module", "-e"]


def run_typescript(script: str, given: object) -> Any:
    """Return the JSON that a script prints; it finds what it is given as JSON in ``process.argv[1]``."""
    return json.loads(_output([*NODE, _output(BUNDLE, script), json.dumps(given)]))


def _output(command: Sequence[str], given: str = "") -> str:
    found = subprocess.run(
        command, cwd=ROOT, input=given, capture_output=True, text=True, check=True, timeout=PATIENCE_S
    )
    return found.stdout
