import { paint } from "../charts/palette";
import type { ValuesReply } from "../charts/wire";
import { make } from "../lib/dom";
import { formatValue } from "../lib/format";
import { runUrl } from "../lib/runs";
import { word } from "../lib/words";
import { goalOf, numberOf } from "./columns";
import { rows } from "./csv";
import { note } from "./notes";
import type { MakePanel } from "./panel";
import type { RunInfo } from "./runs";
import { aggregated, baseOf, deltaOf, type Entry, newestOf } from "./scalar-values";
import type { Aggregate } from "./spec";
import { ValuesPanel } from "./values-panel";

/** Runs that are listed below the number; more say only how far apart they are. */
const MOST_LISTED = 8;

/** One large number: a column's value in the runs drawn, how far apart they are, and each run's own. */
class Scalar extends ValuesPanel {
  private entries: Entry[] = [];

  protected override columns(): string[] {
    return [this.column];
  }

  protected override show(runs: RunInfo[], values: ValuesReply["runs"]): void {
    this.entries = runs
      .map((run) => ({ run, value: numberOf(values, run.uid, this.column) }))
      .filter(({ value }) => Number.isFinite(value));
    if (!this.column || !this.entries.length) {
      note(this.body, word(this.column ? "noPoints" : "chooseColumn"));
      return;
    }
    const { aggregate = "last" } = this.spec;
    const numbers = this.entries.map(({ value }) => value);
    const total = aggregate === "last" ? this.newest.value : aggregated(aggregate, numbers);
    const box = make("div", "panel-scalar");
    const large = make("p", "panel-scalar-value num", formatValue(total));
    const about = make("p", "panel-scalar-about muted num", this.aboutText(aggregate, numbers));
    box.append(large, about);
    const delta = this.deltaOf(total);
    if (delta) about.append(" ", delta);
    if (this.entries.length > 1 && this.entries.length <= MOST_LISTED) box.append(this.list());
    box.tabIndex = 0; // it scrolls
    this.body.replaceChildren(box);
  }

  override async csv(): Promise<string> {
    return rows([["run", this.column], ...this.entries.map(({ run, value }) => [run.name, value])]);
  }

  private get column(): string {
    return this.spec.columns?.[0] ?? "";
  }

  private aboutText(aggregate: Aggregate, numbers: readonly number[]): string {
    const { run } = this.newest;
    if (numbers.length === 1) return run.name;
    const name = aggregate === "last" ? run.name : word(`aggregate_${aggregate}`);
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    const spread = word("spread", { low: formatValue(low), high: formatValue(high), n: numbers.length });
    return `${name} · ${spread}`;
  }

  private get base(): Entry | undefined {
    return baseOf(this.entries, this.spec.baseline);
  }

  private get newest(): Entry {
    return newestOf(this.entries, this.base);
  }

  /** How far the number is from the baseline's; its color says which way is better, where scripts told. */
  private deltaOf(value: number): HTMLElement | null {
    const { base } = this;
    if (!base) return null;
    const { text, isBetter } = deltaOf(value, base.value, goalOf(this.stage, this.column));
    const verdict = isBetter === undefined ? "" : isBetter ? " is-better" : " is-worse";
    const element = make("span", `panel-scalar-delta${verdict}`, text);
    element.title = word("comparedWith", { name: base.run.name });
    return element;
  }

  private list(): HTMLElement {
    const table = make("table", "data-table panel-scalar-runs");
    const body = table.createTBody();
    for (const { run, value } of this.entries) {
      const line = body.insertRow();
      paint(line, run.color);
      const name = make("th");
      name.scope = "row";
      const link = make("a", "truncate", run.name);
      link.href = runUrl(this.stage.urls.run, run.uid);
      name.append(make("i", "run-swatch"), link);
      line.append(name, make("td", "num end", formatValue(value)));
    }
    return table;
  }
}

export const makeScalar: MakePanel = (...given) => new Scalar(...given);
