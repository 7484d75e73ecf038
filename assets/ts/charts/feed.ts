import { getJson } from "../lib/http";
import { Series } from "./series";
import type { Kind, SeriesReply } from "./wire";

/** Keys asked for in one request: enough for a screen, short enough for an address line. */
const BATCH = 40;
const BUCKETS = 600;
/** How long wishes are gathered, milliseconds: charts that scroll by are never asked for. */
const GATHER_MS = 60;

export interface FeedOptions {
  url: string;
  kind: Kind;
  /** Whether somebody still looks at the key when the request goes out. */
  isWanted(key: string): boolean;
  changed(key: string, series: Series): void;
  failed(key: string): void;
}

/** Reads series for the charts in view: whole ones once in buckets, later only rows after the cursor. */
export class Feed {
  private readonly held = new Map<string, Series>();
  private readonly wishes = new Set<string>();
  private readonly busy = new Set<string>();
  private head = 0;
  private timer: number | undefined;

  constructor(private readonly options: FeedOptions) {}

  get(key: string): Series | undefined {
    return this.held.get(key);
  }

  /** Ask for `key` if there is something to learn about it. */
  want(key: string): void {
    const series = this.held.get(key);
    if (this.busy.has(key) || (series && series.nextRow >= this.head && !series.isHeavy)) return;
    this.wishes.add(key);
    this.timer ??= window.setTimeout(() => this.send(), GATHER_MS);
  }

  /** The server holds rows below `head` now. */
  advance(head: number, keys: Iterable<string>): void {
    this.head = Math.max(this.head, head);
    for (const key of keys) this.want(key);
  }

  private send(): void {
    this.timer = undefined;
    const groups = new Map<number | null, string[]>();
    for (const key of this.wishes) {
      if (!this.options.isWanted(key)) continue;
      const series = this.held.get(key);
      const cursor = series && !series.isHeavy ? series.nextRow : null;
      groups.set(cursor, [...(groups.get(cursor) ?? []), key]);
    }
    this.wishes.clear();
    for (const [cursor, keys] of groups) {
      for (let i = 0; i < keys.length; i += BATCH) void this.ask(keys.slice(i, i + BATCH), cursor);
    }
  }

  private async ask(keys: string[], cursor: number | null): Promise<void> {
    for (const key of keys) this.busy.add(key);
    const query = new URLSearchParams({ kind: this.options.kind });
    query.set(cursor === null ? "buckets" : "since_row", String(cursor ?? BUCKETS));
    for (const key of keys) query.append("keys", key);
    try {
      const reply = await getJson<SeriesReply>(`${this.options.url}?${query}`);
      this.head = Math.max(this.head, reply.next_row);
      for (const key of keys) this.busy.delete(key);
      for (const key of keys) this.take(key, reply, cursor);
      for (const key of keys) if (this.options.isWanted(key)) this.want(key); // rows may have come meanwhile
    } catch {
      for (const key of keys) this.busy.delete(key);
      for (const key of keys) this.options.failed(key);
    }
  }

  private take(key: string, reply: SeriesReply, cursor: number | null): void {
    const held = this.held.get(key);
    const wire = reply.series[key];
    if (held && cursor !== null) {
      held.append(wire, reply.next_row);
      if (wire?.x.length) this.options.changed(key, held);
      return;
    }
    const series = new Series(wire, reply.next_row);
    this.held.set(key, series);
    this.options.changed(key, series);
  }
}
