import { getJson } from "../lib/http";

export interface Line {
  n: number;
  /** UTC without an offset, or null. */
  at: string | null;
  level: string | null;
  /** Null when the server never received this line. */
  text: string | null;
  /** Of a line that was not received: the first and last of the gap it lies in, within its chunk. */
  gap?: [number, number];
}

interface LinesReply {
  total: number;
  /** Lines that were received; others are left out. */
  lines: Line[];
  /** In how many of them something is masked. */
  masked: number;
}

const CHUNK = 1000;
/** Chunks kept in memory; the least recently used goes first. */
const KEPT = 60;

/** The lines of a log, read in chunks of a thousand as they are looked at. */
export class Lines {
  total = 0;
  private readonly chunks = new Map<number, Line[]>();
  private readonly masks = new Map<number, number>();
  private readonly loading = new Map<number, Promise<void>>();

  constructor(
    private readonly url: string,
    private readonly changed: () => void,
  ) {}

  /** In how many of the lines read so far something is masked. */
  get masked(): number {
    return [...this.masks.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The line with this number if it is in memory; asks for it otherwise. */
  get(n: number): Line | undefined {
    const at = Math.floor(n / CHUNK);
    const line = this.chunks.get(at)?.[n - at * CHUNK];
    if (!line) void this.load(at).catch(() => undefined);
    return line;
  }

  /** Learn how many lines there are, and read the newest: progress bars write over the last ones. */
  async refresh(known?: number): Promise<void> {
    await this.load(Math.floor(Math.max(0, (known ?? this.total) - 1) / CHUNK), true);
  }

  /** The lines `first` to `last`, both included, read where they are not in memory. */
  async between(first: number, last: number): Promise<Line[]> {
    const found: Line[] = [];
    for (let at = Math.floor(first / CHUNK); at <= Math.floor(last / CHUNK); at += 1) {
      await this.load(at);
      found.push(...(this.chunks.get(at) ?? []).filter(({ n }) => n >= first && n <= last));
    }
    return found;
  }

  private load(at: number, again = false): Promise<void> {
    const held = this.chunks.get(at);
    const complete = held && (held.length === CHUNK || at * CHUNK + held.length >= this.total);
    if (complete && !again) {
      this.chunks.delete(at); // to the end of the map: most recently used
      this.chunks.set(at, held);
      return Promise.resolve();
    }
    const running = this.loading.get(at);
    if (running) return again ? running.then(() => this.load(at, true)) : running;
    const request = this.fetch(at).finally(() => this.loading.delete(at));
    this.loading.set(at, request);
    return request;
  }

  private async fetch(at: number): Promise<void> {
    const start = at * CHUNK;
    const reply = await getJson<LinesReply>(`${this.url}?start=${start}&limit=${CHUNK}`);
    this.total = Math.max(this.total, reply.total);
    this.masks.set(at, reply.masked);
    this.chunks.delete(at);
    this.chunks.set(at, withGaps(reply, start));
    for (const oldest of this.chunks.keys()) {
      if (this.chunks.size <= KEPT) break;
      this.chunks.delete(oldest);
    }
    this.changed();
  }
}

/** One entry per line number of the chunk, so that a line is found by its number. */
function withGaps({ total, lines }: LinesReply, start: number): Line[] {
  const size = Math.max(0, Math.min(CHUNK, total - start));
  const slots = Array.from(
    { length: size },
    (_, i): Line => ({ n: start + i, at: null, level: null, text: null }),
  );
  for (const line of lines) if (line.n - start < size) slots[line.n - start] = line;
  let gap: [number, number] | undefined;
  for (const slot of slots) {
    if (slot.text !== null) gap = undefined;
    else {
      gap ??= [slot.n, slot.n];
      gap[1] = slot.n;
      slot.gap = gap;
    }
  }
  return slots;
}
