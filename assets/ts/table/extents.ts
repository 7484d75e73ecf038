import { throttle } from "../lib/dom";
import { askJson } from "./server";
import type { RunsTable } from "./table";

/** The smallest and largest values are asked for again at most this often, milliseconds. */
const PAUSE_MS = 4000;
/** Part of the width that the bar of the smallest value has: none would look like no value. */
const SHORTEST = 0.02;

export type Extent = [low: number, high: number];

/** Let the best value of a column stand out, over all runs listed; draw bars behind numbers where that is chosen. */
export function enableExtents(table: RunsTable): void {
  const extents = new Extents(table);
  table.addEventListener("drawn", () => extents.begin());
  table.addEventListener("filled", () => extents.refresh());
  extents.begin();
}

class Extents {
  private known: Record<string, Extent> = {};
  /** How often was asked: only the last answer counts. */
  private turn = 0;

  constructor(private readonly table: RunsTable) {}

  /** The table is another one. */
  begin(): void {
    this.known = {};
    void this.read();
  }

  /** Rows came or changed. */
  refresh(): void {
    this.show();
    this.readSoon();
  }

  private readonly readSoon = throttle(() => void this.read(), PAUSE_MS);

  /** Columns whose ends matter: a direction is known, or bars are drawn. */
  private columns(): string[] {
    const { bars } = this.table.state.columns;
    return this.table.shown.filter((name) => bars.includes(name) || this.table.headOf(name)?.dataset.goal);
  }

  private async read(): Promise<void> {
    const columns = this.columns();
    if (!columns.length || !this.table.table) return;
    this.turn += 1;
    const { turn } = this;
    const query = this.table.query();
    query.set("part", "extents");
    for (const column of columns) query.append("columns", column);
    try {
      const reply = await askJson<{ extents: Record<string, Extent> }>(`${this.table.url}?${query}`);
      if (turn !== this.turn) return;
      this.known = reply.extents;
      this.show();
    } catch (error) {
      console.info("runs table", error); // the next rows ask again
    }
  }

  private show(): void {
    const rows = [...this.table.scroll.querySelectorAll<HTMLTableRowElement>("tr[data-uid]")];
    for (const [column, extent] of Object.entries(this.known)) {
      const head = this.table.headOf(column);
      if (!head) continue;
      const hasBars = this.table.state.columns.bars.includes(column);
      const best = bestOf(extent, head.dataset.goal);
      for (const row of rows) {
        const cell = row.cells[head.cellIndex];
        if (cell) mark(cell, best, hasBars ? extent : undefined);
      }
    }
  }
}

/** The best value; none where all are equal or no direction is known. */
export function bestOf([low, high]: Extent, goal: string | undefined): number | undefined {
  if (!goal || low === high) return undefined;
  return goal === "minimize" ? low : high;
}

function mark(cell: HTMLTableCellElement, best: number | undefined, extent: Extent | undefined): void {
  const text = cell.title || cell.textContent || "";
  const value = text ? Number(text) : Number.NaN;
  const part = extent && barOf(value, extent);
  cell.classList.toggle("is-best", value === best);
  cell.classList.toggle("has-bar", part !== undefined);
  if (part !== undefined) cell.style.setProperty("--bar", String(part));
}

/** How much of the width the bar of a value has; undefined for what is no number. */
export function barOf(value: number, [low, high]: Extent): number | undefined {
  if (!Number.isFinite(value)) return undefined;
  const part = high > low ? (value - low) / (high - low) : 1;
  return Math.min(1, Math.max(SHORTEST, part));
}
