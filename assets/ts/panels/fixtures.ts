import { Line } from "../charts/line";
import type { KeyAbout, KeyInfo } from "../charts/wire";
import type { ColumnAxis } from "./axes";
import type { Member } from "./groups";
import { Layout } from "./layout";
import type { Stage } from "./panel";
import { RunTable } from "./run-table";
import type { RunInfo } from "./runs";
import type { PanelSpec } from "./spec";

/** An expression whose keys are written in braces alone: `{loss} / 2`. */
export function formula(text: string): string {
  return text.replaceAll("{", "$$$&");
}

/** A line before smoothing, of the run `r` unless given: its x are 0, 1, 2 … */
export function makeMember(y: readonly number[], given: Partial<Member> = {}): Member {
  const { uid = "r", key = "loss" } = given;
  return {
    ...{ id: `${uid}/${key}`, uid, key, run: uid, label: uid, color: 0, dash: 0 },
    x: Float64Array.from(y, (_, at) => at),
    y: Float64Array.from(y),
    ...{ low: null, high: null, smooth: null },
    ...given,
  };
}

export function makeSpec(given: Partial<PanelSpec> = {}): PanelSpec {
  return {
    ...{ id: "loss", kind: "line", source: "history", section: "Charts", rank: 0, title: "loss" },
    keys: ["loss"],
    ...given,
  };
}

export function makeRun(uid: string, given: Partial<RunInfo> = {}): RunInfo {
  return { uid, name: uid, state: "finished", color: 0, ...given };
}

export function makeKey(key: string, given: Partial<KeyInfo> = {}): KeyInfo {
  return { key, types: ["number"], runs: 1, numbers: true, ...given };
}

export function makeAbout(given: Partial<KeyAbout> = {}): KeyAbout {
  return {
    ...{ id: "gpu.usage", title: "GPU usage", unit: "%", rate_unit: "", section: "GPU", rank: 2, order: 3 },
    ...{ text: "How busy it is.", line: "gpu.{n}.usage", device: "", node: "" },
    ...given,
  };
}

/** What a panel may use of its page, as far as a test needs it. */
export function makeStage(given: { [K in keyof Stage]?: unknown }): Stage {
  return given as unknown as Stage;
}

/** A table of runs named by their columns: `makeTable({ "config.lr": [0.1, 0.2] })` has the runs r0 and r1. */
export function makeTable(columns: Record<string, unknown[]>): RunTable {
  const count = Math.max(0, ...Object.values(columns).map((cells) => cells.length));
  const uid = Array.from({ length: count }, (_, at) => `r${at}`);
  const state = uid.map(() => "finished");
  return new RunTable({ total: count, uid, name: uid, state, color: uid.map((_, at) => at), columns });
}

/** An upright axis of numbers from 0 to 100, its top at pixel 0 and its bottom at 100. */
export function makeUpright(column: string, values: readonly number[]): ColumnAxis {
  const scale = { min: 0, max: 100, log: false, from: 100, to: 0 };
  const places = Float32Array.from(values, (value) => 100 - value);
  return { column, names: null, scale, values: Float64Array.from(values), places };
}

/** Lines by `x key run`: their points, as [x, y]. */
export type Points = Record<string, readonly (readonly [number, number])[]>;

function lineOf(points: Points[string]): Line {
  const x = points.map(([at]) => at);
  const last = points.map(([, value]) => value);
  return Line.of({ next: { r: 9 }, x: [x], series: { r: { k: { x: 0, last } } } }, "r", "k");
}

/** A page whose lines have come, and whose feed keeps what it is asked for in `asked`. */
export function stageWith(
  points: Points,
  given: { [K in keyof Stage]?: unknown } = {},
  runs = [makeRun("a")],
): Stage {
  const lines = new Map(Object.entries(points).map(([name, found]) => [name, lineOf(found)]));
  const asked: string[] = [];
  const feed = {
    get: ({ x }: { x: string }, key: string, uid: string) => lines.get(`${x} ${key} ${uid}`),
    want: ({ x }: { x: string }, keys: string[]) => asked.push(`${x} ${keys}`),
    asked,
  };
  return makeStage({
    ...{ feed, isRunPage: false, runs: { drawn: () => runs } },
    layout: new Layout({}, () => undefined),
    metric: () => undefined,
    ...given,
  });
}
