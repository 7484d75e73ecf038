import type { Hit } from "./hits";
import { Matcher, NoMatch } from "./matcher";

/** What is known of a pattern so far. */
export interface Found {
  /** A word for what is wrong with it; "" for nothing. */
  readonly problem: string;
  /** Whether some texts that were asked for are still being matched. */
  readonly isWaiting: boolean;
  /** By text; empty for one without a hit. */
  readonly hits: ReadonlyMap<string, readonly Hit[]>;
}

class Known implements Found {
  readonly hits = new Map<string, readonly Hit[]>();
  readonly wanted = new Set<string>();
  readonly asked = new Set<string>();

  constructor(
    readonly source: string,
    readonly flags: string,
    public problem: string,
  ) {}

  want(texts: readonly string[]): void {
    for (const text of texts) if (!this.hits.has(text) && !this.asked.has(text)) this.wanted.add(text);
  }

  /** The texts to be matched next. */
  take(): string[] {
    const texts = [...this.wanted];
    for (const text of texts) this.asked.add(text);
    this.wanted.clear();
    return texts;
  }

  get isWaiting(): boolean {
    return !this.problem && (this.asked.size > 0 || this.wanted.size > 0);
  }
}

/**
 * Regular expressions that a user typed or saved. Some never end in a browser, so they are matched in a worker and
 * given up after a second; each text is matched once, however often it is asked for.
 */
export class Patterns {
  private readonly known = new Map<string, Known>();
  private isWorking = false;

  /** @param changed - Called after each pattern of which more is known. */
  constructor(
    private readonly changed: () => void,
    private readonly matcher = new Matcher(),
  ) {}

  /** What is known; what is not is matched, and `changed` called then. */
  look(source: string, flags: string, texts: readonly string[]): Found {
    const id = `${flags}/${source}`;
    const found = this.known.get(id) ?? new Known(source, flags, problemOf(source, flags));
    this.known.set(id, found);
    if (!found.problem) found.want(texts);
    if (found.wanted.size && !this.isWorking) void this.work();
    return found;
  }

  /** Forget all patterns; one that is being matched is given up. */
  clear(): void {
    this.known.clear();
    if (this.isWorking) this.matcher.stop("");
  }

  private async work(): Promise<void> {
    this.isWorking = true;
    await undefined; // what is asked for together is matched together
    for (let found = this.next(); found; found = this.next()) {
      await this.match(found);
      if ([...this.known.values()].includes(found)) this.changed();
    }
    this.isWorking = false;
  }

  private next(): Known | undefined {
    return [...this.known.values()].find(({ wanted }) => wanted.size > 0);
  }

  private async match(found: Known): Promise<void> {
    const { source, flags } = found;
    const texts = found.take();
    try {
      const hits = await this.matcher.match({ source, flags, texts });
      for (const [at, text] of texts.entries()) found.hits.set(text, hits[at] ?? []);
    } catch (error) {
      found.problem = error instanceof NoMatch ? error.message : "loadFailed";
      found.wanted.clear();
    }
    found.asked.clear();
  }
}

/** Whether a text is a regular expression. */
export function isPattern(source: string, flags = ""): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false; // half typed
  }
}

function problemOf(source: string, flags: string): string {
  return isPattern(source, flags) ? "" : "patternInvalid";
}
