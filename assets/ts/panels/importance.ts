import { make, makeIcon } from "../lib/dom";
import { getJson } from "../lib/http";
import { word } from "../lib/words";
import { spansDecades } from "./axes";
import { shortColumn } from "./columns";
import { rows } from "./csv";
import { ImportanceList, type ImportanceReply } from "./importance-list";
import { failure, skeleton } from "./notes";
import { NOTHING_OFFERED } from "./offered";
import type { Head, MakePanel, Panel, Stage } from "./panel";
import { runCount } from "./run-count";
import { makeScatter } from "./scatter";
import type { PanelSpec } from "./spec";

/** An answer is new enough for so long, milliseconds: longer for one that took long. */
const FRESH_MS = 15_000;
const FRESH_BY_COST = 20;

/** How much each parameter tells of a metric, over all runs listed; a click shows the scatter of one. */
class ImportancePanel implements Panel {
  private readonly list: ImportanceList;
  private readonly metrics = make("select", "form-select form-select-sm");
  private metric: string;
  private reply: ImportanceReply | undefined;
  private asked = "";
  private freshUntil = 0;
  private isGone = false;
  private scatter: Panel | undefined;

  constructor(
    private readonly body: HTMLElement,
    private readonly spec: PanelSpec,
    private readonly stage: Stage,
    private readonly head: Head,
  ) {
    skeleton(body);
    [this.metric = ""] = spec.columns ?? [];
    this.metrics.setAttribute("aria-label", word("metric"));
    this.metrics.addEventListener("change", () => this.choose(this.metrics.value));
    this.list = new ImportanceList([this.metrics], (column) => void this.showScatter(column));
    void this.offer();
  }

  refresh(): void {
    if (this.scatter) this.scatter.refresh();
    else void this.read();
  }

  grew(): void {
    if (this.scatter) this.scatter.grew?.();
    else if (performance.now() > this.freshUntil) void this.read();
  }

  destroy(): void {
    this.isGone = true;
    this.scatter?.destroy();
    this.body.replaceChildren();
  }

  async csv(): Promise<string> {
    const names = ["column", "count", "values", "importance", "error", "spearman", "pearson"] as const;
    return rows([names, ...(this.reply?.keys ?? []).map((key) => names.map((name) => key[name]))]);
  }

  /** Fill the list of metrics; without one chosen begin with the first. */
  private async offer(): Promise<void> {
    const { metrics } = await this.stage.offered().catch(() => NOTHING_OFFERED);
    if (this.isGone) return;
    const names = metrics.includes(this.metric) || !this.metric ? metrics : [this.metric, ...metrics];
    this.metric ||= metrics[0] ?? "";
    const options = names.map((name) => new Option(shortColumn(name), name, false, name === this.metric));
    this.metrics.replaceChildren(...options);
    void this.read();
  }

  private choose(metric: string): void {
    this.metric = metric;
    this.head.keep({ columns: [metric] });
    void this.read();
  }

  private async read(): Promise<void> {
    if (!this.metric) return; // the list of metrics is on its way
    const query = new URLSearchParams({ ...this.stage.runs.query(), metric: this.metric }).toString();
    const began = performance.now();
    if (query === this.asked && began < this.freshUntil) return;
    this.asked = query;
    this.freshUntil = Number.POSITIVE_INFINITY;
    try {
      const reply = await getJson<ImportanceReply>(`${this.stage.urls.importance}?${query}`);
      if (this.isGone || query !== this.asked) return;
      const now = performance.now();
      this.freshUntil = now + Math.max(FRESH_MS, (now - began) * FRESH_BY_COST);
      this.show(reply);
    } catch {
      if (this.isGone || query !== this.asked) return;
      this.freshUntil = 0;
      if (!this.scatter) failure(this.body, () => this.refresh());
    }
  }

  private show(reply: ImportanceReply): void {
    this.reply = reply;
    this.head.say(runCount(reply.runs, reply.total));
    this.list.show(reply);
    if (this.scatter) return;
    if (this.list.element.parentElement !== this.body) this.body.replaceChildren(this.list.element);
    if (!reply.keys.length) this.list.say(word("noImportance", { n: reply.known }));
  }

  private async showScatter(column: string): Promise<void> {
    const table = await this.stage.table([column, this.metric]).catch(() => null);
    if (this.isGone) return;
    const found = table?.measured(column);
    const logX = found ? !found.names && spansDecades(found.values) : false;
    const back = make("button", "btn btn-sm");
    back.type = "button";
    back.append(makeIcon("arrow-left"), make("span", "", word("allKeys")));
    const tools = make("div", "panel-tools");
    tools.append(back, make("span", "truncate", shortColumn(column)));
    const plot = make("div", "panel-plot");
    this.body.replaceChildren(tools, plot);
    this.scatter = makeScatter(
      plot,
      { ...this.spec, kind: "scatter", columns: [column, this.metric], logX },
      this.stage,
      this.head,
    );
    this.scatter.refresh();
    back.addEventListener("click", () => this.showList());
    back.focus();
  }

  private showList(): void {
    this.scatter?.destroy();
    this.scatter = undefined;
    this.body.replaceChildren(this.list.element);
    if (this.reply) this.show(this.reply);
    this.list.focus();
    void this.read();
  }
}

export const makeImportance: MakePanel = (...given) => new ImportancePanel(...given);
