import { pairOf, type Source } from "../charts/feed";
import { COLORS } from "../charts/palette";
import type { Range } from "../charts/zoom";
import { calculated } from "./calculated";
import { Hardware, lineOf, rated } from "./devices";
import type { FinerLines } from "./finer";
import type { Member } from "./groups";
import type { Stage } from "./panel";
import type { RunInfo } from "./runs";
import type { PanelSpec, View } from "./spec";

/** What is needed to know the lines of a panel. */
export interface LinesWanted {
  spec: PanelSpec;
  view: View;
  source: Source;
  hardware: Hardware | null;
  finer: FinerLines;
}

/** The lines of a panel that have come, before smoothing; null while none has. */
export function membersOf(
  stage: Stage,
  { spec, view, source, hardware, finer }: LinesWanted,
): Member[] | null {
  const { keys } = spec;
  const found: Member[] = [];
  const isRate = (hardware?.isCounter ?? false) && !view.totals;
  let came = stage.runs.drawn().length === 0;
  for (const run of stage.runs.drawn()) {
    const spelt = new Set<string>(); // other spellings of a tag are one line
    for (const [place, key] of keys.entries()) {
      const held = stage.feed.get(source, key, run.uid);
      const read = finer.get(key, run.uid);
      const line = read ?? held;
      if (!line) continue;
      came = true;
      if (!line.length) continue;
      const metric = hardware?.about(key);
      if (metric && spelt.has(lineOf(metric))) continue;
      if (metric) spelt.add(lineOf(metric));
      const isOld = read && held && held.nextRow > read.nextRow;
      const { x, last, low, high, smooth } = isOld ? read.continuedBy(held, view.smoothing) : line.columns();
      const drawn = isRate ? { ...rated(x, last), low: null, high: null } : { x, y: last, low, high };
      const style = styleOf(stage, spec, hardware, { key, place, run });
      const id = pairOf(key, run.uid);
      if (drawn.x.length) found.push({ id, uid: run.uid, run: run.name, key, ...style, ...drawn, smooth });
    }
  }
  return came ? calculated(found, spec) : null;
}

/** How a key's line is named and drawn. */
function styleOf(
  { isRunPage }: Stage,
  { keys }: PanelSpec,
  hardware: Hardware | null,
  { key, place, run }: { key: string; place: number; run: RunInfo },
): Pick<Member, "label" | "color" | "dash"> {
  const byKey = isRunPage && keys.length > 1;
  const name = hardware?.label(key) ?? shortened(key, keys);
  const label = byKey ? name : keys.length > 1 ? `${run.name} · ${name}` : run.name;
  if (!byKey) return { label, color: run.color, dash: place };
  const { color, dash } = hardware?.style(key) ?? { color: place, dash: 0 };
  return { label, color: typeof run.color === "number" ? (run.color + color) % COLORS : color, dash };
}

/** What the keys of a panel are, when all of them are system metrics. */
export function hardwareOf(stage: Stage, { source, keys }: PanelSpec): Hardware | null {
  if (source !== "system") return null;
  const abouts = keys.map((key) => [key, stage.about(key)] as const);
  const known = abouts.filter(
    (pair): pair is [string, NonNullable<(typeof pair)[1]>] => pair[1] !== undefined,
  );
  return known.length ? new Hardware(new Map(known)) : null;
}

/** From the first to the last place on x of the lines that are here; null while none is. */
export function extentOf(stage: Stage, source: Source, keys: readonly string[]): Range | null {
  let [from, to] = [Infinity, -Infinity];
  for (const { uid } of stage.runs.drawn()) {
    for (const key of keys) {
      const line = stage.feed.get(source, key, uid);
      if (!line?.length) continue;
      from = Math.min(from, line.x[0] as number);
      to = Math.max(to, line.x[line.length - 1] as number);
    }
  }
  return from <= to ? [from, to] : null;
}

/** The same of lines whose x is computed. */
export function extentOfLines(lines: readonly Pick<Member, "x">[]): Range | null {
  const ends = lines
    .filter(({ x }) => x.length)
    .flatMap(({ x }) => [x[0] as number, x[x.length - 1] as number]);
  return ends.length ? [Math.min(...ends), Math.max(...ends)] : null;
}

/** What tells a key apart from the others of its panel. */
function shortened(key: string, keys: readonly string[]): string {
  const label = /\/l:(.+)$/.exec(key)?.[1];
  if (label && keys.every((other) => other.replace(/\/l:.+$/, "") === key.replace(/\/l:.+$/, "")))
    return label;
  const first = keys[0] ?? "";
  let same = 0;
  while (same < first.length && keys.every((other) => other[same] === first[same])) same += 1;
  const slash = first.lastIndexOf("/", same - 1);
  return keys.length > 1 && slash > 0 ? key.slice(slash + 1) : key;
}
