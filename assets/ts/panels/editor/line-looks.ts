import { COLORS, type Color, DASHES, paint } from "../../charts/palette";
import { make, makeIcon } from "../../lib/dom";
import { word } from "../../lib/words";
import type { NamedLine } from "../panel";
import type { LineStyle } from "../spec";
import { amount, choice, text } from "./fields";
import type { Changes, SpecField } from "./form";

/** Lines that are listed; what is beyond is styled by its key. */
const MOST_LISTED = 30;

/** How single lines look: a row for each key and each line, which opens to its title, color and stroke. */
export class LineLooks implements SpecField {
  readonly element = make("fieldset", "panel-looks is-wide");
  private readonly rows = make("div", "panel-look-rows");
  private readonly styles: Map<string, LineStyle>;
  private listed = "";

  constructor(styles: Record<string, LineStyle>) {
    this.styles = new Map(Object.entries(styles));
    this.element.append(make("legend", "", word("lineStyles")), this.rows);
    this.showLines([]);
  }

  read(): Changes {
    const kept = [...this.styles].filter(([, style]) => Object.keys(style).length);
    return { lineStyles: kept.length ? Object.fromEntries(kept) : undefined };
  }

  /** List these lines; rows that are open stay so while the same lines are listed. */
  showLines(lines: readonly NamedLine[]): void {
    const keys = [...new Set(lines.map(({ key }) => key))];
    const ofKeys = keys.length > 1 && lines.length > keys.length ? keys : [];
    const names = JSON.stringify([ofKeys, lines.map(({ id }) => id)]);
    if (names === this.listed) return;
    this.listed = names;
    const shown = lines.slice(0, MOST_LISTED);
    this.rows.replaceChildren(
      ...ofKeys.map((key) => this.row(key, word("allLinesOf", { key }))),
      ...shown.map((line) => this.row(line.id, line.label, line)),
    );
    const left = lines.length - shown.length;
    if (!lines.length) this.rows.append(make("p", "muted", word("noLinesYet")));
    if (left) this.rows.append(make("p", "muted", word("more", { n: left })));
  }

  private row(id: string, label: string, line?: NamedLine): HTMLElement {
    const row = make("details", "panel-look");
    const summary = make("summary");
    const swatch = make("i", "chart-tip-swatch");
    const name = make("span", "truncate");
    summary.append(swatch, name, makeIcon("chevron-right"));
    const given = this.styles.get(id) ?? {};
    const title = text(word("title"), given.title ?? "", label);
    const dashes = DASHES.map((_, at) => [String(at), word(`dash_${at}`)] as const);
    const dash = choice(word("lineStyle"), [["", word("automatic")], ...dashes], String(given.dash ?? ""));
    const width = amount(word("lineWidth"), given.width);
    Object.assign(width.element.querySelector("input") ?? {}, { min: "0.5", max: "8", step: "0.5" });
    const color = colorField(id, given.color);
    const fields = make("div", "panel-look-fields");
    fields.append(title.element, color.element, dash.element, width.element);
    const show = () => {
      const style = this.styles.get(id) ?? {};
      name.textContent = style.title || label;
      const shown = style.color ?? line?.color;
      summary.classList.toggle("is-plain", shown === undefined);
      if (shown !== undefined) paint(summary, shown);
      if (style.dash !== undefined) summary.classList.toggle("is-dashed", style.dash > 0);
      row.classList.toggle("is-changed", Object.keys(style).length > 0);
    };
    const keep = () => {
      const stroke = dash.read();
      const style = {
        title: title.read(),
        color: color.read(),
        dash: stroke === "" ? undefined : Number(stroke),
        width: width.read() ?? undefined,
      };
      this.styles.set(id, withoutEmpty(style));
      show();
    };
    fields.addEventListener("input", keep);
    fields.addEventListener("change", keep);
    row.append(summary, fields);
    show();
    return row;
  }
}

function withoutEmpty(style: { [K in keyof LineStyle]: LineStyle[K] | undefined }): LineStyle {
  return Object.fromEntries(Object.entries(style).filter(([, value]) => value !== undefined && value !== ""));
}

/** The palette as a row of swatches, after one for the color that is found by itself. */
function colorField(id: string, value: Color | undefined) {
  const element = make("fieldset", "panel-colors");
  element.append(make("legend", "", word("colorBy")));
  for (const color of [undefined, ...Array.from({ length: COLORS }, (_, at) => at)]) {
    const name = color === undefined ? word("automatic") : word("colorNumber", { n: color + 1 });
    const box = make("label", color === undefined ? "panel-color is-auto" : `panel-color run-color-${color}`);
    const input = make("input");
    input.type = "radio";
    input.name = `color of ${id}`;
    input.value = String(color ?? "");
    input.checked = color === value;
    input.setAttribute("aria-label", name);
    box.title = name;
    box.append(input, make("i"));
    element.append(box);
  }
  return {
    element,
    read: () => {
      const chosen = element.querySelector<HTMLInputElement>("input:checked")?.value ?? "";
      return chosen === "" ? undefined : Number(chosen);
    },
  };
}
