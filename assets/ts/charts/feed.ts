import { getJson } from "../lib/http";
import { ofRun } from "../lib/runs";
import { Line } from "./line";
import type { Smoothing } from "./smooth";
import type { Kind, SeriesReply } from "./wire";

/** Lines (runs times keys) asked for at once: several small answers are drawn sooner than a large one. */
const LINES_AT_ONCE = 300;
const KEYS_AT_ONCE = 40;
const REQUESTS_AT_ONCE = 3;
export const BUCKETS = 400;
/** How long wishes for whole lines are gathered, milliseconds: charts that scroll by are never asked for. */
const GATHER_MS = 40;

/** What is drawn along the same x. */
export interface Source {
  kind: Kind;
  /** `_step`, `_runtime`, `_timestamp` or a logged key. */
  x: string;
}

interface Wish {
  source: Source;
  key: string;
  uid: string;
  /** The row to go on from; null asks for the line from its begin. */
  since: number | null;
}

interface Question {
  source: Source;
  keys: string[];
  uids: string[];
  since: number[] | null;
}

/** What a finer reading is of; both are as the chart shows them. */
export interface Fineness {
  range: [number, number] | null;
  smoothing: Smoothing | null;
}

export interface FeedOptions {
  url: string;
  /** Lines of these keys have come, or have grown. */
  changed(source: Source, keys: Set<string>): void;
  failed(source: Source, keys: Set<string>): void;
}

/** Reads lines of many runs: whole ones once in buckets, later only rows after each run's cursor. */
export class Feed {
  private readonly held = new Map<string, Map<string, Line>>();
  private readonly heads: Record<Kind, Map<string, number>> = { history: new Map(), system: new Map() };
  private readonly wishes = new Map<string, Wish>();
  private readonly busy = new Set<string>();
  private readonly queue: Question[] = [];
  private running = 0;
  private timer: number | undefined;

  constructor(private readonly options: FeedOptions) {}

  /** The line of a key of a run, when it has come. */
  get(source: Source, key: string, uid: string): Line | undefined {
    return this.held.get(setOf(source))?.get(pairOf(key, uid));
  }

  /** Ask for what is missing of these keys and runs, and for what has been logged since. */
  want(source: Source, keys: readonly string[], uids: readonly string[]): void {
    const heads = this.heads[source.kind];
    for (const key of keys) {
      for (const uid of uids) {
        const line = this.get(source, key, uid);
        if (line && line.nextRow >= (heads.get(uid) ?? 0)) continue;
        const name = `${setOf(source)}\n${pairOf(key, uid)}`;
        if (this.busy.has(name)) continue;
        this.wishes.set(name, { source, key, uid, since: line && !line.isHeavy ? line.nextRow : null });
      }
    }
    if (!this.wishes.size) return;
    const isNew = [...this.wishes.values()].some(({ since }) => since === null);
    this.timer ??= window.setTimeout(() => this.gather(), isNew ? GATHER_MS : 0);
  }

  /** The server holds rows of a run below `head` now. */
  advance(kind: Kind, uid: string, head: number): void {
    this.heads[kind].set(uid, Math.max(head, this.heads[kind].get(uid) ?? 0));
  }

  /** Read lines within a range of x, finer, or smoothed over all their points; they are not kept. */
  async fine(source: Source, keys: string[], uids: string[], how: Fineness, signal: AbortSignal) {
    const query = queryOf({ source, keys, uids, since: null });
    bound(query, how.range);
    if (how.smoothing) query.set("smooth", `${how.smoothing.kind}:${how.smoothing.amount}`);
    const reply = await getJson<SeriesReply>(`${this.options.url}?${query}`, signal);
    const lines = new Map<string, Line>();
    for (const key of keys) {
      for (const uid of uids) lines.set(pairOf(key, uid), Line.of(reply, uid, key));
    }
    return lines;
  }

  /** Where every point of these lines is to be had as CSV. */
  csvAddress(source: Source, keys: string[], uids: string[], range: [number, number] | null): string {
    const query = queryOf({ source, keys, uids, since: null });
    bound(query, range);
    return `${this.options.url}.csv?${query}`;
  }

  /** Read lines in buckets; they are not kept. */
  sampled(source: Source, keys: string[], uids: string[]): Promise<SeriesReply> {
    return getJson<SeriesReply>(`${this.options.url}?${queryOf({ source, keys, uids, since: null })}`);
  }

  private gather(): void {
    this.timer = undefined;
    const byKey = new Map<string, Wish[]>();
    for (const [name, wish] of this.wishes) {
      this.busy.add(name);
      const group = `${setOf(wish.source)}\n${wish.since === null}\n${wish.key}`;
      byKey.set(group, [...(byKey.get(group) ?? []), wish]);
    }
    this.wishes.clear();
    const alike = new Map<string, Wish[][]>(); // keys for which the same is asked of the same runs
    for (const wishes of byKey.values()) {
      const [first] = wishes as [Wish, ...Wish[]];
      const what = wishes.map(({ uid, since }) => `${uid}:${since}`).join(" ");
      const group = `${setOf(first.source)}\n${what}`;
      alike.set(group, [...(alike.get(group) ?? []), wishes]);
    }
    for (const group of alike.values()) this.enqueue(group);
    this.pump();
  }

  private enqueue(group: Wish[][]): void {
    const first = group[0] as [Wish, ...Wish[]];
    const keys = group.map((wishes) => (wishes[0] as Wish).key);
    const uids = first.map(({ uid }) => uid);
    const since = first[0].since === null ? null : first.map((wish) => wish.since ?? 0);
    const room = Math.max(1, Math.min(KEYS_AT_ONCE, Math.floor(LINES_AT_ONCE / uids.length)));
    const step = since ? KEYS_AT_ONCE : room;
    for (let i = 0; i < keys.length; i += step) {
      this.queue.push({ source: first[0].source, keys: keys.slice(i, i + step), uids, since });
    }
  }

  private pump(): void {
    while (this.running < REQUESTS_AT_ONCE && this.queue.length) {
      const question = this.queue.shift() as Question;
      this.running += 1;
      void this.ask(question).finally(() => {
        this.running -= 1;
        this.pump();
      });
    }
  }

  private async ask(question: Question): Promise<void> {
    const { source, keys, uids } = question;
    let reply: SeriesReply | undefined;
    try {
      reply = await getJson<SeriesReply>(`${this.options.url}?${queryOf(question)}`);
    } catch {
      reply = undefined;
    }
    for (const key of keys) {
      for (const uid of uids) this.busy.delete(`${setOf(source)}\n${pairOf(key, uid)}`);
    }
    if (!reply) {
      this.options.failed(source, new Set(keys));
      return;
    }
    for (const uid of uids) this.advance(source.kind, uid, ofRun(reply.next, uid) ?? 0);
    for (const key of keys) for (const uid of uids) this.take(question, reply, key, uid);
    this.options.changed(source, new Set(keys));
  }

  private take({ source, since }: Question, reply: SeriesReply, key: string, uid: string): void {
    const set = this.held.get(setOf(source)) ?? new Map<string, Line>();
    this.held.set(setOf(source), set);
    const pair = pairOf(key, uid);
    const line = set.get(pair);
    if (line && since) {
      if (!line.append(reply, uid, ofRun(reply.series, uid)?.[key])) set.delete(pair);
      return;
    }
    set.set(pair, Line.of(reply, uid, key));
  }
}

/** Names a key of a run in the lines that `range` gives. */
export function pairOf(key: string, uid: string): string {
  return `${uid}/${key}`;
}

function setOf({ kind, x }: Source): string {
  return `${kind} ${x}`;
}

function queryOf({ source, keys, uids, since }: Question): URLSearchParams {
  const query = new URLSearchParams({ kind: source.kind, x: source.x });
  for (const key of keys) query.append("keys", key);
  for (const uid of uids) query.append("run", uid);
  if (since) for (const row of since) query.append("since", String(row));
  else query.set("buckets", String(BUCKETS));
  return query;
}

function bound(query: URLSearchParams, range: [number, number] | null): void {
  if (!range) return;
  query.set("from", String(range[0]));
  query.set("to", String(range[1]));
}
