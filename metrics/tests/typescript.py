"""What the browser computes, run by Node from the TypeScript itself."""

import json
import subprocess
from typing import Any

from config.env import ROOT
from tests.waiting import PATIENCE_S

NODE = [".venv/bin/node", "--no-warnings", "--input-type=module-typescript", "-e"]


def run_typescript(script: str, given: object) -> Any:
    """Return the JSON that a script prints; it finds what it is given as JSON in ``process.argv[1]``."""
    command = [*NODE, script, json.dumps(given)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    return json.loads(found.stdout)
