import type { ValuesReply } from "../charts/wire";
import { getJson } from "../lib/http";

/** Config and summary are read again after this, milliseconds. */
const FRESH_MS = 4000;

/** Reads config and summary of runs; panels that ask the same within a short while share the answer. */
export class RunValues {
  private readonly known = new Map<string, { at: number; answer: Promise<ValuesReply["runs"]> }>();

  constructor(private readonly url: string) {}

  /** Of these columns, or all. Rejects when it could not be read. */
  read(uids: readonly string[], columns: readonly string[]): Promise<ValuesReply["runs"]> {
    const query = new URLSearchParams();
    for (const uid of uids) query.append("run", uid);
    for (const column of columns) query.append("columns", column);
    const url = `${this.url}?${query}`;
    const known = this.known.get(url);
    if (known && performance.now() - known.at < FRESH_MS) return known.answer;
    const answer = getJson<ValuesReply>(url).then(({ runs }) => runs);
    this.known.set(url, { at: performance.now(), answer });
    answer.catch(() => this.known.delete(url));
    return answer;
  }
}
