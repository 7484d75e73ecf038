import type { Kind } from "./wire";

/** Lines (runs times keys) asked for at once: several small answers are drawn sooner than a large one. */
const LINES_AT_ONCE = 300;
const KEYS_AT_ONCE = 40;
export const BUCKETS = 400;

/** What is drawn along the same x. */
export interface Source {
  kind: Kind;
  /** `_step`, `_runtime`, `_timestamp` or a logged key. */
  x: string;
}

/** A line that is missing, or has grown. */
export interface Wish {
  source: Source;
  key: string;
  uid: string;
  /** The row to go on from; null asks for the line from its begin. */
  since: number | null;
}

/** Some keys of some runs; with `since` a row of each run to go on from. */
export interface Question {
  source: Source;
  keys: string[];
  uids: string[];
  since: number[] | null;
}

/** Put wishes into few questions: keys for which the same is asked of the same runs go together. */
export function questionsOf(wishes: Iterable<Wish>): Question[] {
  const byKey = new Map<string, Wish[]>();
  for (const wish of wishes) {
    const group = `${setOf(wish.source)}\n${wish.since === null}\n${wish.key}`;
    byKey.set(group, [...(byKey.get(group) ?? []), wish]);
  }
  const alike = new Map<string, Wish[][]>();
  for (const wishes of byKey.values()) {
    const [first] = wishes as [Wish, ...Wish[]];
    const what = wishes.map(({ uid, since }) => `${uid}:${since}`).join(" ");
    const group = `${setOf(first.source)}\n${what}`;
    alike.set(group, [...(alike.get(group) ?? []), wishes]);
  }
  return [...alike.values()].flatMap(cut);
}

/** Cut a group of equal requests into batches of limited size. */
function cut(group: Wish[][]): Question[] {
  const first = group[0] as [Wish, ...Wish[]];
  const keys = group.map((wishes) => (wishes[0] as Wish).key);
  const uids = first.map(({ uid }) => uid);
  const since = first[0].since === null ? null : first.map((wish) => wish.since ?? 0);
  const room = Math.max(1, Math.min(KEYS_AT_ONCE, Math.floor(LINES_AT_ONCE / uids.length)));
  const step = since ? KEYS_AT_ONCE : room;
  return Array.from({ length: Math.ceil(keys.length / step) }, (_, i) => ({
    ...{ source: first[0].source, uids, since },
    keys: keys.slice(i * step, (i + 1) * step),
  }));
}

/** Tells sources apart. */
export function setOf({ kind, x }: Source): string {
  return `${kind} ${x}`;
}

/** A question as the query of an address. */
export function queryOf({ source, keys, uids, since }: Question): URLSearchParams {
  const query = new URLSearchParams({ kind: source.kind, x: source.x });
  for (const key of keys) query.append("keys", key);
  for (const uid of uids) query.append("run", uid);
  if (since) for (const row of since) query.append("since", String(row));
  else query.set("buckets", String(BUCKETS));
  return query;
}
