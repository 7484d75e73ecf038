"""Prints at the end of a test run which scenario works with which release of the SDK."""

import pytest

PROPERTY = "sdk scenario"
"""Its value is (number of the line, title of the line, release); it travels with a test's report under xdist too."""
MISSING = "not in this SDK"
_WORDS = {"passed": "ok", "skipped": MISSING, "failed": "FAILED", "error": "FAILED"}
Cell = tuple[int, str, str]


def parts(release: str) -> tuple[int, ...]:
    """Return a release as numbers, to compare it."""
    return tuple(int(part) for part in release.split("."))


def cells(terminalreporter: pytest.TerminalReporter) -> dict[Cell, str]:
    """Return what became of each cell; a failure anywhere wins."""
    found: dict[Cell, str] = {}
    for outcome, word in _WORDS.items():
        for report in terminalreporter.getreports(outcome):
            for name, value in getattr(report, "user_properties", []):
                if name == PROPERTY and isinstance(value, list | tuple):
                    number, title, release = value
                    found[number, title, release] = word
    return found


def print_table(terminalreporter: pytest.TerminalReporter) -> None:
    """Print a line per scenario and a column per release; nothing when no scenario ran."""
    found = cells(terminalreporter)
    if not found:
        return
    lines = sorted({(number, title) for number, title, _ in found})
    releases = sorted({release for _, _, release in found}, key=parts)
    width = max(len(title) for _, title in lines)
    terminalreporter.section("scenario × SDK")
    terminalreporter.write_line(" " * width + "".join(f"  {release:>15}" for release in releases))
    for number, title in lines:
        words = [found.get((number, title, release), "") for release in releases]
        terminalreporter.write_line(title.ljust(width) + "".join(f"  {word:>15}" for word in words))
    ok, missing = (sum(word == wanted for word in found.values()) for wanted in ("ok", MISSING))
    terminalreporter.write_line(f"{ok} ok, {len(found) - ok - missing} failed, {missing} {MISSING}")
