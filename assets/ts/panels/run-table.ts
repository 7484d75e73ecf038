import { toNumber } from "../charts/wire";
import { collate } from "../lib/format";
import { getJson } from "../lib/http";
import { entryOf } from "../lib/record";
import { cellText } from "./columns";
import { runCount } from "./run-count";
import type { RunInfo } from "./runs";

/** What the server answers: arrays over the runs, which are the first of `total`. */
export interface ColumnsReply {
  total: number;
  uid: string[];
  name: string[];
  state: string[];
  color: number[];
  columns: Record<string, unknown[]>;
}

/** A column as places on an axis: numbers, or for text and switches the places of their names. */
export interface Measured {
  names: readonly string[] | null;
  /** NaN where a run has none. */
  values: Float64Array;
}

const ACTIVE = new Set(["running", "pending", "preempting"]);
const WORDS_OF_NUMBERS = new Set(["NaN", "Infinity", "-Infinity"]);

/** Some columns of all runs that the page lists, whether or not their lines are drawn. */
export class RunTable {
  readonly runs: readonly RunInfo[];
  private readonly measures = new Map<string, Measured>();

  constructor(private readonly reply: ColumnsReply) {
    const { name, state, color } = reply;
    this.runs = reply.uid.map((uid, at) => ({
      uid,
      name: name[at] ?? "",
      state: state[at] ?? "",
      color: color[at] ?? 0,
    }));
  }

  cells(column: string): readonly unknown[] {
    return entryOf(this.reply.columns, column) ?? [];
  }

  measured(column: string): Measured {
    const known = this.measures.get(column) ?? measure(this.cells(column), this.runs.length);
    this.measures.set(column, known);
    return known;
  }

  /** Whether values may still change by themselves. */
  get isLive(): boolean {
    return this.runs.some(({ state }) => ACTIVE.has(state));
  }

  /** How many runs it is over, and of how many. */
  get countText(): string {
    return runCount(this.runs.length, this.reply.total);
  }
}

function measure(cells: readonly unknown[], count: number): Measured {
  const isNamed = cells.some(
    (cell) => typeof cell === "boolean" || (typeof cell === "string" && !WORDS_OF_NUMBERS.has(cell)),
  );
  const values = new Float64Array(count).fill(Number.NaN);
  if (!isNamed) {
    for (let at = 0; at < count; at += 1) values[at] = toNumber(cells[at]);
    return { names: null, values };
  }
  const names = [...new Set(cells.filter((cell) => cell !== null).map(cellText))].sort(collate);
  const places = new Map(names.map((name, place) => [name, place]));
  for (let at = 0; at < count; at += 1) {
    const cell = cells[at];
    if (cell !== null && cell !== undefined) values[at] = places.get(cellText(cell)) ?? Number.NaN;
  }
  return { names, values };
}

/** Panels that are drawn together ask together. */
const GATHER_MS = 20;
/** For so long an answer is new enough, milliseconds: longer for one that took long. */
const FRESH_MS = 4000;
const FRESH_BY_COST = 20;
/** Columns that no panel has asked for since are no longer read. */
const WANTED_MS = 60_000;
/** The server's limit for one request. */
const MOST_COLUMNS = 200;

interface Sent {
  query: string;
  columns: ReadonlySet<string>;
  until: number;
  answer: Promise<RunTable>;
}

/** Reads columns of all runs for all panels: one request at a time has what every panel on show needs. */
export class TableFeed {
  /** By column: when it was last asked for. */
  private readonly wanted = new Map<string, number>();
  private gathering: Promise<RunTable> | undefined;
  private sent: Sent | undefined;

  constructor(
    private readonly url: string,
    private readonly query: () => Record<string, string>,
  ) {}

  /** The same table as before while that is new enough. Rejects when it could not be read. */
  ask(columns: readonly string[]): Promise<RunTable> {
    const now = performance.now();
    for (const column of columns) {
      this.wanted.delete(column); // the last asked for come last
      this.wanted.set(column, now);
    }
    const { sent } = this;
    const isFresh = sent && sent.query === this.queryText() && now < sent.until;
    if (isFresh && columns.every((column) => sent.columns.has(column))) return sent.answer;
    this.gathering ??= new Promise((resolve) => setTimeout(resolve, GATHER_MS)).then(() => {
      this.gathering = undefined;
      return this.send();
    });
    return this.gathering;
  }

  private queryText(): string {
    return new URLSearchParams(this.query()).toString();
  }

  private send(): Promise<RunTable> {
    const began = performance.now();
    for (const [column, at] of this.wanted) if (began - at > WANTED_MS) this.wanted.delete(column);
    const columns = [...this.wanted.keys()].slice(-MOST_COLUMNS);
    const query = this.queryText();
    const asked = new URLSearchParams(query);
    for (const column of columns) asked.append("columns", column);
    const sent: Sent = {
      query,
      columns: new Set(columns),
      until: Number.POSITIVE_INFINITY,
      answer: getJson<ColumnsReply>(`${this.url}?${asked}`).then((reply) => new RunTable(reply)),
    };
    this.sent = sent;
    sent.answer.then(
      () => {
        const now = performance.now();
        sent.until = now + Math.max(FRESH_MS, (now - began) * FRESH_BY_COST);
      },
      () => {
        if (this.sent === sent) this.sent = undefined;
      },
    );
    return sent.answer;
  }
}
