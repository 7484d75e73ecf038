import { make } from "../lib/dom";
import { entryOf } from "../lib/record";
import { word } from "../lib/words";
import { rows as csvRows } from "./csv";
import { TablesOfRuns } from "./media";
import { failure, noneDrawn, note, skeleton } from "./notes";
import type { MakePanel, Panel, Stage } from "./panel";
import type { PanelSpec } from "./spec";
import { type Chart, chartOf, specText } from "./vega/chart";
import { VegaFrame } from "./vega/frame";
import type { Row } from "./vega/messages";
import { rowsOf } from "./vega/rows";
import { filled, safeRows, untitled } from "./vega/template";

/** While runs log, tables are looked for anew at most this often, milliseconds. */
const AGAIN_MS = 10_000;

/** A chart of a Vega or Vega-Lite specification: one of `wandb.plot`, a stored one, or one's own (RUN-26). */
class Custom implements Panel {
  private readonly chart: Chart;
  private readonly tables: TablesOfRuns;
  private readonly frame: VegaFrame;
  private readonly error = make("p", "vega-error");
  private rows: Row[] = [];
  private shownFor = "";
  private theme: string | undefined;
  private readAt = 0;
  private isGone = false;

  constructor(
    private readonly body: HTMLElement,
    private readonly spec: PanelSpec,
    private readonly stage: Stage,
  ) {
    skeleton(body);
    this.chart = chartOf(spec.keys[0] ?? "", spec.chart);
    this.tables = new TablesOfRuns(stage, this.chart.source.key ?? "");
    this.error.setAttribute("role", "alert");
    this.frame = new VegaFrame(stage.urls.frame, spec.title, {
      drawn: () => this.say(""),
      failed: (text) => this.say(word("chartFailed", { text })),
    });
  }

  refresh(): void {
    const runs = this.stage.runs.drawn();
    const wanted = runs.map(({ uid, name, color }) => `${uid}:${name}:${color}`).join(" ");
    const { bsTheme } = document.documentElement.dataset;
    if (wanted === this.shownFor && bsTheme === this.theme) return; // the frame follows its size by itself
    this.shownFor = wanted;
    this.theme = bsTheme;
    void this.read();
  }

  grew(): void {
    if (performance.now() - this.readAt < AGAIN_MS) return;
    this.tables.lookAgain();
    void this.read();
  }

  destroy(): void {
    this.isGone = true;
    this.frame.destroy();
    this.body.replaceChildren();
  }

  file(format: "png" | "svg"): Promise<Blob> {
    return this.frame.picture(format);
  }

  async csv(): Promise<string> {
    const columns = [...new Set(this.rows.flatMap((row) => Object.keys(row)))].filter(
      (name) => name !== "color",
    );
    return csvRows([columns, ...this.rows.map((row) => columns.map((name) => entryOf(row, name)))]);
  }

  private async read(): Promise<void> {
    this.readAt = performance.now();
    try {
      const runs = this.stage.runs.drawn();
      const [text, rows] = await Promise.all([
        specText(this.chart, this.stage),
        rowsOf(this.stage, this.chart.source, this.tables, runs),
      ]);
      if (this.isGone) return;
      const isSame = this.frame.element.isConnected && JSON.stringify(rows) === JSON.stringify(this.rows);
      this.rows = rows;
      if (text === null) note(this.body, word("unknownChart", { name: this.chart.definition }));
      else if (!rows.length) note(this.body, runs.length ? word("noRows") : noneDrawn(this.stage.runs));
      else if (!isSame || this.theme !== this.drawnWith) this.draw(text);
    } catch {
      if (this.isGone) return;
      failure(this.body, () => {
        this.shownFor = "";
        this.refresh();
      });
    }
  }

  private drawnWith: string | undefined;

  private draw(text: string): void {
    this.drawnWith = this.theme;
    if (!this.frame.element.isConnected) this.body.replaceChildren(this.frame.element, this.error);
    const { fields, strings } = this.chart;
    try {
      const spec = untitled(filled(text, fields, strings), this.spec.title);
      this.frame.draw({ spec, ...safeRows(this.rows), label: this.spec.title });
    } catch (error) {
      this.say(word("chartFailed", { text: error instanceof Error ? error.message : String(error) }));
    }
  }

  private say(text: string): void {
    this.error.textContent = text;
    this.body.classList.toggle("has-error", text !== "");
  }
}

export const makeCustom: MakePanel = (...given) => new Custom(given[0], given[1], given[2]);
