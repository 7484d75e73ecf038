"""``make release``: all that a release consists of, in ``dist/release``, with checksums.

Wheels, image context, chart, Compose files, units, a list of all parts (SBOM, CycloneDX), and a bundle for machines
without a network, which has the wheels of this machine's platform and Python. Nothing is uploaded.
"""

import argparse
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from common import VERSION
from config.env import ROOT
from deploy.archives import files_below, write_archive
from tests.environments import python_of

DEPLOY = ROOT / "deploy"
WHEELS = ROOT / "dist"
TARGET = WHEELS / "release"
SEMANTIC_VERSION = VERSION.replace(".dev", "-dev")
"""As Helm and npm want it: 0.2.0.dev0 is 0.2.0-dev0."""
HASHED = ROOT / "requirements.txt"
NPM = Path(sys.executable).parent / "npm"


class ReleaseError(Exception):
    """The release cannot be made; the message says what to do."""


def main() -> None:
    """Make it, and say what it consists of."""
    parser = argparse.ArgumentParser(prog="make release", description=__doc__)
    parser.add_argument(
        "--without-bundle", action="store_true", help="download no wheels for the offline bundle"
    )
    parser.add_argument(
        "--unreleased", action="store_true", help="for a trial: CHANGELOG.md need not name the version"
    )
    given = parser.parse_args()
    try:
        check_versions(is_trial=given.unreleased)
        if not given.unreleased:
            _output(sys.executable, "-m", "deploy.migrations", "--complete")
        make_release(with_bundle=not given.without_bundle)
    except ReleaseError as error:
        sys.exit(str(error))
    sys.stdout.write((TARGET / "SHA256SUMS").read_text())


def check_versions(*, is_trial: bool) -> None:
    """See that everything says the same version.

    Raises:
        ReleaseError: something does not.
    """
    places = {
        "agent/runyard_agent/__init__.py": f'__version__ = "{VERSION}"',
        "deploy/chart/Chart.yaml": f"version: {SEMANTIC_VERSION}\nappVersion: {VERSION}",
        "deploy/compose/compose.yaml": f"runyard:{VERSION}}}",
    }
    if not is_trial:
        places["CHANGELOG.md"] = f"## [{VERSION}]"
    for place, text in places.items():
        if text not in (ROOT / place).read_text():
            raise ReleaseError(f"{place} does not say “{text}”, but common.VERSION is {VERSION}.")


def make_release(*, with_bundle: bool) -> None:
    """Write all files of the release anew."""
    shutil.rmtree(TARGET, ignore_errors=True)
    TARGET.mkdir(parents=True)
    at = committed_at()
    server, agent = (
        WHEELS / f"runyard-{VERSION}-py3-none-any.whl",
        WHEELS / f"runyard_agent-{VERSION}-py3-none-any.whl",
    )
    for wheel in (server, agent):
        shutil.copy2(wheel, TARGET)
    image = {"Containerfile": DEPLOY / "Containerfile", "requirements.txt": HASHED, server.name: server}
    write_archive(TARGET / f"runyard-image-{VERSION}.tar.gz", image, at=at)
    write_archive(TARGET / f"runyard-chart-{VERSION}.tgz", files_below(DEPLOY / "chart", "runyard"), at=at)
    for name in ("compose", "systemd"):
        files = files_below(DEPLOY / name, f"runyard-{name}-{VERSION}")
        write_archive(TARGET / f"runyard-{name}-{VERSION}.tar.gz", files, at=at)
    write_parts(server)
    if with_bundle:
        write_bundle(server, agent, at=at)
    write_checksums()


def committed_at() -> int:
    """Return when the commit was made, which is the time of all files; SOURCE_DATE_EPOCH says another one."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given or _output("git", "log", "-1", "--format=%ct"))


def write_parts(server: Path) -> None:
    """List what the server is made of: its Python packages as they are installed, and those that the front end has."""
    tools = python_of("deploy", "tools", DEPLOY / "requirements-tools.txt").parent
    with tempfile.TemporaryDirectory(prefix="runyard-release-") as folder:
        python = Path(folder) / "bin" / "python"
        uv = (sys.executable, "-m", "uv", "--quiet", "--system-certs")
        _output(*uv, "venv", "--python", sys.executable, folder)
        _output(
            *uv, "pip", "install", "--python", str(python), "--require-hashes", "--requirement", str(HASHED)
        )
        _output(*uv, "pip", "install", "--python", str(python), "--no-deps", "--no-index", str(server))
        parts = TARGET / f"runyard-{VERSION}-server.cdx.json"
        _output(
            str(tools / "cyclonedx-py"), "environment", str(python), "--output-reproducible", "--spec-version", "1.6",
            "--output-file", str(parts),
        )  # fmt: skip
    write_front_end_parts()


def write_front_end_parts() -> None:
    """List the packages that the built front end has, from the lock file; npm does so only of what has a version."""
    with tempfile.TemporaryDirectory(prefix="runyard-release-") as folder:
        shutil.copy2(ROOT / "package-lock.json", folder)
        package = json.loads((ROOT / "package.json").read_text())
        (Path(folder) / "package.json").write_text(json.dumps(package | {"version": SEMANTIC_VERSION}))
        options = ("--sbom-format", "cyclonedx", "--package-lock-only", "--omit", "dev")
        found = json.loads(_output(str(NPM), "--prefix", folder, "sbom", *options))
    del found["serialNumber"], found["metadata"]["timestamp"]  # or it is another file each time
    (TARGET / f"runyard-{VERSION}-pages.cdx.json").write_text(
        json.dumps(found, indent=2, sort_keys=True) + "\n"
    )


def write_bundle(server: Path, agent: Path, *, at: int) -> None:
    """Gather the wheels of all that server and agent need, by hashes, for this platform and Python."""
    kind = f"{sys.platform}-{platform.machine()}-cp{sys.version_info.major}{sys.version_info.minor}"
    with tempfile.TemporaryDirectory(prefix="runyard-bundle-") as folder:
        wheels = Path(folder)
        download = (
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--only-binary",
            ":all:",
            "--dest",
            folder,
        )
        _output(*download, "--require-hashes", "--no-deps", "--requirement", str(HASHED))
        _output(*download, "--constraint", str(_without_hashes(wheels)), str(agent))
        files = {f"wheels/{path.name}": path for path in wheels.glob("*.whl") if path.name != agent.name}
        files |= {path.name: path for path in (server, agent, HASHED)}
        files |= {"install.sh": DEPLOY / "offline-install.sh"}
        top = f"runyard-offline-{VERSION}-{kind}"
        write_archive(TARGET / f"{top}.tar", {f"{top}/{name}": path for name, path in files.items()}, at=at)


def _without_hashes(folder: Path) -> Path:
    """Return the versions that the agent is tried with, for its own requirements, which are ranges."""
    text = (ROOT / "requirements-dev.txt").read_text()
    constraints = folder / "constraints.txt"
    constraints.write_text(
        "".join(f"{line}\n" for line in re.findall(r"^[\w.-]+==[\w.]+(?: ;.*?)?(?= \\)", text, re.MULTILINE))
    )
    return constraints


def write_checksums() -> None:
    """Write a line for each file, as ``sha256sum --check`` reads it."""
    lines = [f"{_sha256(path)}  {path.name}\n" for path in sorted(TARGET.iterdir())]
    (TARGET / "SHA256SUMS").write_text("".join(lines))


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _output(*command: str) -> str:
    """Run a command; return what it printed.

    Raises:
        ReleaseError: it failed; with what it said.
    """
    done = subprocess.run(list(command), cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
