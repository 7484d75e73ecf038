import { onRecolor } from "../charts/palette";
import { make, one, throttle } from "../lib/dom";
import { word } from "../lib/words";
import { LinePanel } from "../panels/line";
import type { Head } from "../panels/panel";
import type { RunInfo } from "../panels/runs";
import type { PanelSpec } from "../panels/spec";
import { ComparedRuns, CompareStage } from "./stage";

/** Charts before all are asked for: one row of them. */
const FIRST = matchMedia("(width < 48rem)").matches ? 1 : 3;

/** The lines that the runs compared have logged, one above the other, as they come. */
export class ComparisonCharts {
  private readonly panels: LinePanel[] = [];
  private readonly stage: CompareStage;
  private readonly section: HTMLElement;
  private readonly grid: HTMLElement;
  private readonly more: HTMLButtonElement;
  private readonly sizes = new ResizeObserver(() => this.refresh());
  private known: string[] = [];
  private drawn = 0;
  private areAll = false;

  /** @param keys - The metrics of the comparison as it stands, those that matter most first. */
  constructor(
    root: HTMLElement,
    private readonly runs: readonly RunInfo[],
    private readonly keys: () => string[],
  ) {
    this.section = one("[data-charts]", root);
    this.grid = one("[data-chart-grid]", this.section);
    this.more = one("[data-more-charts]", this.section);
    this.stage = new CompareStage(root.dataset, new ComparedRuns(runs), {
      changed: (source, changed) => this.tell((panel) => panel.took(source, changed)),
      failed: (source, failed) => this.tell((panel) => panel.failed(source, failed)),
    });
    this.stage.pointed = (from, axis, x) =>
      this.tell((panel) => {
        if (panel !== from) panel.pointed(axis, x);
      });
    this.more.addEventListener("click", () => {
      this.areAll = true;
      this.show();
    });
    onRecolor(() => this.refresh());
  }

  /** Ask which metrics have lines, and draw those that have none yet. */
  async read(): Promise<void> {
    const uids = this.runs.map(({ uid }) => uid);
    await this.stage.logged.read(uids, ({ kind, next }) => {
      for (const [uid, head] of Object.entries(next)) this.stage.feed.advance(kind, uid, head);
    });
    const logged = new Set(this.stage.keysOf());
    const found = this.keys().filter((key) => logged.has(key) && !this.known.includes(key));
    this.known = [...this.known, ...found];
    this.show();
    this.grow();
  }

  /** A run has rows below `head` now. */
  advance(uid: string, head: number): void {
    this.stage.feed.advance("history", uid, head);
  }

  /** Let the charts ask for what has come. */
  grow(): void {
    this.tell((panel) => panel.grew());
  }

  private show(): void {
    const most = this.areAll ? this.known.length : Math.min(FIRST, this.known.length);
    for (; this.drawn < most; this.drawn += 1) this.add(this.known[this.drawn] as string);
    this.section.hidden = this.drawn === 0;
    this.more.hidden = this.known.length <= this.drawn;
    this.more.textContent = word("allCharts", { n: this.known.length });
    this.refresh();
  }

  private add(key: string): void {
    const { card, body, head } = makeCard(key);
    this.grid.append(card);
    this.panels.push(new LinePanel(body, specOf(key), this.stage, head));
    this.sizes.observe(body);
  }

  private readonly refresh = throttle(() => this.tell((panel) => panel.refresh()), 100);

  private tell(act: (panel: LinePanel) => void): void {
    for (const panel of this.panels) {
      try {
        act(panel);
      } catch (error) {
        reportError(error); // the others are drawn
      }
    }
  }
}

function specOf(key: string): PanelSpec {
  return {
    id: `compare-${key}`,
    kind: "line",
    source: "history",
    section: "",
    rank: 0,
    title: key,
    keys: [key],
  };
}

function makeCard(key: string): { card: HTMLElement; body: HTMLElement; head: Head } {
  const card = make("article", "chart-card");
  const bar = make("header", "chart-head");
  const value = make("span", "chart-value num");
  const reset = make("button", "btn btn-sm chart-reset", word("zoomReset"));
  const body = make("div", "chart-body");
  let onReset: (() => void) | null = null;
  reset.type = "button";
  reset.hidden = true;
  reset.addEventListener("click", () => onReset?.());
  bar.append(make("h2", "chart-title truncate", key), value, reset);
  card.append(bar, body);
  const head: Head = {
    say: (text) => {
      value.textContent = text;
    },
    keep: () => undefined,
    zoomed: (act) => {
      onReset = act;
      reset.hidden = !act;
    },
  };
  return { card, body, head };
}
