import { onRecolor } from "../charts/palette";
import { make, one, throttle } from "../lib/dom";
import { word } from "../lib/words";
import { makeImportance } from "../panels/importance";
import { Narrowing } from "../panels/narrowing";
import type { Head, Panel } from "../panels/panel";
import { makeParallel } from "../panels/parallel";
import type { PanelKind, PanelSpec } from "../panels/spec";
import { History } from "./history";
import { SweepStage } from "./stage";

/** What the page says of its charts. */
interface Start {
  filter: string;
  /** `summary.loss`, empty without a metric. */
  metric: string;
  /** minimize or maximize. */
  goal: string;
  /** Columns of the axes of parallel coordinates. */
  axes: string[];
}

/** Draw the charts of a sweep's page. Returns what lets them ask for new values. */
export function drawCharts(root: HTMLElement, kept: (uids: string[] | null) => void): () => void {
  const start = JSON.parse(one("#sweep-charts").textContent ?? "{}") as Start;
  const panels: Panel[] = [];
  const narrowing = new Narrowing(() => {
    history?.refresh();
    kept(narrowing.kept);
  });
  const stage = new SweepStage(root.dataset, start.filter, narrowing);
  let history: Panel | undefined;

  for (const card of root.querySelectorAll<HTMLElement>("[data-chart]")) {
    const body = one<HTMLElement>(".chart-body", card);
    const head = headOf(card);
    const kind = card.dataset.chart ?? "";
    if (kind === "history") {
      const legend = (states: ReadonlySet<string>, hasMissing: boolean) =>
        showLegend(card, states, hasMissing);
      history = new History(body, specOf("scatter", [start.metric]), stage, head, start.goal, legend);
      panels.push(history);
    } else if (kind === "parallel") {
      panels.push(makeParallel(body, specOf("parallel", start.axes), stage, head));
    } else {
      panels.push(makeImportance(body, specOf("importance", [start.metric]), stage, head));
    }
  }
  const refresh = throttle(() => {
    for (const panel of panels) panel.refresh();
  }, 100);
  const sizes = new ResizeObserver(refresh);
  for (const body of root.querySelectorAll("[data-chart] > .chart-body")) sizes.observe(body);
  onRecolor(refresh);
  return growNowAndLater(() => {
    for (const panel of panels) panel.grew?.();
  });
}

/** Panels show what they have read a moment ago for so long: after that they are asked again, milliseconds. */
const AGAIN_MS = [5_000, 17_000];

function growNowAndLater(grow: () => void): () => void {
  const timers: (number | undefined)[] = [];
  return () => {
    grow();
    for (const [at, pause] of AGAIN_MS.entries()) {
      timers[at] ??= window.setTimeout(() => {
        timers[at] = undefined;
        grow();
      }, pause);
    }
  };
}

function specOf(kind: PanelKind, columns: string[]): PanelSpec {
  return {
    id: `sweep-${kind}`,
    kind,
    source: "history",
    section: "",
    rank: 0,
    title: "",
    keys: [],
    columns: columns.filter(Boolean),
  };
}

function headOf(card: HTMLElement): Head {
  const place = one<HTMLElement>("[data-say]", card);
  return {
    say: (text) => {
      place.textContent = text;
    },
    keep: () => undefined,
    zoomed: () => undefined,
  };
}

const ORDER = ["finished", "running", "pending", "killed", "failed", "crashed"];

/** List the marks of the states that there are. */
function showLegend(card: HTMLElement, states: ReadonlySet<string>, hasMissing: boolean): void {
  const line = make("li");
  line.append(make("i", "sweep-mark sweep-mark-best"), make("span", "", word("sweepBest")));
  const marks = ORDER.filter((state) => states.has(state)).map((state) => {
    const item = make("li");
    item.append(make("i", `sweep-mark sweep-mark-${state}`), make("span", "", word(`state_${state}`)));
    return item;
  });
  const missing = hasMissing ? [make("li", "muted", `↓ ${word("sweepWithout")}`)] : [];
  one<HTMLElement>("[data-legend]", card).replaceChildren(line, ...marks, ...missing);
}
