import { getJson } from "../lib/http";
import type { FileLink } from "../media/wire";
import type { Stage } from "./panel";

/** A value of a key at a step, with the addresses of the files that it names. */
export interface MediaValue {
  step: number;
  value: Record<string, unknown>;
  files: Record<string, FileLink>;
}

interface ValuesReply {
  values: Record<string, { step: number; value: Record<string, unknown> }>;
  files: Record<string, FileLink>;
}

interface KeysReply {
  keys: { key: string; steps: number[] }[];
}

/** Later than every step. */
export const LATEST = Number.MAX_SAFE_INTEGER;

export interface TableData {
  columns: string[];
  data: unknown[][];
}

/** The last value of a key at or before a step; null when the run has none. */
export async function mediaAt(
  stage: Stage,
  uid: string,
  key: string,
  step = LATEST,
): Promise<MediaValue | null> {
  const query = new URLSearchParams({ keys: key, step: String(step) });
  const reply = await getJson<ValuesReply>(
    `${stage.urls.media}/${encodeURIComponent(uid)}/media/values?${query}`,
  );
  const found = reply.values[key];
  return found ? { step: found.step, value: found.value, files: reply.files } : null;
}

/** The steps at which a key has a value, rising. */
export async function stepsOf(stage: Stage, uid: string, key: string): Promise<number[]> {
  const reply = await getJson<KeysReply>(`${stage.urls.media}/${encodeURIComponent(uid)}/media/keys`);
  return reply.keys.find((found) => found.key === key)?.steps ?? [];
}

interface FoundTable {
  path: string;
  table: TableData;
}

/** The newest tables of one key; a file is read once. */
export class TablesOfRuns {
  private readonly known = new Map<string, Promise<FoundTable | null>>();
  private readonly before = new Map<string, FoundTable>();

  constructor(
    private readonly stage: Stage,
    private readonly key: string,
  ) {}

  /** Null for a run that has none; after a failure everything is read anew. */
  async of(uids: readonly string[]): Promise<(TableData | null)[]> {
    try {
      const found = await Promise.all(uids.map((uid) => this.one(uid)));
      return found.map((one) => one?.table ?? null);
    } catch (error) {
      this.known.clear();
      throw error;
    }
  }

  /** Ask next time whether newer tables were logged. */
  lookAgain(): void {
    this.known.clear();
  }

  private one(uid: string): Promise<FoundTable | null> {
    const known = this.known.get(uid) ?? this.newest(uid);
    this.known.set(uid, known);
    return known;
  }

  private async newest(uid: string): Promise<FoundTable | null> {
    const found = await mediaAt(this.stage, uid, this.key);
    const path = found?.value.path;
    const url = typeof path === "string" ? found?.files[path]?.url : undefined;
    if (typeof path !== "string" || !url) return null;
    const before = this.before.get(uid);
    if (before?.path === path) return before;
    const table = { path, table: await getJson<TableData>(url) };
    this.before.set(uid, table);
    return table;
  }
}
