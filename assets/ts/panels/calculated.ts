import { type Expression, readExpression } from "./expression";
import type { Member } from "./groups";
import type { PanelSpec } from "./spec";

/** Names in an expression that stand for the place along the chosen axis. */
export const AXES = ["_step", "_runtime", "_timestamp"];

/** The keys that a panel's lines are read of: those drawn, and those that only x is computed from. */
export function keysRead({ keys, yExpression, xExpression }: PanelSpec): string[] {
  const y = readExpression(yExpression);
  const x = readExpression(xExpression);
  const all = [...(y ? y.keys : keys), ...(x?.keys ?? [])];
  return [...new Set(all)].filter((key) => !AXES.includes(key));
}

/** Compute what a panel's expressions say of the lines of each run: points of different keys are joined by x. */
export function calculated(members: readonly Member[], spec: PanelSpec): Member[] {
  const y = readExpression(spec.yExpression);
  const x = readExpression(spec.xExpression);
  if (!y && !x) return [...members];
  const runs = new Map<string, Member[]>();
  for (const member of members) runs.set(member.uid, [...(runs.get(member.uid) ?? []), member]);
  return [...runs.values()].flatMap((lines) => {
    if (y) return computed(lines, lines, y, x, spec.yExpression ?? "");
    const drawn = lines.filter(({ key }) => !x?.keys.includes(key));
    const [only, ...others] = drawn.length ? drawn : lines;
    if (only && !others.length)
      return computed([{ ...only, label: only.run, dash: 0 }], lines, undefined, x, only.key);
    return drawn.flatMap((line) => computed([line], lines, undefined, x, line.key));
  });
}

/** One line of a run, at the places of the first of `base`; none where no place has a value. */
function computed(
  base: readonly Member[],
  lines: readonly Member[],
  y: Expression | undefined,
  x: Expression | undefined,
  name: string,
): Member[] {
  const first = base.find(({ key }) => !y || y.keys.includes(key));
  if (!first) return [];
  const cursors = new Map(lines.map((line) => [line.key, new Cursor(line)]));
  const points: [x: number, y: number][] = [];
  for (const [at, place] of first.x.entries()) {
    const read = (key: string) =>
      AXES.includes(key) ? place : (cursors.get(key)?.valueAt(place) ?? Number.NaN);
    const point: [number, number] = [x ? x.at(read) : place, y ? y.at(read) : (first.y[at] as number)];
    if (Number.isFinite(point[0]) && !Number.isNaN(point[1])) points.push(point);
  }
  if (!points.length) return [];
  if (x) points.sort((a, b) => a[0] - b[0]);
  const isWhole = !x && !y;
  return [
    {
      ...first,
      id: y ? `${first.uid}/${name}` : first.id,
      key: name,
      label: y ? first.run : first.label,
      dash: y ? 0 : first.dash,
      x: Float64Array.from(points, ([at]) => at),
      y: Float64Array.from(points, ([, value]) => value),
      low: isWhole ? first.low : null,
      high: isWhole ? first.high : null,
      smooth: null,
    },
  ];
}

/** Goes along a line together with another one; places must not fall. */
class Cursor {
  private at = 0;

  constructor(private readonly line: Member) {}

  /** The value logged at a place; of lines in buckets, the newest up to there. */
  valueAt(place: number): number | undefined {
    const { x, y, low } = this.line;
    while (this.at + 1 < x.length && (x[this.at + 1] as number) <= place) this.at += 1;
    const found = x[this.at] as number;
    return found === place || (low && found <= place) ? y[this.at] : undefined;
  }
}
