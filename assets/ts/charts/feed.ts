import { getJson } from "../lib/http";
import { entryOf } from "../lib/record";
import { type Question, queryOf, questionsOf, type Source, setOf, type Wish } from "./feed-requests";
import { Line } from "./line";
import type { Smoothing } from "./smooth";
import { type Kind, lineIn, type SeriesReply } from "./wire";

export { BUCKETS, type Source } from "./feed-requests";

const REQUESTS_AT_ONCE = 3;
/** How long wishes for whole lines are gathered, milliseconds: charts that scroll by are never asked for. */
const GATHER_MS = 40;

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
  private timer: ReturnType<typeof setTimeout> | undefined;

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
    this.timer ??= setTimeout(() => this.gather(), isNew ? GATHER_MS : 0);
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
    for (const name of this.wishes.keys()) this.busy.add(name);
    this.queue.push(...questionsOf(this.wishes.values()));
    this.wishes.clear();
    this.pump();
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
    for (const uid of uids) this.advance(source.kind, uid, entryOf(reply.next, uid) ?? 0);
    for (const key of keys) for (const uid of uids) this.take(question, reply, key, uid);
    this.options.changed(source, new Set(keys));
  }

  private take({ source, since }: Question, reply: SeriesReply, key: string, uid: string): void {
    const set = this.held.get(setOf(source)) ?? new Map<string, Line>();
    this.held.set(setOf(source), set);
    const pair = pairOf(key, uid);
    const line = set.get(pair);
    if (line && since) {
      if (!line.append(reply, uid, lineIn(reply, uid, key))) set.delete(pair);
      return;
    }
    set.set(pair, Line.of(reply, uid, key));
  }
}

/** Names a key of a run in the lines that `range` gives. */
export function pairOf(key: string, uid: string): string {
  return `${uid}/${key}`;
}

function bound(query: URLSearchParams, range: [number, number] | null): void {
  if (!range) return;
  query.set("from", String(range[0]));
  query.set("to", String(range[1]));
}
