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

/** Draw the lines that the runs compared have logged, one above the other: the first of `keys` that have any. */
export async function drawCharts(
  root: HTMLElement,
  runs: readonly RunInfo[],
  keys: readonly string[],
): Promise<void> {
  const panels: LinePanel[] = [];
  const stage = new CompareStage(root.dataset, new ComparedRuns(runs), {
    changed: (source, changed) => {
      for (const panel of panels) panel.took(source, changed);
    },
    failed: (source, failed) => {
      for (const panel of panels) panel.failed(source, failed);
    },
  });
  stage.pointed = (from, axis, x) => {
    for (const panel of panels) if (panel !== from) panel.pointed(axis, x);
  };
  await stage.logged.read(runs.map(({ uid }) => uid));
  const logged = new Set(stage.keysOf());
  const known = keys.filter((key) => logged.has(key));
  if (!known.length) return;
  const section = one<HTMLElement>("[data-charts]", root);
  const grid = one<HTMLElement>("[data-chart-grid]", section);
  const more = one<HTMLButtonElement>("[data-more-charts]", section);
  const refresh = throttle(() => {
    for (const panel of panels) panel.refresh();
  }, 100);
  const sizes = new ResizeObserver(refresh);
  const add = (shown: readonly string[]) => {
    for (const key of shown) {
      const { card, body, head } = makeCard(key);
      grid.append(card);
      panels.push(new LinePanel(body, specOf(key), stage, head));
      sizes.observe(body);
    }
    refresh();
  };
  section.hidden = false;
  add(known.slice(0, FIRST));
  more.hidden = known.length <= FIRST;
  more.textContent = word("allCharts", { n: known.length });
  more.addEventListener("click", () => {
    more.hidden = true;
    add(known.slice(FIRST));
  });
  onRecolor(refresh);
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
