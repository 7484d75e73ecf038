"""Times in tables have the digits that are known."""

import pytest

from artifacts.previews.tables.digits import known_digits

SHOWN = {
    "2026-01-01T00:00:00+00:00": "2026-01-01",
    "2026-01-01T00:00:00.000000000": "2026-01-01",
    "2026-01-01T10:00:00+00:00": "2026-01-01T10:00:00+00:00",
    "2026-01-01T00:00:00.000001": "2026-01-01T00:00:00.000001",
    "2026-01-01T12:05:56.160000+00:00": "2026-01-01T12:05:56.160+00:00",
    "2026-01-01T12:05:56.160412+00:00": "2026-01-01T12:05:56.160412+00:00",
    "2026-01-01T12:05:56.100000000": "2026-01-01T12:05:56.100",
    "2026-01-01T12:05:56.000": "2026-01-01T12:05:56",
}


@pytest.mark.parametrize(("time", "shown"), SHOWN.items())
def test_zeros_that_say_nothing_are_left_out(time: str, shown: str) -> None:
    assert known_digits(time) == shown


@pytest.mark.parametrize("zone", ["", "+00:00"])
def test_texts_are_in_the_order_of_their_times(zone: str) -> None:
    """Tables are sorted by them."""
    times = [
        f"2026-01-{day}T{clock}{zone}"
        for day in ("01", "02")
        for clock in (
            "00:00:00.000000",
            "00:00:00.001000",
            "10:00:00.000000",
            "10:00:00.010000",
            "10:00:00.010500",
        )
    ]
    shown = [known_digits(time) for time in times]
    assert shown == sorted(shown)
