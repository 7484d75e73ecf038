"""Numbers as people read them."""

from __future__ import annotations

_STEPS = ("", "Ki", "Mi", "Gi", "Ti", "Pi")
_SIZES = {"bytes": 0, "MiB": 2, "GiB": 3}


def with_unit(value: float, unit: str) -> str:
    """Return a value with its unit, sizes in the step that keeps them short: ``117.2 GiB``."""
    base, slash, per = unit.partition("/")
    if base in _SIZES:
        step = _SIZES[base]
        while abs(value) >= 1024 and step < len(_STEPS) - 1:
            value, step = value / 1024, step + 1
        while 0 < abs(value) < 1 and step > 0:
            value, step = value * 1024, step - 1
        return f"{_short(value)} {_STEPS[step]}B{slash}{per}"
    if unit == "%":
        return f"{value:.1f} %"
    return f"{_short(value)} {'' if unit == 'count' else unit}".rstrip()


def _short(value: float) -> str:
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.1f}"


def duration(seconds: float) -> str:
    """Return a time as its largest unit: ``12 s``, ``3 min``, ``2 h``, ``5 d``."""
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
