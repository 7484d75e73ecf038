"""The unit tests of the front end (`npm test`), run with those of pytest, whose closing line counts both.

They run in a process of their own while pytest runs its tests, wherever a pass begins that runs all of them.
"""

import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.suite.checkout import ROOT
from tests.suite.passes import CURRENT, Pass, is_whole

SKIPPED = "Left out by `skip`, `todo` or another's `only`: a test of TypeScript runs, or is removed."
COMMAND = [str(Path(sys.executable).parent / "node"), "assets/test.mjs"]


class TypeScriptTests:
    """Starts them, and reports each to pytest."""

    def __init__(self, folder: Path) -> None:
        self._results = folder / "typescript.xml"
        self._output = folder / "typescript.txt"
        self._process: subprocess.Popen[bytes] | None = None

    def pytest_sessionstart(self) -> None:
        env = os.environ | {"RUNYARD_TEST_JUNIT": str(self._results)}
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(
                COMMAND, cwd=ROOT, env=env, stdout=output, stderr=subprocess.STDOUT
            )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        assert self._process is not None
        try:
            result = yield
            for report in self._reports(self._process.wait()):
                session.config.hook.pytest_runtest_logreport(report=report)
        finally:
            self._process.kill()
            self._process.wait()
        return result

    def _reports(self, status: int) -> list[pytest.TestReport]:
        """Return a report for each test; one failure with all that was printed, where they did not get so far."""
        try:
            reports = list(map(_report_of, ET.parse(self._results).iter("testcase")))  # noqa: S314 - Node wrote it
        except (OSError, ET.ParseError):
            reports = []
        if not reports or (status and not any(report.failed for report in reports)):
            reports.append(
                _report("assets/test.mjs", "run", 0.0, self._output.read_text() or f"status {status}")
            )
        return reports


def _report_of(case: ET.Element) -> pytest.TestReport:
    failure, is_skipped = case.find("failure"), case.find("skipped") is not None
    said = (failure.text or str(failure.get("message"))) if failure is not None else ""
    file = Path(str(case.get("file"))).relative_to(ROOT).as_posix()
    if is_skipped:
        said = SKIPPED
    return _report(file, str(case.get("name")), float(str(case.get("time"))), said)


def _report(file: str, name: str, duration_s: float, failure: str) -> pytest.TestReport:
    return pytest.TestReport(
        nodeid=f"{file}::{name}", location=(file, None, name), keywords={}, when="call",
        outcome="failed" if failure else "passed", longrepr=failure or None, duration=duration_s,
    )  # fmt: skip


def register(config: pytest.Config, folder: Path) -> None:
    """Run them along with a pass that runs all tests of a checkout, but not again for a second database."""
    is_first = not os.environ.get("RUNYARD_DATABASE_URL", "").startswith("postgres")
    if is_first and CURRENT in {Pass.GATE, Pass.ALL} and is_whole(config):
        config.pluginmanager.register(TypeScriptTests(folder), "runyard-typescript")
