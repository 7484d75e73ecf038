import { make } from "../lib/dom";
import { formatClock, formatExact } from "../lib/format";
import { word } from "../lib/words";
import { ansiToNodes } from "./ansi";
import type { Line, Lines } from "./lines";

/** Height of a line that is not wrapped, pixels; --log-line in assets/css/logs.css. */
const LINE_PX = 20;
/** Browsers stop at about 16 to 33 million pixels; longer logs scroll in scaled steps. */
const TALLEST_PX = 8_000_000;

/** A window on the lines: only what is in view is in the document, whatever the log's length. */
export class Viewer {
  follow = true;
  wrap = false;
  marked = -1;
  needle = "";
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

  /** Bring line `n` to the upper third of the window and mark it. */
  goTo(n: number): void {
    this.setFollow(false);
    this.marked = n;
    this.scrollTo(Math.max(0, n - Math.floor(this.perPage / 3)));
    this.render();
  }

  setFollow(follow: boolean): void {
    if (this.follow === follow) return;
    this.follow = follow;
    this.followChanged(follow);
    this.render();
  }

  /** The first line in view. */
  get top(): number {
    const range = this.height - this.box.clientHeight;
    return range <= 0 ? 0 : (Math.min(range, this.box.scrollTop) / range) * this.lastTop;
  }

  private get perPage(): number {
    return Math.max(1, this.box.clientHeight / LINE_PX);
  }

  private get lastTop(): number {
    return Math.max(0, this.lines.total - this.perPage + 1);
  }

  private get height(): number {
    return Math.min(TALLEST_PX, Math.max(this.box.clientHeight, (this.lines.total + 1) * LINE_PX));
  }

  private scrollTo(line: number): void {
    const range = this.height - this.box.clientHeight;
    this.spacer.style.height = `${this.height}px`;
    this.ownScroll = true;
    this.box.scrollTop = this.lastTop ? (line / this.lastTop) * range : 0;
  }

  private scrolled(): void {
    if (this.ownScroll) this.ownScroll = false;
    else this.setFollow(this.top >= this.lastTop - 1.5);
    this.render();
  }

  private draw(): void {
    this.spacer.style.height = `${this.height}px`;
    if (this.follow) this.scrollTo(this.lastTop);
    const first = Math.max(0, Math.floor(this.top));
    const last = Math.min(this.lines.total, first + Math.ceil(this.perPage) + 2);
    const rows: HTMLElement[] = [];
    for (let n = first; n < last; n += 1) rows.push(this.rowOf(n, this.lines.get(n)));
    this.rows.replaceChildren(...rows);
    this.rows.classList.toggle("is-wrapped", this.wrap);
    const atEnd =
      last >= this.lines.total && this.top >= this.lastTop - 0.5 && this.lines.total > this.perPage;
    const firstHeight = rows[0]?.offsetHeight ?? LINE_PX;
    const offset = atEnd
      ? this.box.scrollTop + this.box.clientHeight - this.rows.offsetHeight - LINE_PX / 2
      : this.box.scrollTop - (this.top - first) * firstHeight;
    this.rows.style.transform = `translateY(${Math.round(offset)}px)`;
  }

  private rowOf(n: number, line: Line | undefined): HTMLElement {
    const row = make("div", "log-row");
    row.dataset.line = String(n);
    if (n === this.marked) row.classList.add("is-marked");
    if (line?.level) row.dataset.level = line.level;
    const number = make("a", "log-number", String(n + 1));
    number.href = `#L${n + 1}`;
    const time = make("span", "log-time");
    if (line?.at) {
      const moment = new Date(/[Z+]/.test(line.at) ? line.at : `${line.at}Z`);
      time.textContent = formatClock(moment);
      time.title = formatExact(moment);
    }
    const text = make("span", "log-text");
    if (!line) text.className = "log-text skeleton";
    else if (line.text === null) text.append(make("span", "muted", word("lineMissing")));
    else text.append(...ansiToNodes(line.text));
    if (line && this.needle) mark(text, this.needle);
    row.append(number, time, text);
    return row;
  }
}

/** Wrap each hit of `needle` (lower case) in `<mark>`; hits across colours are not marked. */
function mark(element: HTMLElement, needle: string): void {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (let text of texts) {
    let at = text.data.toLowerCase().indexOf(needle);
    while (at >= 0) {
      const hit = text.splitText(at);
      const rest = hit.splitText(needle.length);
      const frame = make("mark");
      hit.replaceWith(frame);
      frame.append(hit);
      text = rest;
      at = text.data.toLowerCase().indexOf(needle);
    }
  }
}
