import { type Color, inkOf, LOOKS, palette } from "../charts/palette";
import { formatValue } from "../lib/format";
import { gradient } from "../panels/gradient";
import type { RunTable } from "../panels/run-table";
import { endsOf, scaleOf } from "./column-scale";

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
  const place = names ? undefined : scaleOf(values);
  const colorAt = (value: number): Color => (place ? gradient(place(value)) : value % LOOKS);
  const none = palette().cursor;
  const colors = new Map(
    table.runs.map(({ uid }, at) => {
      const value = values[at] ?? Number.NaN;
      return [uid, Number.isFinite(value) ? colorAt(value) : none];
    }),
  );
  return { colors, key: keyOf(names, values) };
}

/** What the colors of names, or of numbers, mean. */
export function keyOf(names: readonly string[] | null, values: Float64Array): ColorKey {
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
