import { getJson } from "../lib/http";
import { lastAtMost } from "./rows";

interface SearchReply {
  total: number;
  scanned_to: number;
  lines: number[];
  most: number;
}

export interface Wanted {
  text: string;
  regex: boolean;
  exact: boolean;
  raw: boolean;
}

/** The lines of the whole log that have a text; the server looks, in steps of about a second. */
export class Search {
  hits: number[] = [];
  /** Whether there are more hits than are listed. */
  isCut = false;
  private wanted: Wanted | undefined;
  private scannedTo = 0;
  private busy: AbortController | undefined;

  constructor(
    private readonly url: string,
    /** Called after each step with how much is done, 0 to 1. */
    private readonly progress: (done: number) => void,
  ) {}

  get isActive(): boolean {
    return this.wanted !== undefined;
  }

  /** Whether the server still looks. */
  get isBusy(): boolean {
    return this.busy !== undefined;
  }

  /** Begin anew. Rejects with the server's words, for a regular expression that is none. */
  async start(wanted: Wanted | undefined): Promise<void> {
    this.busy?.abort();
    this.busy = undefined;
    this.hits = [];
    this.isCut = false;
    this.scannedTo = 0;
    this.wanted = wanted;
    if (wanted) await this.more();
  }

  /** Look through lines that came since. */
  async more(): Promise<void> {
    if (!this.wanted || this.isCut || this.busy) return;
    const control = new AbortController();
    this.busy = control;
    const { text, ...flags } = this.wanted;
    const query = new URLSearchParams({ text });
    for (const [name, on] of Object.entries(flags)) if (on) query.set(name, "1");
    try {
      for (;;) {
        query.set("start", String(this.scannedTo));
        const reply = await getJson<SearchReply>(`${this.url}?${query}`, control.signal);
        for (const line of reply.lines) this.hits.push(line);
        this.scannedTo = reply.scanned_to;
        this.isCut = this.hits.length >= reply.most;
        this.progress(reply.total ? reply.scanned_to / reply.total : 1);
        if (this.isCut || reply.scanned_to >= reply.total) return;
      }
    } finally {
      if (this.busy === control) this.busy = undefined;
    }
  }

  /** The hit after or before line `from`, going round; undefined without any. */
  next(from: number, direction: 1 | -1, isShown: (line: number) => boolean): number | undefined {
    const hits = this.hits.filter(isShown);
    if (!hits.length) return undefined;
    const at = lastAtMost(hits, from);
    const isBefore = (hits[at] ?? 0) > from;
    if (direction === 1) return hits[isBefore ? at : (at + 1) % hits.length];
    const previous = isBefore ? -1 : hits[at] === from ? at - 1 : at;
    return hits[(previous + hits.length) % hits.length];
  }

  /** The how-manieth hit a line is, from 1. */
  rank(line: number): number {
    return lastAtMost(this.hits, line) + 1;
  }
}
