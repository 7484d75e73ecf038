"""What posts bring, brought into the form that is stored."""

from typing import Any

from common.formats.lenient_json import check_nesting, has_only_numbers

_STEPS_END = 2**63


def rejection_reason(row: dict[str, Any]) -> str:
    """Say what is wrong with a row: nested too deeply, or with a step beyond counting; nothing for most."""
    step = row.get("_step")
    if isinstance(step, int | float) and abs(step) >= _STEPS_END:
        return "its _step is beyond 64 bits"
    if not has_only_numbers(row):
        try:
            check_nesting(row)
        except ValueError as error:
            return str(error)
    return ""


def exit_code_of(given: Any) -> int:
    """Return an exit code that every column and GraphQL's Int hold; one beyond (Windows has such) is a failure."""
    if not isinstance(given, int) or isinstance(given, bool):
        return 0
    return given if -(2**31) <= given < 2**31 else 1
