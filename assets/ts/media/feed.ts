import { getJson } from "../lib/http";
import { entryOf } from "../lib/record";
import { lastAtMost } from "../logs/rows";
import type { FileLink, MediaKey, MediaValue, ValuesReply } from "./wire";

/** How long wishes are gathered, milliseconds: a slider that moves asks once. */
const GATHER_MS = 50;
/** Keys asked for in one request. */
const BATCH = 20;
/** Values kept; the least recently used goes first. */
const KEPT = 600;
/** Links to files end; values are asked for again after this, milliseconds. */
const FRESH_MS = 10 * 60_000;

export interface Held {
  value: MediaValue;
  files: Record<string, FileLink>;
  at: number;
}

/** Reads values of keys at steps: only of cards in view, each once. */
export class MediaFeed {
  private readonly held = new Map<string, Held>();
  private wishes = new Map<string, number>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly url: string,
    private readonly came: (key: string) => void,
    private readonly failed: (key: string) => void,
  ) {}

  /** The value of a key at or before `step`, if it is here; asks for it otherwise. */
  get(key: MediaKey, step: number): Held | undefined {
    const wanted = key.steps[lastAtMost(key.steps, step)] ?? step;
    const id = `${wanted}\n${key.key}`;
    const found = this.held.get(id);
    if (found && performance.now() - found.at < FRESH_MS) {
      this.held.delete(id);
      this.held.set(id, found);
      return found;
    }
    this.wishes.set(key.key, wanted);
    this.timer ??= setTimeout(() => this.send(), GATHER_MS);
    return undefined;
  }

  private send(): void {
    this.timer = undefined;
    const groups = new Map<number, string[]>();
    for (const [key, step] of this.wishes) groups.set(step, [...(groups.get(step) ?? []), key]);
    this.wishes = new Map();
    for (const [step, keys] of groups)
      for (let i = 0; i < keys.length; i += BATCH) void this.ask(keys.slice(i, i + BATCH), step);
  }

  private async ask(keys: string[], step: number): Promise<void> {
    const query = new URLSearchParams({ step: String(step) });
    for (const key of keys) query.append("keys", key);
    try {
      const { values, files } = await getJson<ValuesReply>(`${this.url}?${query}`);
      const at = performance.now();
      for (const key of keys) {
        const value = entryOf(values, key);
        if (value) this.held.set(`${step}\n${key}`, { value, files, at });
        if (value) this.came(key);
        else this.failed(key);
      }
      for (const oldest of this.held.keys()) {
        if (this.held.size <= KEPT) break;
        this.held.delete(oldest);
      }
    } catch {
      for (const key of keys) this.failed(key);
    }
  }
}
