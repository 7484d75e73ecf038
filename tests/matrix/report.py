"""Says at the end of a test run how many cells of the access matrix it checked."""

from collections.abc import Callable

import pytest

_PROPERTY = "access matrix cells"


@pytest.fixture
def checked(record_property: Callable[[str, object], None]) -> Callable[[int], None]:
    """Give the function that counts cells; the count travels with the test's report, so also under xdist."""
    return lambda cells: record_property(_PROPERTY, cells)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the sum."""
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.getreports(kind)]
    counted = [
        int(str(value)) for report in reports for name, value in report.user_properties if name == _PROPERTY
    ]
    if counted:
        terminalreporter.write_line(f"access matrix: {sum(counted)} cells of {len(counted)} routes checked")
