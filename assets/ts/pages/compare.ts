import { paint } from "../charts/palette";
import { enableAdding } from "../compare/add-run";
import { ComparisonCharts } from "../compare/charts";
import { followRuns } from "../compare/live";
import { enableComparison } from "../compare/table";
import { one } from "../lib/dom";
import { cellsOf } from "../lib/table-text";
import type { RunInfo } from "../panels/runs";
import { copyTable, formOf } from "../table/copy";
import { openAt, walkMenu } from "../table/popup";
import { type Picked, RunColors } from "../workspace/colors";

interface Start {
  colors: Picked;
  runs: RunInfo[];
}

const root = one<HTMLElement>("[data-compare]");
const { runs, colors: picked } = JSON.parse(one("#compare-start").textContent ?? "{}") as Start;
const adding = root.querySelector<HTMLInputElement>("[data-add-run]");
if (adding)
  enableAdding(
    adding,
    root.dataset.runs ?? "",
    runs.map(({ uid }) => uid),
  );
if (runs.length) begin();

function begin(): void {
  const table = one<HTMLTableElement>(".compare-table", root);
  const colors = new RunColors(() => picked);
  colors.settle([...runs].reverse()); // the last one chooses first
  for (const run of runs) run.color = colors.of(run.uid, run.color);
  for (const run of runs) {
    const head = table.querySelector<HTMLElement>(`thead [data-uid="${CSS.escape(run.uid)}"] .compare-head`);
    if (head) paint(head, run.color);
  }
  const show = enableComparison(root);
  enableCopying(table);
  const charts = new ComparisonCharts(root, runs, () => keysIn(table));
  charts.read().catch((error: unknown) => {
    console.info("compare", error); // the table says the same in numbers
  });
  followRuns(root, runs, charts, show);
}

function keysIn(table: HTMLTableElement): string[] {
  const rows = [...table.querySelectorAll<HTMLElement>("[data-part=summary] tr[data-key]")];
  return rows.map(({ dataset }) => dataset.key ?? "");
}

/** Copy what is set side by side, as it is shown. */
function enableCopying(table: HTMLTableElement): void {
  const opener = one<HTMLButtonElement>("[data-copy-as]", root);
  const menu = one<HTMLElement>("#copy-menu");
  walkMenu(menu);
  opener.addEventListener("click", () => openAt(menu, opener));
  menu.addEventListener("click", (event) => {
    const form = formOf(event);
    if (!form) return;
    menu.hidePopover();
    const shown = [...table.rows].filter((row) => !row.hidden && row.offsetParent !== null);
    const rows = shown.map(cellsOf).filter((cells) => cells.length > 1); // the others head a part
    void copyTable(form, rows, opener);
  });
}
