"""Virtual environments of other programs than ours: made once per content of their requirement files, and kept."""

import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from config.env import ROOT

CACHE = ROOT / ".cache"
NODE = Path(sys.executable).parent / "node"


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
    folder = _folder(kind, name, content)
    python = folder / "bin" / "python"
    _install(name, folder, _commands(folder, python, hashed, unhashed))
    return python


def npm_folder(name: str, package: Path) -> Path:
    """Return a folder with the ``node_modules`` of a package file and its lock file, as `python_of` does for Python.

    Args:
        name: The environment's.
        package: The folder of both files.

    Raises:
        RuntimeError: the packages could not be installed; the message has npm's own.
    """
    files = [package / "package.json", package / "package-lock.json"]
    folder = _folder("fakes", name, b"".join(file.read_bytes() for file in files))
    npm = [
        str(NODE.parent / "npm"),
        "ci",
        "--prefix",
        str(folder),
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
    ]
    _install(name, folder, [["mkdir", "-p", str(folder)], ["cp", *map(str, files), str(folder)], npm])
    return folder


def _folder(kind: str, name: str, content: bytes) -> Path:
    return CACHE / kind / f"{name}-{hashlib.sha256(content).hexdigest()[:12]}"


def _install(name: str, folder: Path, commands: list[list[str]]) -> None:
    complete = folder / "complete"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two xdist workers ask for it at once
        if not complete.exists():
            for command in commands:
                done = subprocess.run(
                    command, capture_output=True, text=True, timeout=900, check=False, env=_environment()
                )
                if done.returncode:
                    raise RuntimeError(f"{name} cannot be installed:\n{done.stdout}{done.stderr}")
            complete.touch()


def _environment() -> dict[str, str]:
    """Return ours, in which npm finds its node."""
    return os.environ | {"PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"}


def _commands(folder: Path, python: Path, hashed: Path, unhashed: Sequence[Path]) -> list[list[str]]:
    uv = [sys.executable, "-m", "uv", "--quiet", "--system-certs"]
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    there = ["--python", str(python)]
    return [
        [*uv, "venv", "--clear", "--python", sys.executable, str(folder)],
        [*uv, "pip", "install", *there, "--no-deps", "--require-hashes", "-r", str(hashed)],
        *([*pip, *there, "install", "--no-deps", "-r", str(file)] for file in unhashed),
    ]
