import { formatShort } from "../lib/format";
import { formatUnit } from "../lib/units";
import { word } from "../lib/words";
import { bandText, countText } from "./band";
import type { DrawnLine } from "./frame";
import type { TipRow } from "./tip";

/** A point of a line under the cursor. */
export interface Hit {
  line: DrawnLine;
  at: number;
  value: number;
}

/** What the columns of a tip are: only those that some line has. */
export function columnsOf(lines: readonly DrawnLine[]): string[] {
  const isSmooth = lines.some(({ raw }) => raw);
  const isBanded = lines.some(({ low }) => low);
  if (!isSmooth && !isBanded) return [];
  return [
    word(isSmooth ? "tipSmoothed" : "legendValue"),
    ...(isSmooth ? [word("tipRaw")] : []),
    ...(isBanded ? [word(lines.some(({ group }) => group) ? "tipSpread" : "tipRange")] : []),
  ];
}

/** The rows of a tip, the largest value first. */
export function rowsOf(hits: Hit[], strong: string, unit: string): TipRow[] {
  const isSmooth = hits.some(({ line }) => line.raw);
  const isBanded = hits.some(({ line }) => line.low);
  const sorted = hits.sort(({ value: a }, { value: b }) =>
    Number.isNaN(b) ? -1 : Number.isNaN(a) ? 1 : b - a,
  );
  return sorted.map(({ line, at, value }) => ({
    color: line.color,
    dash: line.dash,
    label: line.label,
    value: textOf(value, unit),
    more: [
      ...(isSmooth ? [line.raw ? textOf(line.raw[at] as number, unit) : ""] : []),
      ...(isBanded ? [bandText(line, at, unit)] : []),
    ],
    detail: countText(line, at),
    strong: line.id === strong,
  }));
}

/** `Mean 87.2% · 12%–98%` of what is known at one place. */
export function statistics(hits: readonly Hit[], unit: string): string {
  const values = hits.map(({ value }) => value).filter(Number.isFinite);
  if (values.length < 2) return "";
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return `${word("tipMean")} ${textOf(mean, unit)} · ${textOf(low, unit)} – ${textOf(high, unit)}`;
}

/** Four significant figures, with the unit. */
export function textOf(value: number, unit: string): string {
  return unit ? formatUnit(value, unit) : formatShort(value);
}
