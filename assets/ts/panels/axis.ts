import type { Source } from "../charts/feed";
import type { Line } from "../charts/line";
import type { Axis } from "../charts/scale";
import { entryOf } from "../lib/record";
import { word } from "../lib/words";
import type { Stage } from "./panel";
import { OWN_AXIS, type PanelSpec } from "./spec";

const STEP = "_step";
const KNOWN: Record<string, Axis> = { [STEP]: "step", _runtime: "runtime", _timestamp: "timestamp" };

/** Along what the lines of a panel are drawn. */
export class PanelAxis {
  private chosen: Source = { kind: "history", x: STEP };
  private drawn = this.chosen;
  /** What x is computed by instead. */
  private expression = "";
  /** Whether no line of the chosen axis had points yet, and some have not come. */
  isOpen = false;

  constructor(private readonly stage: Stage) {}

  get source(): Source {
    return this.drawn;
  }

  /** Look what is chosen, and whether lines lie along it. Returns whether x is another one than before. */
  find(spec: PanelSpec): boolean {
    const before = this.id;
    this.isOpen = false;
    this.expression = spec.xExpression ?? "";
    const { x } = this.stage.layout.viewOf(spec);
    const isOwn = x === OWN_AXIS && spec.source === "history";
    const chosen = spec.source === "system" ? timeOf(x) : x || this.ownOf(spec.keys);
    const wentByStep = chosen === this.chosen.x && this.drawn !== this.chosen;
    this.chosen = { kind: spec.source, x: chosen };
    const goesByStep = isOwn && chosen !== STEP && this.isPointless(spec.keys, wentByStep);
    this.drawn = goesByStep ? { ...this.chosen, x: STEP } : this.chosen;
    return this.id !== before;
  }

  /** Ask for the lines as they are drawn, and along their own axis to see when it has places for them. */
  ask(keys: readonly string[]): void {
    const uids = this.stage.runs.drawn().map(({ uid }) => uid);
    this.stage.feed.want(this.drawn, keys, uids);
    if (this.drawn !== this.chosen) this.stage.feed.want(this.chosen, keys, uids);
  }

  /** Whether lines of this source are drawn, or would be if they had points. */
  concerns(source: Source): boolean {
    return [this.drawn, this.chosen].some(({ kind, x }) => source.kind === kind && source.x === x);
  }

  /** Tells axes apart on which a cursor has different places. */
  get id(): string {
    return this.expression || this.drawn.x;
  }

  /** The name to write beside places; "" where these tell by themselves what they are. */
  get name(): string {
    return this.expression || nameOf(this.drawn.x);
  }

  /** The name in a sentence. */
  get title(): string {
    const times: Record<string, string> = { _runtime: word("relativeTime"), _timestamp: word("wallTime") };
    return this.expression || (entryOf(times, this.drawn.x) ?? this.name);
  }

  get scale(): Axis {
    return this.expression ? "number" : (entryOf(KNOWN, this.drawn.x) ?? "number");
  }

  private ownOf(keys: readonly string[]): string {
    for (const key of keys) {
      const own = this.stage.metric(key)?.x;
      if (own) return own;
    }
    return STEP;
  }

  /**
   * Whether no line would be seen along the chosen axis: it was never logged with them, or stands still.
   * SDKs fill in 0 for a step metric that a script defines but never logs.
   * @param before - What holds while some lines are still to come, and the others do not tell.
   */
  private isPointless(keys: readonly string[], before: boolean): boolean {
    const { feed, runs } = this.stage;
    const pairs = runs.drawn().flatMap(({ uid }) => keys.map((key) => [key, uid] as const));
    const lines = pairs.map(([key, uid]) => feed.get(this.chosen, key, uid));
    const filled = lines.filter((line): line is Line => line !== undefined && line.length > 0);
    this.isOpen = !filled.length && lines.includes(undefined);
    if (filled.some(({ x, length }) => x[0] !== x[length - 1])) return false;
    if (!lines.length || lines.includes(undefined)) return before;
    return !filled.length || filled.some(({ length, low }) => length > 1 || low !== null);
  }
}

/** System metrics have no steps. */
function timeOf(x: string): string {
  return x === "_timestamp" ? x : "_runtime";
}

function nameOf(x: string): string {
  return entryOf<string>({ [STEP]: word("step"), _runtime: "", _timestamp: "" }, x) ?? x;
}
