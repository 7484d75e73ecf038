import type { Source } from "../charts/feed";
import { pairOf } from "../charts/feed";
import type { Line } from "../charts/line";
import { LineChart } from "../charts/line-chart";
import type { Picture } from "../charts/picture";
import type { DrawnLine, Look } from "../charts/plot";
import type { Axis } from "../charts/scale";
import { smoothed } from "../charts/smooth";
import { formatValue } from "../lib/format";
import { word } from "../lib/words";
import { csvOf } from "./csv";
import { grouped, type Member } from "./groups";
import { failure, note, skeleton } from "./notes";
import type { Head, Panel, Stage } from "./panel";
import type { PanelSpec, View } from "./spec";

/** Pixels are changed at most this often while points come in, milliseconds. */
const ZOOM_PAUSE_MS = 60;

/** Lines of some keys of all runs drawn, over a choice of x (RUN-26, RUN-27). */
export class LinePanel implements Panel {
  private chart: LineChart | undefined;
  private range: [number, number] | null = null;
  private finer: Map<string, Line> | null = null;
  private reading: AbortController | undefined;
  private groupOf: Map<string, string> | null = null;
  private hasFailed = false;

  constructor(
    private readonly body: HTMLElement,
    private readonly spec: PanelSpec,
    private readonly stage: Stage,
    private readonly head: Head,
  ) {
    skeleton(body);
  }

  refresh(): void {
    if (this.view.groupBy) void this.readGroups();
    if (this.range) this.readRange();
    this.ask();
    this.draw();
  }

  grew(): void {
    this.ask(); // a part of x that is on show finer stays as it is
  }

  took(source: Source, keys: Set<string>): void {
    if (!this.concerns(source, keys)) return;
    this.hasFailed = false;
    this.ask();
    this.draw();
  }

  failed(source: Source, keys: Set<string>): void {
    if (!this.concerns(source, keys) || this.chart) return;
    this.hasFailed = true;
    failure(this.body, () => {
      this.hasFailed = false;
      skeleton(this.body);
      this.ask();
    });
  }

  pointed(axis: string, x: number | null): void {
    if (axis === this.source.x || x === null) this.chart?.point(x);
  }

  destroy(): void {
    this.reading?.abort();
    this.chart?.destroy();
    this.chart = undefined;
  }

  picture(): Picture | null {
    return this.chart?.picture() ?? null;
  }

  async csv(): Promise<string> {
    const runs = this.stage.runs.drawn();
    const uids = runs.map(({ uid }) => uid);
    const reply = await this.stage.feed.precise(this.source, this.spec.keys, uids, this.range);
    return csvOf(this.source.x, reply, runs, this.spec.keys);
  }

  private get view(): View {
    return this.stage.layout.viewOf(this.spec);
  }

  private get source(): Source {
    const { x } = this.view;
    return {
      kind: this.spec.source,
      x: this.spec.source === "system" && x[0] !== "_" ? "_runtime" : this.timeOf(x),
    };
  }

  private timeOf(x: string): string {
    return this.spec.source === "system" && x === "_step" ? "_runtime" : x;
  }

  private concerns(source: Source, keys: Set<string>): boolean {
    const own = this.source;
    return source.kind === own.kind && source.x === own.x && this.spec.keys.some((key) => keys.has(key));
  }

  private ask(): void {
    const uids = this.stage.runs.drawn().map(({ uid }) => uid);
    this.stage.feed.want(this.source, this.spec.keys, uids);
  }

  private draw(): void {
    const members = this.members();
    if (!members) {
      if (!this.chart && !this.hasFailed && !this.body.firstElementChild) skeleton(this.body);
      return; // nothing has come yet
    }
    if (!members.length) {
      this.destroy();
      this.head.say("");
      note(this.body, word(this.stage.runs.drawn().length ? "noPoints" : "noRunsDrawn"));
      return;
    }
    const lines = this.drawnOf(members);
    if (!this.chart) {
      this.body.replaceChildren();
      this.chart = new LineChart(this.body, this.look, {
        zoom: (range) => this.zoom(range),
        pointed: (x) => this.stage.point(this, this.source.x, x),
        axisName: () => axisName(this.source.x),
      });
    }
    this.chart.show(lines, this.look);
    const [only] = members;
    const last = members.length === 1 && only ? only.y[only.y.length - 1] : undefined;
    this.head.say(last === undefined ? "" : formatValue(last));
    const about = last === undefined ? word("linesShown", { n: lines.length }) : formatValue(last);
    this.chart.describe(`${this.spec.title}: ${about}. ${word("chartKeys")}`);
  }

  /** The lines that have come, before smoothing; null while none has. */
  private members(): Member[] | null {
    const { keys } = this.spec;
    const found: Member[] = [];
    let came = this.stage.runs.drawn().length === 0;
    for (const run of this.stage.runs.drawn()) {
      for (const [place, key] of keys.entries()) {
        const line = this.finer?.get(pairOf(key, run.uid)) ?? this.stage.feed.get(this.source, key, run.uid);
        if (!line) continue;
        came = true;
        if (!line.length) continue;
        const { x, last, low, high } = line.columns();
        const byKey = this.stage.isRunPage && keys.length > 1;
        const label = byKey
          ? shortened(key, keys)
          : keys.length > 1
            ? `${run.name} · ${shortened(key, keys)}`
            : run.name;
        const [color, dash] = byKey ? [(run.color + place) % 8, 0] : [run.color, place];
        found.push({
          id: pairOf(key, run.uid),
          uid: run.uid,
          key,
          label,
          color,
          dash,
          x,
          y: last,
          low,
          high,
        });
      }
    }
    return came ? found : null;
  }

  private drawnOf(members: Member[]): DrawnLine[] {
    const view = this.view;
    const shown = view.groupBy && this.groupOf ? grouped(members, this.groupOf, view.spread) : members;
    const isSmooth = view.smoothing.kind !== "none" && view.smoothing.amount > 0;
    return shown.map(({ id, label, color, dash, x, y, low, high }) => ({
      ...{ id, label, color, dash, x },
      y: isSmooth ? smoothed(x, y, view.smoothing) : y,
      raw: isSmooth && view.original ? y : null,
      low: view.band ? low : null,
      high: view.band ? high : null,
    }));
  }

  private get look(): Look {
    const view = this.view;
    return {
      axis: axisOf(this.source.x),
      logX: view.logX,
      logY: view.logY,
      xMin: this.range?.[0] ?? null,
      xMax: this.range?.[1] ?? null,
      yMin: this.spec.yMin ?? null,
      yMax: this.spec.yMax ?? null,
      withoutOutliers: view.withoutOutliers,
    };
  }

  /** Show a part of x: what is here at once, then read finer. */
  private zoom(range: [number, number] | null): void {
    this.range = range;
    this.finer = null;
    this.reading?.abort();
    this.head.zoomed(range ? () => this.zoom(null) : null);
    this.draw();
    if (range) this.readRange();
  }

  private readRange(): void {
    const range = this.range;
    if (!range) return;
    this.reading?.abort();
    const reading = new AbortController();
    this.reading = reading;
    const uids = this.stage.runs.drawn().map(({ uid }) => uid);
    setTimeout(() => {
      if (reading.signal.aborted || !uids.length) return;
      const { keys } = this.spec;
      this.stage.feed.range(this.source, keys, uids, range[0], range[1], reading.signal).then(
        (lines) => {
          this.finer = lines;
          this.body.dataset.zoomed = "";
          this.draw();
        },
        () => undefined, // what was there stays on show
      );
    }, ZOOM_PAUSE_MS);
  }

  private async readGroups(): Promise<void> {
    const column = this.view.groupBy;
    const values = await this.stage.values([column]).catch(() => null);
    if (!values || column !== this.view.groupBy) return;
    const dot = column.indexOf(".");
    const [part, name] = [column.slice(0, dot) as "config" | "summary", column.slice(dot + 1)];
    this.groupOf = new Map(
      Object.entries(values).map(([uid, run]) => [uid, `${name}: ${textOf(run[part]?.[name])}`]),
    );
    this.draw();
  }
}

function textOf(value: unknown): string {
  if (value === undefined) return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function axisOf(x: string): Axis {
  const known: Record<string, Axis> = { _step: "step", _runtime: "runtime", _timestamp: "timestamp" };
  return known[x] ?? "number";
}

function axisName(x: string): string {
  return { _step: word("step"), _runtime: "", _timestamp: "" }[x] ?? x;
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
