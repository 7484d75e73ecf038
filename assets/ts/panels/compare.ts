import { paint } from "../charts/palette";
import type { ValuesReply } from "../charts/wire";
import { make } from "../lib/dom";
import { word } from "../lib/words";
import { bestOf, cellOf, cellText, columnsOf, shortColumn, varied } from "./columns";
import { rows } from "./csv";
import { note } from "./notes";
import type { MakePanel } from "./panel";
import type { RunInfo } from "./runs";
import { ValuesPanel } from "./values-panel";

/** Config and summary of the runs side by side, only what differs unless all is asked for (RUN-29). */
class Compare extends ValuesPanel {
  private everything = false;
  private shown: RunInfo[] = [];
  private table: [string, ...unknown[]][] = [];

  protected override columns(): string[] {
    return [];
  }

  protected override show(runs: RunInfo[], values: ValuesReply["runs"]): void {
    const all = columnsOf(values);
    const columns = this.everything ? all : varied(values, runs, all);
    this.shown = runs;
    this.table = columns.map((column) => [column, ...runs.map(({ uid }) => cellOf(values, uid, column))]);
    if (!all.length) {
      note(this.body, word("noRows"));
      return;
    }
    const box = make("div", "panel-table");
    const table = make("table", "data-table");
    const head = make("tr");
    head.append(this.switch());
    for (const run of runs) {
      const cell = make("th");
      paint(cell, run.color);
      cell.scope = "col";
      cell.append(make("i", "run-swatch"), make("span", "", run.name));
      head.append(cell);
    }
    table.createTHead().append(head);
    const lines = table.createTBody();
    for (const part of ["config", "summary"]) {
      const inside = columns.filter((column) => column.startsWith(`${part}.`));
      if (!inside.length) continue;
      const title = make("th", "panel-table-part", word(part));
      title.colSpan = runs.length + 1;
      lines.insertRow().append(title);
      for (const column of inside) lines.append(this.rowOf(column, runs, values));
    }
    if (!columns.length) {
      const none = make("td", "muted", word("noDifferences"));
      none.colSpan = runs.length + 1;
      lines.insertRow().append(none);
    }
    box.append(table);
    this.body.replaceChildren(box);
  }

  override async csv(): Promise<string> {
    return rows([["column", ...this.shown.map(({ uid }) => uid)], ...this.table]);
  }

  override texts(): string[][] {
    const head = [word("key"), ...this.shown.map(({ name }) => name)];
    return [head, ...this.table.map(([column, ...cells]) => [shortColumn(column), ...cells.map(cellText)])];
  }

  private switch(): HTMLElement {
    const cell = make("th");
    const label = make("label", "form-check");
    const box = make("input", "form-check-input");
    box.type = "checkbox";
    box.checked = !this.everything;
    box.addEventListener("change", () => {
      this.everything = !box.checked;
      this.refresh();
    });
    label.append(box, make("span", "", word("onlyDifferences")));
    cell.append(label);
    return cell;
  }

  private rowOf(column: string, runs: RunInfo[], values: ValuesReply["runs"]): HTMLElement {
    const row = make("tr");
    const name = make("th", "mono", shortColumn(column));
    name.scope = "row";
    name.title = column;
    row.append(name);
    const best = bestOf(this.stage, values, runs, column);
    for (const { uid } of runs) {
      const text = cellText(cellOf(values, uid, column));
      const cell = make("td", "num", text || "–");
      cell.title = text;
      if (uid === best) cell.append(make("span", "extreme is-best", word("best")));
      row.append(cell);
    }
    return row;
  }
}

export const makeCompare: MakePanel = (...given) => new Compare(...given);
