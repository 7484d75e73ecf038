import { type Color, inkOf, LOOKS, palette } from "../charts/palette";
import { formatValue } from "../lib/format";
import { gradient } from "../panels/gradient";
import type { RunTable } from "../panels/run-table";

/** From so many times the smallest value on, places are taken by powers of ten. */
const WIDE = 100;

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

function endsOf(values: Float64Array): { low: number; high: number } {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return { low, high };
}

function keyOf(names: readonly string[] | null, values: Float64Array): ColorKey {
  if (names) return { names: names.map((text, at) => ({ text, color: at % LOOKS })), range: null };
  const { low, high } = endsOf(values);
  if (low > high) return { names: [], range: null };
  return { names: [], range: { low: formatValue(low), high: formatValue(high) } };
}

/** The colors of the scale from low to high, for a strip beside its ends. */
export function scaleColors(steps: number): string[] {
  return Array.from({ length: steps }, (_, at) => inkOf(gradient(at / (steps - 1))));
}
