"""What a newcomer does, in an empty clone with an empty home: `make run`, log a run as README says, stop it.

`make test-clone` and `.ci/run` call it. It tries what is committed, and names what is not. A step done by hand that the
repository lacks shows here first.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests import clients, sdks
from tests.ports import free_port
from tests.sdk.wire import Run, Wire
from tests.suite.passes import ROOT
from tests.waiting import PATIENCE_S, until

INSTALLATION_LIMIT_S = 900
"""What only ends a hang; the installation includes downloads."""
SERVES = "stop      Ctrl-C"
NOT_OF_A_NEWCOMER = ("RUNYARD_", "DJANGO_", "WANDB_", "VIRTUAL_ENV", "PYTHON", "XDG_", "MAKE", "MFLAGS", "CI")
ENDED_BY_CTRL_C = {0, -signal.SIGINT}
"""make hears the signal, too, and ends by it once the server has stopped."""
STEPS = 200
"""Rows that README's script logs."""


class CloneError(Exception):
    """The clone does not do what README says."""


class Served:
    """`make run` in a clone, and what it has printed; repeated with the seconds since it was started."""

    def __init__(self, clone: Path, env: dict[str, str]) -> None:
        self.output = ""
        self._begin = time.monotonic()
        self._process = subprocess.Popen(
            ["make", "run"], cwd=clone, env=env, text=True, start_new_session=True,
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
        print(f"{time.monotonic() - self._begin:4.0f} s | {line.rstrip()}", flush=True)

    def wait_until_it_serves(self) -> None:
        """Wait for the last line of the banner."""

        def serves() -> bool:
            if self._process.poll() is not None:
                raise CloneError(f"`make run` ended with status {self._process.returncode}")
            return SERVES in self.output

        until(serves, "`make run` to serve", patience_s=INSTALLATION_LIMIT_S)

    def press_ctrl_c(self) -> None:
        """Send SIGINT to all that the terminal would, and wait for the end."""
        os.killpg(self._process.pid, signal.SIGINT)
        try:
            status = self._process.wait(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise CloneError(f"`make run` goes on {PATIENCE_S} s after Ctrl-C") from None
        self._reader.join()
        if status not in ENDED_BY_CTRL_C or "Runyard has stopped." not in self.output:
            raise CloneError(f"`make run` ended with status {status} after Ctrl-C")

    def kill(self) -> None:
        """Leave nothing behind."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._reader.join()


def newcomers_env(home: Path, port: int) -> dict[str, str]:
    """Return this environment without an activated one, settings of ours, and a home that has anything."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(NOT_OF_A_NEWCOMER)}
    own = (str(ROOT), str(Path(sys.prefix)))
    path = [folder for folder in os.environ["PATH"].split(os.pathsep) if not folder.startswith(own)]
    return kept | {"HOME": str(home), "PATH": os.pathsep.join(path), "RUNYARD_PORT": str(port)}


@contextmanager
def cloned() -> Iterator[Path]:
    """Clone what is committed."""
    changed = _git("status", "--porcelain")
    if changed:
        print(f"Not committed, so not tried:\n{changed}", end="", flush=True)
    with tempfile.TemporaryDirectory(prefix="runyard-clone-") as folder:
        clone = Path(folder) / "runyard"
        _git("clone", "--quiet", "--no-local", "--depth", "1", f"file://{ROOT}", str(clone))
        (Path(folder) / "home").mkdir()
        yield clone


def _git(*arguments: str, cwd: Path = ROOT) -> str:
    return subprocess.run(["git", *arguments], cwd=cwd, check=True, capture_output=True, text=True).stdout


def readme_script(clone: Path) -> str:
    """Return the training script that README shows, without the pauses in which a person watches it."""
    found = re.search(r"```python\n(.*?)```", (clone / "README.md").read_text(), re.DOTALL)
    if found is None:
        raise CloneError("README shows no training script")
    return found[1].replace("time.sleep(0.3)", "time.sleep(0)")


def log_a_run(clone: Path, served: Served, url: str, env: dict[str, str]) -> None:
    """Run README's script with the newest SDK as the first operator, and look at what is stored."""
    operator = re.search(r"username  (\S+)", served.output)
    if operator is None:
        raise CloneError("`make run` tells no name to sign in with")
    command = [".venv/bin/python", "manage.py", "create_api_key", operator[1]]
    made = subprocess.run(command, cwd=clone, env=env, check=True, capture_output=True, text=True)
    key = json.loads(made.stdout)["api_key"]
    with tempfile.TemporaryDirectory(prefix="runyard-script-") as folder:
        ran = sdks.run_script(
            sdks.python_of(sdks.versions()[-1]), readme_script(clone),
            env={"WANDB_BASE_URL": url, "WANDB_API_KEY": key}, cwd=Path(folder),
        )  # fmt: skip
    address = re.search(r"View run at:? \S+/(\S+)/(\S+)/runs/(\S+)", ran.stderr)
    if address is None:
        raise CloneError(f"the SDK does not tell where its run is:\n{ran.stdout}{ran.stderr}")
    wire = Wire(url, key)
    entity, project, uid = address.groups()
    found = wire.run(Run(entity, project, uid))
    steps = [json.loads(line)["_step"] for line in found["history"]]
    if (found["state"], steps) != ("finished", list(range(STEPS))):
        raise CloneError(f"the run is {found['state']} with {len(steps)} rows, not finished with {STEPS}")


def main() -> None:
    """Try it, and say what fails."""
    # What a shell starts in its background ignores it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    begin, port = time.monotonic(), free_port()
    url = f"http://localhost:{port}"
    with cloned() as clone:
        env = newcomers_env(clone.parent / "home", port)
        served = Served(clone, env)
        try:
            served.wait_until_it_serves()
            # the worker says a moment after the web process that it lives
            clients.wait_for_answer(f"{url}/ready")
            served.tell("It is ready; the newest SDK is installed, and logs a run")
            log_a_run(clone, served, url, env)
            served.tell("The run is stored; Ctrl-C is pressed")
            served.press_ctrl_c()
            served.tell("It has ended, and all that it has started; the clone is deleted")
        except (CloneError, AssertionError, httpx.HTTPError, subprocess.CalledProcessError) as error:
            sys.exit(f"An empty clone fails: {error}")
        finally:
            served.kill()
        left = _git("status", "--porcelain", cwd=clone)
        if left:
            sys.exit(f"An empty clone fails: `make run` leaves files that git does not ignore:\n{left}")
    seconds = time.monotonic() - begin
    print(f"An empty clone serves, takes a run, and stops ({seconds:.0f} s)")


if __name__ == "__main__":
    main()
