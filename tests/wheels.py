"""The wheels, built as `make wheel` does, and installed into empty environments."""

import os
import subprocess
import sys
from pathlib import Path

UV = [sys.executable, "-m", "uv", "--quiet", "--system-certs"]


def build_wheel(source: Path, folder: Path) -> None:
    """Build the wheel of the package whose pyproject.toml is in ``source``."""
    target = ["--target", "wheel", "--directory", str(folder)]
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", *target], cwd=source, check=True, capture_output=True
    )


def install(folder: Path, wheel: Path, *packages: str) -> Path:
    """Install a wheel, and what it needs by hashes, into an empty environment; return its folder of programs."""
    there = ["--python", str(folder / "bin" / "python"), "--only-binary", ":all:"]
    for command in (
        ["venv", "--python", sys.executable, str(folder)],
        ["pip", "install", *there, *packages],
        ["pip", "install", *there, "--no-deps", "--no-index", str(wheel)],
        ["pip", "check", *there[:2]],
    ):
        subprocess.run([*UV, *command], check=True, env=os.environ | {"CC": "false", "CXX": "false"})
    return folder / "bin"


def install_server(folder: Path, wheel: Path, source: Path) -> Path:
    """Install the server's wheel with the exact packages that its sources name; return its folder of programs."""
    return install(folder, wheel, "--require-hashes", "-r", str(source / "requirements.txt"))
