"""A whole installation that a person has started by one command, and a run that README tells how to log."""

import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests import sdks
from tests.sdk.wire import Run, Wire
from tests.waiting import PATIENCE_S, until

INSTALLATION_LIMIT_S = 900
"""What only ends a hang; an installation includes downloads."""
SERVES = "stop      Ctrl-C"
ENDED_BY_CTRL_C = {0, -signal.SIGINT}
"""make hears the signal, too, and ends by it once the server has stopped."""
STEPS = 200
"""Rows that README's script logs."""


class ServedError(Exception):
    """The installation does not do what README says."""


class Served:
    """The command, and what it has printed; repeated with the seconds since it was started."""

    def __init__(self, command: Sequence[str], cwd: Path, env: dict[str, str]) -> None:
        self.name = " ".join(Path(part).name for part in command)
        self.output = ""
        self._begin = time.monotonic()
        self._process = subprocess.Popen(
            command, cwd=cwd, env=env, text=True, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            self.output += line
            self.tell(line)

    def tell(self, line: str) -> None:
        """Print a line with the time."""
        print(f"{time.monotonic() - self._begin:4.0f} s | {line.rstrip()}", flush=True)  # noqa: T201 - for people

    def wait_until_it_serves(self) -> None:
        """Wait for the last line of the banner."""

        def serves() -> bool:
            if self._process.poll() is not None:
                raise ServedError(f"`{self.name}` ended with status {self._process.returncode}")
            return SERVES in self.output

        until(serves, f"`{self.name}` to serve", patience_s=INSTALLATION_LIMIT_S)

    def operator(self) -> str:
        """Return the name of the first operator, which is printed at the first start."""
        found = re.search(r"username  (\S+)", self.output)
        if found is None:
            raise ServedError(f"`{self.name}` tells no name to sign in with")
        return found[1]

    def press_ctrl_c(self) -> None:
        """Send SIGINT to all that the terminal would, and wait for the end."""
        os.killpg(self._process.pid, signal.SIGINT)
        try:
            status = self._process.wait(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise ServedError(f"`{self.name}` goes on {PATIENCE_S} s after Ctrl-C") from None
        self._reader.join()
        if status not in ENDED_BY_CTRL_C or "Runyard has stopped." not in self.output:
            raise ServedError(f"`{self.name}` ended with status {status} after Ctrl-C")

    def kill(self) -> None:
        """Leave nothing behind."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._reader.join()
        if self._process.stdout:
            self._process.stdout.close()


def created(command: Sequence[str], cwd: Path, env: dict[str, str]) -> dict[str, str]:
    """Run a command of the installation that prints what it created as JSON."""
    printed = subprocess.run(command, cwd=cwd, env=env, check=True, capture_output=True, text=True).stdout
    found: dict[str, str] = json.loads(printed)
    return found


def readme_script(checkout: Path) -> str:
    """Return the training script that README shows, without the pauses in which a person watches it."""
    found = re.search(r"```python\n(.*?)```", (checkout / "README.md").read_text(), re.DOTALL)
    if found is None:
        raise ServedError("README shows no training script")
    return found[1].replace("time.sleep(0.3)", "time.sleep(0)")


def stored(url: str, key: str, run: Run) -> dict[str, Any]:
    """Return a run's fields, history and log."""
    wire = Wire(url, key)
    with wire.http:
        return wire.run(run)


def log_a_run(script: str, url: str, key: str) -> None:
    """Run README's script with the newest SDK, and look at what is stored.

    Raises:
        ServedError: it is not what was logged.
    """
    with tempfile.TemporaryDirectory(prefix="runyard-script-") as folder:
        ran = sdks.run_script(
            sdks.python_of(sdks.versions()[-1]), script,
            env={"WANDB_BASE_URL": url, "WANDB_API_KEY": key}, cwd=Path(folder),
        )  # fmt: skip
    address = re.search(r"View run at:? \S+/(\S+)/(\S+)/runs/(\S+)", ran.stderr)
    if address is None:
        raise ServedError(f"the SDK does not tell where its run is:\n{ran.stdout}{ran.stderr}")
    entity, project, uid = address.groups()
    found = stored(url, key, Run(entity, project, uid))
    steps = [json.loads(line)["_step"] for line in found["history"]]
    if (found["state"], steps) != ("finished", list(range(STEPS))):
        raise ServedError(f"the run is {found['state']} with {len(steps)} rows, not finished with {STEPS}")
