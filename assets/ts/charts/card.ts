import { make, makeIconButton } from "../lib/dom";
import { formatValue } from "../lib/format";
import { word } from "../lib/words";
import { Chart } from "./chart";
import type { Series } from "./series";
import type { Tip } from "./tip";
import type { View } from "./view";

const HEIGHT_PX = 200;

/** The frame of one chart: it keeps its size whether or not the chart is drawn. */
export class Card {
  readonly element = make("article", "chart-card");
  visible = false;
  private readonly value = make("span", "chart-value num");
  private readonly body = make("div", "chart-body");
  private chart: Chart | undefined;
  private series: Series | undefined;
  private latest = "";

  constructor(
    readonly key: string,
    readonly title: string,
    private readonly view: View,
    actions: { enlarge(card: Card): void; retry(card: Card): void },
  ) {
    const head = make("header", "chart-head");
    const name = make("h3", "chart-title", title);
    name.title = key;
    const enlarge = makeIconButton("maximize-2", word("enlarge", { key: title }));
    enlarge.addEventListener("click", () => actions.enlarge(this));
    head.append(name, this.value, enlarge);
    this.body.append(make("div", "skeleton chart-skeleton"));
    this.body.addEventListener("click", (event) => {
      if ((event.target as Element).closest("[data-retry]")) actions.retry(this);
    });
    this.element.append(head, this.body);
    this.element.dataset.key = key;
  }

  /** Draw, or add what is new; does nothing while out of view. */
  show(series: Series): void {
    this.series = series;
    const last = series.mean.at(-1);
    this.latest = last === undefined ? "" : formatValue(last);
    this.value.textContent = this.latest;
    if (!this.visible) return;
    if (this.chart) {
      this.chart.update(series);
      return;
    }
    this.body.replaceChildren();
    if (series.length === 0) {
      this.body.append(make("p", "chart-note", word("noPoints")));
      return;
    }
    this.chart = new Chart(this.body, series, {
      height: HEIGHT_PX,
      view: this.view,
      readout: (tip) => this.readout(tip),
    });
  }

  /** Say that the points could not be read. */
  fail(): void {
    if (this.chart) return;
    const retry = make("button", "btn btn-sm", word("tryAgain"));
    retry.type = "button";
    retry.dataset.retry = "";
    const note = make("div", "chart-note");
    note.append(make("p", "", word("loadFailed")), retry);
    this.body.replaceChildren(note);
  }

  /** Throw the drawing away, keep the frame: a thousand canvases are too many. */
  rest(): void {
    this.chart?.destroy();
    this.chart = undefined;
    this.body.replaceChildren();
  }

  /** Draw again from nothing, after a change of view. */
  redraw(): void {
    if (!this.chart || !this.series) return;
    this.rest();
    this.show(this.series);
  }

  recolor(): void {
    this.chart?.recolor();
  }

  resize(): void {
    this.chart?.resize();
  }

  private readout(tip: Tip | null): void {
    this.value.textContent = tip ? tip.value : this.latest;
    this.value.classList.toggle("is-hovered", tip !== null);
  }
}
