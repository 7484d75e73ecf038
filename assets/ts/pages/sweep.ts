import { one } from "../lib/dom";
import { formatCount } from "../lib/format";
import { word } from "../lib/words";
import { highlight } from "../run/highlight";
import { drawCharts } from "../sweeps/charts";
import { followSweep } from "../sweeps/live";

const root = one<HTMLElement>("[data-sweep]");
let kept: ReadonlySet<string> | null = null;

/** Leave the runs in the table that the brushes leave. */
function narrowTable(): void {
  const rows = [...root.querySelectorAll<HTMLElement>("[data-uid]")];
  for (const row of rows) row.hidden = kept !== null && !kept.has(row.dataset.uid ?? "");
  const left = rows.filter((row) => !row.hidden).length;
  const values = { n: formatCount(left), of: formatCount(rows.length) };
  one("[data-kept-runs]", root).textContent = kept ? word("sweepKept", values) : "";
}

for (const code of root.querySelectorAll<HTMLElement>("pre[data-language]")) highlight(code);
const grow = drawCharts(root, (uids) => {
  kept = uids && new Set(uids);
  narrowTable();
});
followSweep(root, () => {
  narrowTable();
  grow();
});
