"""Virtual environments of other programs than ours: made once per content of their requirement files, and kept."""

import fcntl
import hashlib
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from config.env import ROOT

CACHE = ROOT / ".cache"


def python_of(kind: str, name: str, hashed: Path, *, unhashed: Sequence[Path] = ()) -> Path:
    """Return the Python of an environment.

    Args:
        kind: The folder of the cache.
        name: The environment's.
        hashed: Names every package, with hashes; installed by uv, which takes 9 s where pip takes 60 (scikit-learn, two
            busy cores). Dependencies are not followed.
        unhashed: Installed by pip after that, without dependencies: packages that only pip finds.

    Raises:
        RuntimeError: the packages could not be installed; the message has the installer's own.
    """
    content = b"".join(file.read_bytes() for file in (hashed, *unhashed)) + sys.version.encode()
    folder = CACHE / kind / f"{name}-{hashlib.sha256(content).hexdigest()[:12]}"
    python, complete = folder / "bin" / "python", folder / "complete"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two xdist workers ask for it at once
        if not complete.exists():
            for command in _commands(folder, python, hashed, unhashed):
                done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
                if done.returncode:
                    raise RuntimeError(f"{name} cannot be installed:\n{done.stdout}{done.stderr}")
            complete.touch()
    return python


def _commands(folder: Path, python: Path, hashed: Path, unhashed: Sequence[Path]) -> list[list[str]]:
    uv = [sys.executable, "-m", "uv", "--quiet", "--system-certs"]
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    there = ["--python", str(python)]
    return [
        [*uv, "venv", "--clear", "--python", sys.executable, str(folder)],
        [*uv, "pip", "install", *there, "--no-deps", "--require-hashes", "-r", str(hashed)],
        *([*pip, *there, "install", "--no-deps", "-r", str(file)] for file in unhashed),
    ]
