"""Where a script of `tests/sdk/scenarios` runs: one release of the SDK, a folder, and what the server has of it."""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import sdks
from tests.installation import Installation
from tests.sdk.people import Person
from tests.sdk.wire import Run
from tests.waiting import PATIENCE_S

SCRIPTS = Path(__file__).with_name("scenarios")
SETTINGS = {
    "WANDB_SILENT": "true",
    "WANDB__TRANSACTION_LOG_FLUSH_INTERVAL": "0.1",  # or a killed client has lost 15 s before we see any of them
}
NO_STATS = {"WANDB_X_DISABLE_STATS": "true", "WANDB__DISABLE_STATS": "true"}
"""The second one's for releases up to 0.18."""


@dataclass(frozen=True)
class Lab:
    """One release, and one script's folder."""

    version: str
    python: Path
    server: Installation
    ada: Person
    folder: Path
    job: str = ""
    attempt: int = 1

    @property
    def project(self) -> str:
        """The project of the script's runs: its own, since others run meanwhile; a second attempt has another."""
        attempt = "" if self.attempt == 1 else str(self.attempt)
        return "-".join(filter(None, ["sdk", self.version, self.job, attempt]))

    def run(self, uid: str) -> Run:
        """Name a run."""
        return Run(self.ada.name, self.project, uid)

    def found(self, uid: str) -> dict[str, Any]:
        """Return a run as the server has it."""
        return self.ada.wire.run(self.run(uid))

    def rows(self, uid: str) -> list[dict[str, Any]]:
        """Return its history."""
        return self.ada.wire.rows(self.run(uid))

    def steps(self, uid: str) -> list[int]:
        """Return its history's steps."""
        return [row["_step"] for row in self.rows(uid)]

    def log(self, uid: str) -> list[str]:
        """Return its console lines."""
        return self.ada.wire.log(self.run(uid))

    def file(self, uid: str, name: str) -> str | None:
        """Return a file's content, None when the server has none of this name."""
        reply = self.ada.wire.data(FILE, project=self.project, entity=self.ada.name, name=uid, file=name)
        for edge in reply["project"]["run"]["files"]["edges"]:
            content = self.ada.wire.http.get(edge["node"]["directUrl"])
            return content.text if content.status_code == 200 else None
        return None

    def env(self, **variables: str) -> dict[str, str]:
        """Return what the SDK reads; an empty one's not set."""
        env = {**SETTINGS, **NO_STATS, **self.ada.env, "WANDB_PROJECT": self.project, **variables}
        return {name: value for name, value in env.items() if value}

    def start(self, script: str, **variables: str) -> "subprocess.Popen[str]":
        """Start a script."""
        code = (SCRIPTS / f"{script}.py").read_text()
        return sdks.start_script(self.python, code, env=self.env(**variables), cwd=self.folder)

    def end(self, process: "subprocess.Popen[str]", within_s: float = PATIENCE_S) -> tuple[int, str]:
        """Wait for a script; return its status and what it printed. It leaves no process behind."""
        try:
            out, _ = process.communicate(timeout=within_s)
        except subprocess.TimeoutExpired as late:
            status = process.poll()  # not None where something that it has started holds the output
            sdks.kill_script(process)
            told = f"not over within {within_s} s (status {status}); it printed {late.output!r}"
            raise AssertionError(f"{told}; the SDK's logs end so:\n{self._said()}") from None
        return process.returncode, out

    def _said(self) -> str:
        """Return the ends of what the SDK has written of itself."""
        logs = sorted(self.folder.glob("wandb/**/debug*.log"))
        return "\n".join(f"--- {log}\n{log.read_text(errors='replace')[-3000:]}" for log in logs)

    def script(self, script: str, **variables: str) -> str:
        """Run a script that ends well; return what it printed."""
        status, out = self.end(self.start(script, **variables))
        assert status == 0, out
        return out

    def cli(self, *arguments: str, **variables: str) -> tuple[int, str]:
        """Run the SDK's command line; return its status and what it printed."""
        command = [str(self.python.with_name("wandb")), *arguments]
        env = sdks.script_env(self.env(**variables), self.folder)
        process = subprocess.Popen(
            command, env=env, cwd=self.folder, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        return self.end(process)

    def sync(self, *options: str) -> None:
        """Run `wandb sync` on the one run in the folder."""
        found = sorted((self.folder / "wandb").glob("*run-*"))
        assert len(found) == 1, found
        status, out = self.cli("sync", *options, str(found[0]))
        assert status == 0, out


FILE = """
query F($project: String!, $entity: String!, $name: String!, $file: String!) {
  project(name: $project, entityName: $entity) {
    run(name: $name) { files(names: [$file]) { edges { node { name directUrl } } } }
  }
}"""
