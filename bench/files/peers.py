"""A folder logged and downloaded by each tracker's own client, against its own server."""

import json
import subprocess
import tempfile
from dataclasses import asdict
from pathlib import Path

from bench.peers import systems
from bench.peers.servers import ROOT, Servers, free_port
from bench.peers.system import Place, System
from tests import sdks

SYSTEMS = {"runyard": "sqlite", "mlflow": "sqlite", "trackio": ""}
"""With the variant that is measured."""
_WITHIN_S = 900
_CLIENT = """
import json, sys, time
from bench.peers import systems
from bench.peers.system import Place
name, variant, place, work, folder = sys.argv[1:]
system = systems.made(name, Place(**json.loads(place)), variant)
begin = time.perf_counter()
getattr(system, work)(folder)
print("seconds", time.perf_counter() - begin)
"""


def measure(name: str, source: Path) -> tuple[float, float]:
    """Return the seconds of logging a folder and of downloading it, the client's start included.

    Raises:
        RuntimeError: a client failed, or what came back is not what was sent.
    """
    with tempfile.TemporaryDirectory(prefix="runyard-files-", ignore_cleanup_errors=True) as folder:
        system = systems.made(name, Place(folder, free_port(), free_port()), SYSTEMS[name])
        with Servers(system, Path(folder) / "server.log"):
            logged = _client(system, name, "log_folder", source)
            target = Path(folder) / "fetched"
            fetched = _client(system, name, "fetch_folder", target)
            _compare(source, target)
    return logged, fetched


def _client(system: System, name: str, work: str, folder: Path) -> float:
    """Run one client in a process with caches of its own."""
    own = system.folder / work
    own.mkdir()
    done = subprocess.run(
        [str(system.python()), "-c", _CLIENT, name, SYSTEMS[name], json.dumps(asdict(system.place)), work, str(folder)],
        env=sdks.script_env({"PYTHONPATH": str(ROOT)}, own), cwd=own, capture_output=True, text=True, check=False,
        timeout=_WITHIN_S,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"the client of {name} failed:\n{done.stderr[-1500:]}")
    return float(done.stdout.rpartition("seconds")[2])


def _compare(source: Path, target: Path) -> None:
    sent = {path.name: path.stat().st_size for path in source.rglob("*") if path.is_file()}
    came = {path.name: path.stat().st_size for path in target.rglob("*") if path.is_file()}
    if sent != came:
        raise RuntimeError(f"{len(sent)} files were sent and {len(came)} came back")
