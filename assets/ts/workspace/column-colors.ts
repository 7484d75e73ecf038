import { type Color, inkOf, LOOKS, palette } from "../charts/palette";
import { formatValue } from "../lib/format";
import { gradient } from "../panels/gradient";
import type { RunTable } from "../panels/run-table";

/** From so many times the smallest value on, places are taken by powers of ten. */
const WIDE = 100;
/** From so many values on, this part of them at either end is beyond the scale. */
const MANY = 20;
const OUTERMOST = 0.05;

/** What colors by a column mean: names, or a range of numbers. */
export interface ColorKey {
  names: readonly { text: string; color: Color }[];
  range: { low: string; high: string } | null;
}

/** The color of each run by its value in a column, and what the colors mean; runs without a value are grey. */
export function colorsByColumn(
  table: RunTable,
  column: string,
): { colors: Map<string, Color>; key: ColorKey } {
  const { names, values } = table.measured(column);
  const place = names ? (value: number): Color => value % LOOKS : scaleOf(values);
  const none = palette().cursor;
  const colors = new Map(
    table.runs.map(({ uid }, at) => {
      const value = values[at] ?? Number.NaN;
      return [uid, Number.isFinite(value) ? place(value) : none];
    }),
  );
  return { colors, key: keyOf(names, values) };
}

function scaleOf(values: Float64Array): (value: number) => Color {
  const { low, high } = endsOf(values);
  const along = low > 0 && high / low >= WIDE ? Math.log : (value: number) => value;
  const [from, to] = [along(low), along(high)];
  return (value) => gradient(to > from ? (along(value) - from) / (to - from) : 0.5);
}

/** The ends of the scale: where many runs have values, the few outermost do not stretch it. */
function endsOf(values: Float64Array): { low: number; high: number } {
  const sorted = values.filter(Number.isFinite).sort();
  const outside = sorted.length >= MANY ? Math.floor(sorted.length * OUTERMOST) : 0;
  return { low: sorted[outside] ?? 1, high: sorted[sorted.length - 1 - outside] ?? 0 };
}

function keyOf(names: readonly string[] | null, values: Float64Array): ColorKey {
  if (names) return { names: names.map((text, at) => ({ text, color: at % LOOKS })), range: null };
  const { low, high } = endsOf(values);
  if (low > high) return { names: [], range: null };
  return { names: [], range: { low: rounded(low), high: rounded(high) } };
}

function rounded(value: number): string {
  return formatValue(Number(value.toPrecision(3)));
}

/** The colors of the scale from low to high, for a strip beside its ends. */
export function scaleColors(steps: number): string[] {
  return Array.from({ length: steps }, (_, at) => inkOf(gradient(at / (steps - 1))));
}
