"""A chart of stacked columns, drawn by the server as SVG: columns and what lies in them, in percent and pixels.

Widths are percent, so that the chart fits any screen and its texts keep their size; heights are pixels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

HEIGHT = 208
"""Pixels from the axis to the highest line."""
_LINES = 4
_GAP = 0.18
"""Of a column's place, on both sides together."""


@dataclass(frozen=True, slots=True)
class ChartSeries:
    """What one colour stands for, a value for each column."""

    name: str
    color: int
    """Of the run colours; 7 is the grey of all others."""
    values: list[Decimal]
    is_given: bool = True
    """Whether people gave the name."""

    @property
    def total(self) -> Decimal:
        """All columns together."""
        return sum(self.values, Decimal(0))


@dataclass(frozen=True, slots=True)
class ColumnPart:
    """A part of a column."""

    color: int
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class ChartColumn:
    """A day or a month."""

    x: float
    width: float
    hit_x: float
    hit_width: float
    middle: float
    label: str
    """Below the axis; "" where there is no room."""
    title: str
    """What is read on hover: a line for each part."""
    total: str
    """What stands over the column on hover."""
    top: float
    """Where the column ends above."""
    pieces: list[ColumnPart]


@dataclass(frozen=True, slots=True)
class GridLine:
    """A line of the grid and its value."""

    y: float
    value: Decimal


@dataclass(frozen=True, slots=True)
class Chart:
    """All that the template draws."""

    columns: list[ChartColumn]
    lines: list[GridLine]
    series: list[ChartSeries]
    height: int = HEIGHT

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not any(column.pieces for column in self.columns)


def draw(series: Sequence[ChartSeries], labels: Sequence[tuple[str, str]], unit: str) -> Chart:
    """Lay columns out.

    Args:
        series: From the axis upwards.
        labels: Of each column: what stands below it, and what it is called in full.
        unit: Of the values, said on hover.
    """
    sums = [sum((one.values[at] for one in series), Decimal(0)) for at in range(len(labels))]
    step, top = _scale(max(sums, default=Decimal(0)))
    lines = [
        GridLine(HEIGHT - float(step * at / top) * HEIGHT, step * at) for at in range(int(top / step) + 1)
    ]
    columns = [_column(at, series, labels, whole=sums[at], top=top, unit=unit) for at in range(len(labels))]
    return Chart(columns, lines, list(series))


def _column(
    at: int,
    series: Sequence[ChartSeries],
    labels: Sequence[tuple[str, str]],
    *,
    whole: Decimal,
    top: Decimal,
    unit: str,
) -> ChartColumn:
    place = 100 / len(labels)
    pieces, base = [], Decimal(0)
    parts = []
    for one in series:
        value = one.values[at]
        if value <= 0:
            continue
        height = float(value / top) * HEIGHT
        pieces.append(
            ColumnPart(one.color, round(HEIGHT - float(base / top) * HEIGHT - height, 2), round(height, 2))
        )
        parts.append(f"{one.name}: {_value_text(value)} {unit}")
        base += value
    label, full = labels[at]
    words = [f"{full}: {_value_text(whole)} {unit}", *(reversed(parts) if len(series) > 1 else ())]
    return ChartColumn(
        x=round((at + _GAP / 2) * place, 3), width=round((1 - _GAP) * place, 3),
        hit_x=round(at * place, 3), hit_width=round(place, 3), middle=round((at + 0.5) * place, 3),
        label=label, title="\n".join(words), total=_value_text(whole), top=pieces[-1].y if pieces else HEIGHT,
        pieces=pieces,
    )  # fmt: skip


def _value_text(value: Decimal) -> str:
    places = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:,.{places}f}"


def _scale(largest: Decimal) -> tuple[Decimal, Decimal]:
    """Return the distance of grid lines, 1, 2, 2.5 or 5 times a power of ten, and the value of the highest."""
    if largest <= 0:
        return Decimal(1), Decimal(_LINES)
    power = Decimal(10) ** (largest / _LINES).adjusted()
    fits = (Decimal(factor) * power for factor in ("1", "2", "2.5", "5", "10"))
    step = next(step for step in fits if step * _LINES >= largest)
    return step, step * (largest / step).to_integral_value(ROUND_CEILING)
