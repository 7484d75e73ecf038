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

/** The newest tables of one key, each run's read once. */
export class TablesOfRuns {
  private readonly known = new Map<string, Promise<TableData | null>>();

  constructor(
    private readonly stage: Stage,
    private readonly key: string,
  ) {}

  /** Null for a run that has none; after a failure everything is read anew. */
  async of(uids: readonly string[]): Promise<(TableData | null)[]> {
    try {
      return await Promise.all(uids.map((uid) => this.one(uid)));
    } catch (error) {
      this.known.clear();
      throw error;
    }
  }

  private one(uid: string): Promise<TableData | null> {
    const known = this.known.get(uid) ?? tableOf(this.stage, uid, this.key);
    this.known.set(uid, known);
    return known;
  }
}

/** The newest table logged under a key; null when the run has none. */
async function tableOf(stage: Stage, uid: string, key: string): Promise<TableData | null> {
  const found = await mediaAt(stage, uid, key);
  const path = found?.value.path;
  const url = typeof path === "string" ? found?.files[path]?.url : undefined;
  return url ? getJson<TableData>(url) : null;
}
