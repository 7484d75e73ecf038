import { type Color, onRecolor, paint } from "../charts/palette";
import { type RunTable, TableFeed } from "../panels/run-table";
import { colorsByColumn } from "../workspace/column-colors";
import type { RunsTable } from "./table";

/** Paint the swatches of rows as the workspace has them: colors of one's own, and those by a column. */
export function enableColors(table: RunsTable): void {
  const { colorBy = "", columnsUrl = "" } = table.root.dataset;
  const feed = new TableFeed(columnsUrl, () => Object.fromEntries(table.query()));
  let known: ReadonlyMap<string, Color> = new Map();
  const show = () => paintRows(table, known);
  const read = async () => {
    if (colorBy) known = await feed.ask([colorBy]).then(colorsOf(colorBy), () => known);
    show();
  };
  table.addEventListener("drawn", () => void read());
  table.addEventListener("filled", show);
  onRecolor(() => void read());
  void read();
}

function colorsOf(column: string): (found: RunTable) => ReadonlyMap<string, Color> {
  return (found) => colorsByColumn(found, column).colors;
}

function paintRows(table: RunsTable, colors: ReadonlyMap<string, Color>): void {
  for (const row of table.scroll.querySelectorAll<HTMLElement>("tr[data-uid]")) {
    const cell = row.querySelector<HTMLElement>(".run-cell");
    const own = cell?.dataset.color;
    const color = own ?? colors.get(row.dataset.uid ?? "");
    if (cell && color !== undefined) paint(cell, own && !own.startsWith("#") ? Number(own) : color);
  }
}
