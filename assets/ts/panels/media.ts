import { getJson } from "../lib/http";
import { readJson } from "../lib/json";
import { entryOf } from "../lib/record";
import { runUrl } from "../lib/runs";
import type { KeysReply, MediaValue, Urls, ValuesReply } from "../media/wire";
import type { Stage } from "./panel";

/** A value of a key at a step, with the addresses of the files that it names. */
export type FoundMedia = MediaValue & Pick<ValuesReply, "files">;

/** Later than every step. */
export const LATEST = Number.MAX_SAFE_INTEGER;
/** The keys of a run are asked for again after this, milliseconds: all panels of a page share the answer. */
const FRESH_MS = 8000;

export interface TableData {
  columns: string[];
  data: unknown[][];
}

const known = new Map<string, { at: number; reply: Promise<KeysReply> }>();

function addressOf(stage: Stage, uid: string): string {
  return `${runUrl(stage.urls.media, uid)}/media`;
}

/** Where media of a run are read from. */
export function mediaUrls(stage: Stage, uid: string): Urls {
  const url = addressOf(stage, uid);
  return { heat: `${url}/heat`, table: `${url}/table`, frame: `${url}/frame/`, viewers: stage.urls.viewers };
}

/** The last value of a key at or before a step; null when the run has none. */
export async function mediaAt(
  stage: Stage,
  uid: string,
  key: string,
  step = LATEST,
): Promise<FoundMedia | null> {
  const query = new URLSearchParams({ keys: key, step: String(step) });
  const reply = await getJson<ValuesReply>(`${addressOf(stage, uid)}/values?${query}`);
  const found = entryOf(reply.values, key);
  return found ? { ...found, files: reply.files } : null;
}

/** What a run has logged besides numbers. */
export function mediaKeys(stage: Stage, uid: string): Promise<KeysReply> {
  const url = `${addressOf(stage, uid)}/keys`;
  const before = known.get(url);
  if (before && performance.now() - before.at < FRESH_MS) return before.reply;
  const reply = getJson<KeysReply>(url);
  known.set(url, { at: performance.now(), reply });
  reply.catch(() => known.delete(url));
  return reply;
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
    const path = (found?.value as { path?: unknown } | null | undefined)?.path;
    const url = typeof path === "string" ? entryOf(found?.files, path)?.url : undefined;
    if (typeof path !== "string" || !url) return null;
    const before = this.before.get(uid);
    if (before?.path === path) return before;
    const table = { path, table: await tableAt(url) };
    this.before.set(uid, table);
    return table;
  }
}

async function tableAt(url: string): Promise<TableData> {
  const reply = await fetch(url);
  if (!reply.ok) throw new Error(`status ${reply.status}`);
  return readJson(await reply.text(), (word) => `"${word}"`) as TableData;
}
