import { inkOf } from "../../charts/palette";
import { lineIn, type SeriesReply } from "../../charts/wire";
import { entryOf } from "../../lib/record";
import type { TablesOfRuns } from "../media";
import type { Stage } from "../panel";
import type { RunInfo } from "../runs";
import type { ChartSource } from "./chart";
import type { Row } from "./messages";

/** More would take a browser seconds to draw. */
const MOST_ROWS = 50_000;

/** Read what a chart draws, each row with the `id`, `name` and `color` of its run. */
export async function rowsOf(
  stage: Stage,
  source: ChartSource,
  tables: TablesOfRuns,
  runs: readonly RunInfo[],
): Promise<Row[]> {
  const uids = runs.map(({ uid }) => uid);
  const rows: Row[] = [];
  if (source.kind === "table") {
    const found = await tables.of(uids);
    for (const [place, table] of found.entries()) {
      const run = aboutOf(runs[place] as RunInfo);
      for (const cells of table?.data ?? []) {
        const named = (table?.columns ?? []).map((name, at) => [String(name), cells[at]] as const);
        rows.push({ ...run, ...Object.fromEntries(named) });
      }
    }
  } else if (source.kind === "runs") {
    const values = await stage.values([]);
    for (const run of runs) {
      const { config = {}, summary = {} } = entryOf(values, run.uid) ?? {};
      rows.push({ ...named("config", config), ...named("summary", summary), ...aboutOf(run) });
    }
  } else if (source.keys?.length) {
    const reply = await stage.feed.sampled({ kind: "history", x: "_step" }, source.keys, uids);
    for (const run of runs) rows.push(...historyOf(reply, run, source.keys));
  }
  return rows.slice(0, MOST_ROWS);
}

function aboutOf({ uid, name, color }: RunInfo): Row {
  return { id: uid, name, color: inkOf(color) };
}

function named(part: string, values: Record<string, unknown>): Row {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${part}.${name}`, value]));
}

/** One row for each step at which the run has one of the keys. */
function historyOf(reply: SeriesReply, run: RunInfo, keys: readonly string[]): Row[] {
  const bySteps = new Map<number, Row>();
  for (const key of keys) {
    const line = lineIn(reply, run.uid, key);
    for (const [at, step] of (line ? (reply.x[line.x] ?? []) : []).entries()) {
      const row = bySteps.get(step) ?? { _step: step, ...aboutOf(run) };
      bySteps.set(step, { ...row, [key]: line?.last[at] });
    }
  }
  return [...bySteps.values()].sort((a, b) => (a._step as number) - (b._step as number));
}
