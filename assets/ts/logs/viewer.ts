import { make } from "../lib/dom";
import { formatClock, formatCount, formatExact } from "../lib/format";
import { word } from "../lib/words";
import { ansiToNodes } from "./ansi";
import type { Line, Lines } from "./lines";
import type { Needle } from "./needle";
import { Rows } from "./rows";
import { LINE_PX, ScrollRange } from "./scroll-range";

/** A window on the lines: only what is in view is in the document, whatever the log's length. */
export class Viewer {
  follow = true;
  wrap = false;
  raw = false;
  /** First and last line that are marked; -1 none. */
  marked: [number, number] = [-1, -1];
  /** What is marked in lines as found; null nothing. */
  needle: Needle | null = null;
  shown = new Rows();
  private readonly spacer = make("div", "log-spacer");
  private readonly rows = make("div", "log-rows");
  private queued = false;
  private ownScroll = false;

  constructor(
    private readonly box: HTMLElement,
    private readonly lines: Lines,
    private readonly followChanged: (follow: boolean) => void,
  ) {
    this.spacer.append(this.rows);
    box.append(this.spacer);
    box.addEventListener("scroll", () => this.scrolled(), { passive: true });
    new ResizeObserver(() => this.render()).observe(box);
  }

  /** Draw at the next frame. */
  render(): void {
    if (this.queued) return;
    this.queued = true;
    requestAnimationFrame(() => {
      this.queued = false;
      this.draw();
    });
  }

  /** Bring line `n` to the upper third of the window and mark it, or the lines to `last`. */
  goTo(n: number, last = n): void {
    this.setFollow(false);
    this.marked = [n, last];
    const position = this.shown.positionOf(n);
    this.scrollTo(Math.max(0, position - Math.floor(this.range.perPage / 3)));
    this.render();
  }

  /** Show other lines, keeping the first one in view where it is. */
  show(rows: Rows): void {
    const line = this.shown.lineAt(Math.floor(this.top));
    this.shown = rows;
    if (!this.follow) this.scrollTo(rows.positionOf(line));
    this.render();
  }

  setFollow(follow: boolean): void {
    if (this.follow === follow) return;
    this.follow = follow;
    this.followChanged(follow);
    this.render();
  }

  /** The first line in view. */
  get topLine(): number {
    return this.shown.lineAt(Math.floor(this.top));
  }

  private get count(): number {
    return this.shown.size(this.lines.total);
  }

  private get range(): ScrollRange {
    return new ScrollRange(this.count, this.box.clientHeight);
  }

  /** The first position in view. */
  private get top(): number {
    return this.range.topAt(this.box.scrollTop);
  }

  private scrollTo(position: number): void {
    const { range } = this;
    this.spacer.style.height = `${range.height}px`;
    this.ownScroll = true;
    this.box.scrollTop = range.scrolledTo(position);
  }

  private scrolled(): void {
    if (this.ownScroll) this.ownScroll = false;
    else this.setFollow(this.top >= this.range.lastTop - 1.5);
    this.render();
  }

  private draw(): void {
    this.spacer.style.height = `${this.range.height}px`;
    if (this.follow) this.scrollTo(this.range.lastTop);
    const first = Math.max(0, Math.floor(this.top));
    const last = Math.min(this.count, first + Math.ceil(this.range.perPage) + 2);
    const rows: HTMLElement[] = [];
    for (let position = first; position < last; position += 1) {
      const n = this.shown.lineAt(position);
      rows.push(this.rowOf(n, this.lines.get(n)));
    }
    this.rows.replaceChildren(...rows);
    this.rows.classList.toggle("is-wrapped", this.wrap);
    const { lastTop, perPage } = this.range; // rows that are wide have brought a scroll bar
    const atEnd = last >= this.count && this.top >= lastTop - 0.5 && this.count > perPage;
    const firstHeight = rows[0]?.offsetHeight ?? LINE_PX;
    const offset = atEnd
      ? this.box.scrollTop + this.box.clientHeight - this.rows.offsetHeight - LINE_PX / 2
      : this.box.scrollTop - (this.top - first) * firstHeight;
    this.rows.style.transform = `translateY(${Math.round(offset)}px)`;
  }

  private rowOf(n: number, line: Line | undefined): HTMLElement {
    const row = make("div", "log-row");
    row.dataset.line = String(n);
    if (n >= this.marked[0] && n <= this.marked[1]) row.classList.add("is-marked");
    if (line?.level) row.dataset.level = line.level;
    const number = make("a", "log-number", String(n + 1));
    number.href = `#L${n + 1}`;
    const time = make("span", "log-time");
    if (line?.at) {
      const moment = momentOf(line.at);
      time.textContent = formatClock(moment);
      time.title = formatExact(moment);
    }
    const text = make("span", "log-text");
    if (!line) text.className = "log-text skeleton";
    else if (line.text === null) text.append(make("span", "muted", gapText(line)));
    else text.append(...ansiToNodes(line.text, this.raw));
    if (line && this.needle) mark(text, this.needle);
    row.append(number, time, text);
    return row;
  }
}

/** A time of a line, which is UTC where it says nothing else. */
export function momentOf(at: string): Date {
  return new Date(/[Z+]/.test(at) ? at : `${at}Z`);
}

export function gapText({ n, gap: [first, last] = [n, n] }: Line): string {
  const values = { first: formatCount(first + 1), last: formatCount(last + 1) };
  return word(first === last ? "lineMissing" : "linesMissing", values);
}

/** Wrap each hit of `needle` in `<mark>`; hits across colours are not marked. */
function mark(element: HTMLElement, needle: Needle): void {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) {
    const hits = needle(text.data).filter(([, length]) => length > 0);
    for (const [from, length] of hits.reverse()) {
      const found = text.splitText(from);
      found.splitText(length);
      const frame = make("mark");
      found.replaceWith(frame);
      frame.append(found);
    }
  }
}
