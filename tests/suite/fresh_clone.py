"""What a newcomer does, in an empty clone with an empty home: `make run`, log a run as README says, stop it.

`make test-clone` and `.ci/run` call it. It tries what is committed, and names what is not. A step done by hand that the
repository lacks shows here first.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests import clients
from tests.ports import free_port
from tests.served import Served, ServedError, created, log_a_run, readme_script
from tests.suite.checkout import ROOT

NOT_OF_A_NEWCOMER = ("RUNYARD_", "DJANGO_", "WANDB_", "VIRTUAL_ENV", "PYTHON", "XDG_", "MAKE", "MFLAGS", "CI")


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


def main() -> None:
    """Try it, and say what fails."""
    # What a shell starts in its background ignores it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    begin, port = time.monotonic(), free_port()
    url = f"http://localhost:{port}"
    with cloned() as clone:
        env = newcomers_env(clone.parent / "home", port)
        served = Served(["make", "run"], clone, env)
        try:
            served.wait_until_it_serves()
            # the worker says a moment after the web process that it lives
            clients.wait_for_answer(f"{url}/ready")
            served.tell("It is ready; the newest SDK is installed, and logs a run")
            command = [".venv/bin/python", "manage.py", "create-api-key", served.operator()]
            log_a_run(readme_script(clone), url, created(command, clone, env)["api_key"])
            served.tell("The run is stored; Ctrl-C is pressed")
            served.press_ctrl_c()
            served.tell("It has ended, and all that it has started; the clone is deleted")
        except (ServedError, AssertionError, httpx.HTTPError, subprocess.CalledProcessError) as error:
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
