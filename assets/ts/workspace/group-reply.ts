import { COLORS, type Color } from "../charts/palette";
import type { GroupsReply } from "../charts/wire";
import { getJson } from "../lib/http";
import { word } from "../lib/words";
import type { RunGroup } from "../panels/runs";

/** What the server said is asked for again after this, milliseconds. */
const FRESH_MS = 4000;

/** The group of each run in an answer; colours go by the place of a group among all, unless somebody chose one. */
export function groupsIn(
  { groups, runs }: GroupsReply,
  colors: Record<string, Color>,
): Map<string, RunGroup> {
  const made = groups.map(({ place, ...group }) => ({
    ...group,
    color: colors[group.path] ?? place % COLORS,
  }));
  return new Map(runs.flatMap(({ uid, group }) => (made[group] ? [[uid, made[group]] as const] : [])));
}

/** What is said where there is no room to draw all groups, or all of their runs. */
export function cutsOf({ groups, runs, shownCount }: GroupsReply): string[] {
  const of = groups.reduce((sum, { count }) => sum + count, 0);
  return [
    ...(shownCount > groups.length ? [word("groupsCut", { n: groups.length, of: shownCount })] : []),
    ...(of > runs.length ? [word("runsCut", { n: runs.length, of })] : []),
  ];
}

/** Asks which groups some columns make of some runs. */
export class GroupReader {
  private readonly known = new Map<string, { at: number; answer: Promise<Map<string, RunGroup>> }>();

  constructor(private readonly url: string) {}

  read(columns: readonly string[], uids: readonly string[]): Promise<Map<string, RunGroup>> {
    if (!uids.length) return Promise.resolve(new Map());
    const query = new URLSearchParams();
    for (const uid of uids) query.append("run", uid);
    for (const column of columns) query.append("group", column);
    const url = `${this.url}/runs?${query}`;
    const known = this.known.get(url);
    if (known && performance.now() - known.at < FRESH_MS) return known.answer;
    const answer = getJson<GroupsReply>(url).then((reply) => groupsIn(reply, {}));
    this.known.clear();
    this.known.set(url, { at: performance.now(), answer });
    answer.catch(() => this.known.delete(url));
    return answer;
  }
}
