import { one } from "../lib/dom";
import { refreshTimes } from "../lib/times";
import { getText } from "./server";
import type { RunsTable } from "./table";

/** Rows of one body. The server's page is as long. */
export const PAGE = 100;
/** Bodies nearer than this to what is in view are filled, pixels. */
const NEAR_PX = 900;
/** Bodies farther away than this are emptied again, pixels. */
const FAR_PX = 6000;
/** A body that is only passed by is not asked for, milliseconds. */
const PASSING_MS = 60;
/** Bodies asked for at a time: what has come into view last goes first, however fast one scrolls. */
const AT_A_TIME = 2;
/** A body that could not be fetched is asked for again after this, milliseconds. */
const AGAIN_MS = 5000;

/**
 * Keeps only rows near what is in view in the document.
 *
 * Every hundred rows are one `<tbody data-offset data-path>`. One that is far away holds a single row of the height
 * of its runs, so that the scroll bar stands for all of them, and 10,000 runs cost no more than 300.
 */
export class Pages {
  private near: IntersectionObserver | undefined;
  private far: IntersectionObserver | undefined;
  /** Bodies near what is in view that wait for their rows, the newest last. */
  private readonly wanted = new Set<HTMLTableSectionElement>();
  private asking = 0;
  /** Bodies that may hold rows now. */
  private readonly inReach = new WeakSet<Element>();

  constructor(private readonly table: RunsTable) {
    table.addEventListener("drawn", () => this.start());
    this.start();
  }

  /** Bodies that hold runs now. */
  filled(): HTMLTableSectionElement[] {
    return [...this.table.scroll.querySelectorAll<HTMLTableSectionElement>("tbody[data-offset]:not(.gap)")];
  }

  /** Put `count` runs of a group after `before`: bodies that fill themselves when they come near. */
  add(before: Element, count: number, path: string, from = 0): void {
    let last = before;
    const height = this.rowHeight(); // measured once: each measure after a change lays the table out anew
    for (let offset = from; offset < count; offset += PAGE) {
      const body = document.createElement("tbody");
      body.dataset.offset = String(offset);
      body.dataset.path = path;
      this.empty(body, height * Math.min(PAGE, count - offset));
      last.after(body);
      this.watch(body);
      last = body;
    }
  }

  /** Fetch a body's rows again and change the rows that differ; focus, selection and place stay. */
  async refresh(body: HTMLTableSectionElement): Promise<void> {
    const fresh = await this.fetchRows(body);
    if (body.classList.contains("gap") || !body.isConnected) return;
    morph(body, fresh);
    this.table.count(Number(fresh.dataset.total), Number(fresh.dataset.all));
    this.settle(body);
  }

  /** Let a body's rows go; it fills itself again when it comes near. */
  drop(body: HTMLTableSectionElement): void {
    this.empty(body, body.getBoundingClientRect().height);
  }

  /** Watch all bodies, and add those that the server did not draw. */
  start(): void {
    const root = this.table.scroll;
    this.near?.disconnect();
    this.far?.disconnect();
    this.near = new IntersectionObserver((entries) => this.cameNear(entries), {
      root,
      rootMargin: `${NEAR_PX}px 0px`,
    });
    this.far = new IntersectionObserver((entries) => this.wentFar(entries), {
      root,
      rootMargin: `${FAR_PX}px 0px`,
    });
    const bodies = [...root.querySelectorAll<HTMLTableSectionElement>("tbody[data-offset]")];
    for (const body of bodies) this.watch(body);
    const last = bodies.at(-1);
    if (last && !this.table.state.group.length) this.add(last, this.table.total, "", bodies.length * PAGE);
  }

  private watch(body: HTMLTableSectionElement): void {
    this.near?.observe(body);
    this.far?.observe(body);
  }

  private cameNear(entries: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const body = target as HTMLTableSectionElement;
      this.wanted.delete(body);
      if (isIntersecting && body.classList.contains("gap")) this.wanted.add(body);
    }
    setTimeout(() => this.ask(), PASSING_MS);
  }

  private ask(): void {
    const body = [...this.wanted].at(-1);
    if (!body || this.asking >= AT_A_TIME) return;
    this.wanted.delete(body);
    this.asking += 1;
    void this.fill(body).finally(() => {
      this.asking -= 1;
      this.ask();
    });
    this.ask();
  }

  private wentFar(entries: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const body = target as HTMLTableSectionElement;
      if (isIntersecting) this.inReach.add(body);
      else this.inReach.delete(body);
      if (isIntersecting || body.classList.contains("gap") || body.contains(document.activeElement)) continue;
      this.drop(body);
    }
  }

  private async fill(body: HTMLTableSectionElement): Promise<void> {
    try {
      const fresh = await this.fetchRows(body);
      if (!body.isConnected || !body.classList.contains("gap") || !this.inReach.has(body)) return;
      body.classList.remove("gap", "failed");
      body.replaceChildren(...fresh.rows);
      this.settle(body);
    } catch {
      body.classList.add("failed");
      setTimeout(() => {
        if (body.isConnected) this.wanted.add(body);
        this.ask();
      }, AGAIN_MS);
    }
  }

  private async fetchRows(body: HTMLTableSectionElement): Promise<HTMLTableSectionElement> {
    const more = { offset: body.dataset.offset ?? "0", path: body.dataset.path ?? "" };
    const drawn = document.createElement("template");
    drawn.innerHTML = `<table>${await getText(this.table.partUrl("rows", more))}</table>`;
    return one<HTMLTableSectionElement>("tbody", drawn.content);
  }

  /** Leave one row of the height of all of a body's. */
  private empty(body: HTMLTableSectionElement, height: number): void {
    const gap = document.createElement("tr");
    const cell = document.createElement("td");
    cell.colSpan = this.table.shown.length + 3;
    cell.style.height = `${height}px`;
    gap.append(cell);
    body.classList.add("gap");
    body.replaceChildren(gap);
  }

  private rowHeight(): number {
    const row = this.table.scroll.querySelector<HTMLElement>("tbody:not(.gap) > tr");
    return row?.getBoundingClientRect().height || 32;
  }

  private settle(body: HTMLElement): void {
    refreshTimes(body);
    this.table.dispatchEvent(new Event("filled"));
  }
}

/** Make `body` show the rows of `fresh`; a row that says the same stays the same element. */
function morph(body: HTMLTableSectionElement, fresh: HTMLTableSectionElement): void {
  const before = new Map([...body.rows].map((row) => [row.id, row]));
  const rows = [...fresh.rows].map((next) => {
    const old = before.get(next.id);
    const stays =
      old && (next.dataset.version === old.dataset.version || old.querySelector("[data-editing]"));
    return stays ? old : next;
  });
  const focused = document.activeElement?.closest<HTMLTableCellElement>("td, th");
  const row = focused && body.contains(focused) ? focused.closest("tr") : undefined;
  for (const [index, next] of rows.entries()) {
    const now = body.rows[index];
    if (now !== next) body.insertBefore(next, now ?? null);
  }
  while (body.rows.length > rows.length) body.rows[rows.length]?.remove();
  if (!row || !focused || focused.isConnected) return;
  const now = document.getElementById(row.id)?.querySelectorAll<HTMLElement>("td, th")[focused.cellIndex];
  if (now) focusCell(now);
}

/** Give a cell focus without moving what is in view. */
export function focusCell(cell: HTMLElement): void {
  cell.tabIndex = -1;
  cell.focus({ preventScroll: true });
}
