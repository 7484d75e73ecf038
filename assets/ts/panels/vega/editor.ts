import { toast } from "../../lib/announce";
import { make, throttle } from "../../lib/dom";
import { entryOf } from "../../lib/record";
import { word } from "../../lib/words";
import { choice, type Field, text } from "../editor/fields";
import { several } from "../editor/picker";
import { TablesOfRuns } from "../media";
import type { Stage } from "../panel";
import type { PanelSpec } from "../spec";
import { type Chart, type ChartSource, chartOf, forgetStored, keptOf, specText, storedCharts } from "./chart";
import { VegaFrame } from "./frame";
import { guess } from "./guess";
import type { Row } from "./messages";
import { PRESETS, presetText } from "./presets";
import { rowsOf } from "./rows";
import { filled, holesOf, safeRows } from "./template";

/** A preview is drawn at most this often while somebody types, milliseconds. */
const PAUSE_MS = 400;
const PREVIEW_ROWS = 5000;

/** What the panel editor shows for a custom chart: its specification, its data, and a preview beside them. */
export class ChartEditor implements Field<Record<string, unknown>> {
  readonly element = make("div", "chart-editor is-wide");
  private readonly options = make("div", "chart-editor-fields");
  private readonly holes = make("div", "chart-editor-fields");
  private readonly spec = make("textarea", "form-control chart-editor-spec");
  private readonly error = make("p", "vega-error");
  private readonly preview = make("div", "chart-editor-preview");
  private readonly frame: VegaFrame;
  private tables: TablesOfRuns;
  private chart: Chart;
  private rows: Row[] = [];
  private specOf = "";
  private readonly drawSoon = throttle(() => this.draw(), PAUSE_MS);

  constructor(
    given: PanelSpec,
    private readonly stage: Stage,
    private readonly history: readonly string[],
  ) {
    const blank: Chart = {
      ...{ definition: "wandb/scatter/v0", spec: "", fields: {}, strings: {} },
      source: { kind: "runs" },
    };
    this.chart = given.chart ? chartOf(given.keys[0] ?? "", given.chart) : blank;
    this.tables = new TablesOfRuns(stage, this.chart.source.key ?? "");
    this.frame = new VegaFrame(stage.urls.frame, word("preview"), {
      drawn: () => this.say(""),
      failed: (reason) => this.say(word("chartFailed", { text: reason })),
    });
    this.build();
    void this.fill();
  }

  /** What the panel is to keep; a specification that is the definition's own is not kept twice. */
  read(): Record<string, unknown> {
    const isOwn = this.spec.value.trim() !== this.specOf.trim();
    const { definition } = this.chart;
    return keptOf({ ...this.chart, spec: isOwn || !definition ? this.spec.value : "" });
  }

  destroy(): void {
    this.frame.destroy();
  }

  private build(): void {
    const label = make("label", "chart-editor-label", word("specText"));
    this.spec.id = "chart-editor-spec";
    this.spec.spellcheck = false;
    this.spec.wrap = "off";
    this.spec.rows = 14;
    label.htmlFor = this.spec.id;
    const help = make("p", "muted chart-editor-help", word("specHelp"));
    help.id = "chart-editor-help";
    this.spec.setAttribute("aria-describedby", help.id);
    this.spec.addEventListener("input", () => {
      this.showHoles();
      this.drawSoon();
    });
    this.spec.addEventListener("keydown", (event) => event.key === "Enter" && event.stopPropagation());
    this.error.setAttribute("role", "alert");
    this.preview.append(this.frame.element, this.error);
    const left = make("div", "chart-editor-side");
    left.append(this.options, this.holes, label, this.spec, help, ...this.saving());
    this.element.append(left, this.preview);
  }

  private async fill(): Promise<void> {
    this.chart.source = this.chart.source.kind === "table" ? this.chart.source : { ...this.chart.source };
    this.specOf = (await specText({ ...this.chart, spec: "" }, this.stage)) ?? "";
    this.spec.value = this.chart.spec || this.specOf;
    await this.showOptions();
    await this.readRows();
  }

  private async showOptions(): Promise<void> {
    const { urls } = this.stage;
    const stored = await storedCharts(urls.charts, urls.entity).catch(() => []);
    const presets = PRESETS.map((name) => [name, word(`preset_${name.split("/")[1]}`)] as const);
    const own = stored.map(
      ({ entity, name, display_name }) => [`${entity}/${name}`, display_name || name] as const,
    );
    const chart = choice(
      word("chartKind"),
      [["", word("ownSpec")], ...presets, ...own],
      this.chart.spec ? "" : this.chart.definition,
    );
    chart.element.addEventListener("change", () => void this.choose(chart.read()));
    const data = this.dataChoice();
    this.options.replaceChildren(chart.element, data.element);
    if (this.chart.source.kind === "history") this.options.append(this.historyKeys());
  }

  private async choose(definition: string): Promise<void> {
    this.chart = { ...this.chart, definition, spec: "" };
    if (definition) {
      this.specOf = (await specText(this.chart, this.stage)) ?? "";
      this.spec.value = this.specOf;
    } else {
      this.specOf = "";
      this.spec.value ||= presetText("wandb/scatter/v0") ?? "";
    }
    this.showHoles();
    this.draw();
  }

  private dataChoice(): Field<string> {
    const { source } = this.chart;
    const now = source.kind === "table" ? `table:${source.key}` : source.kind;
    const keys = [...new Set([...this.stage.keysFor("table"), ...(source.key ? [source.key] : [])])];
    const data = choice(
      word("dataOf"),
      [
        ["runs", word("dataRuns")],
        ["history", word("dataHistory")],
        ...keys.map((key) => [`table:${key}`, word("dataTable", { key })] as const),
      ],
      now,
    );
    data.element.addEventListener("change", () => {
      const chosen = data.read();
      const source: ChartSource = chosen.startsWith("table:")
        ? { kind: "table", key: chosen.slice(6) }
        : { kind: chosen as "runs", keys: [...this.history.slice(0, 1)] };
      this.chart = { ...this.chart, source };
      this.tables = new TablesOfRuns(this.stage, source.key ?? "");
      void this.showOptions();
      void this.readRows();
    });
    return data;
  }

  private historyKeys(): HTMLElement {
    const keys = several(word("keys"), this.history, this.chart.source.keys ?? []);
    const follow = () => {
      this.chart.source = { kind: "history", keys: keys.read() };
      void this.readRows();
    };
    for (const name of ["change", "click"]) keys.element.addEventListener(name, follow);
    return keys.element;
  }

  private async readRows(): Promise<void> {
    const runs = this.stage.runs.drawn();
    this.rows = await rowsOf(this.stage, this.chart.source, this.tables, runs).catch(() => []);
    this.showHoles();
    this.draw();
  }

  private get columns(): string[] {
    const names = new Set<string>();
    for (const row of this.rows.slice(0, 200)) for (const name of Object.keys(row)) names.add(name);
    return [...names];
  }

  /** Offer a column for each `${field:x}`, a text for each `${string:x}`. */
  private showHoles(): void {
    const { fields, strings } = holesOf(this.spec.value);
    const { columns, chart } = this;
    const chosen = fields.map((name) => {
      const take = (column: string) => {
        chart.fields = { ...chart.fields, [name]: column };
      };
      if (!entryOf(chart.fields, name)) take(guess(name, columns, this.rows[0], Object.values(chart.fields)));
      const field = choice(
        name,
        [["", "–"], ...columns.map((one) => [one, one] as const)],
        entryOf(chart.fields, name) ?? "",
      );
      field.element.addEventListener("change", () => {
        take(field.read());
        this.draw();
      });
      return field.element;
    });
    const written = strings.map((name) => {
      const field = text(name, entryOf(chart.strings, name) ?? "");
      field.element.addEventListener("input", () => {
        chart.strings = { ...chart.strings, [name]: field.read() };
        this.drawSoon();
      });
      return field.element;
    });
    const isTyping = this.holes.contains(document.activeElement);
    if (!isTyping) this.holes.replaceChildren(...chosen, ...written);
  }

  private draw(): void {
    if (!this.element.isConnected) return;
    try {
      const spec = filled(this.spec.value, this.chart.fields, this.chart.strings);
      this.frame.draw({ spec, ...safeRows(this.rows.slice(0, PREVIEW_ROWS)), label: word("preview") });
    } catch (error) {
      this.say(word("chartFailed", { text: error instanceof Error ? error.message : String(error) }));
    }
  }

  private say(reason: string): void {
    this.error.textContent = reason;
    this.preview.classList.toggle("has-error", reason !== "");
  }

  /** A name under which the team's panels and scripts find the specification. */
  private saving(): HTMLElement[] {
    if (!("canSaveChart" in (document.querySelector<HTMLElement>("[data-workspace]")?.dataset ?? {})))
      return [];
    const name = text(word("chartName"), "");
    const save = make("button", "btn btn-sm", word("saveChart"));
    save.type = "button";
    save.addEventListener("click", () => void this.save(name.read()));
    const row = make("div", "chart-editor-save");
    row.append(name.element, save);
    return [row];
  }

  private async save(name: string): Promise<void> {
    const { charts, entity } = this.stage.urls;
    if (!name) return;
    const headers = { "Content-Type": "application/json", "X-CSRFToken": document.body.dataset.csrf ?? "" };
    const url = `${charts}${encodeURIComponent(entity)}/${encodeURIComponent(name)}`;
    const body = JSON.stringify({ spec: this.spec.value });
    const reply = await fetch(url, { method: "PUT", headers, body }).catch(() => null);
    if (!reply?.ok) {
      const told = (await reply?.json().catch(() => null)) as { error?: { message?: string } } | null;
      this.say(told?.error?.message ?? word("viewFailed"));
      return;
    }
    forgetStored();
    this.chart = { ...this.chart, definition: `${entity}/${name}`, spec: "" };
    this.specOf = this.spec.value;
    toast(word("chartSaved", { name: `${entity}/${name}` }));
    await this.showOptions();
  }
}
