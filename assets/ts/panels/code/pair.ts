import { make, makeIcon } from "../../lib/dom";
import { formatCount } from "../../lib/format";
import { word } from "../../lib/words";
import { highlightedLines } from "../../run/highlight";
import { type Block, folded, type Kind, type Row, rowsOf } from "./lines";

/** A version of a file, as the server sends it. */
export interface Text {
  /** Its place among all versions. */
  version: number;
  text: string;
  language: string;
  /** Whether the file goes on after the text. */
  is_cut: boolean;
}

const MARKS: Partial<Record<Kind, readonly [string, string]>> = {
  changed: ["−", "+"],
  removed: ["−", ""],
  added: ["", "+"],
};

/** One text, or two side by side with what differs marked; equal lines between are folded. */
export class Pair {
  readonly element = make("table", "code-pair");
  private readonly lines: Node[][];

  constructor(
    texts: readonly Text[],
    blocks: readonly Block[] | null,
    private readonly most: number,
  ) {
    this.lines = texts.map(({ text, language }) => highlightedLines(text, language));
    this.element.classList.toggle("is-single", texts.length < 2);
    const columns = make("colgroup");
    columns.append(...texts.flatMap(() => [make("col"), make("col")]));
    this.element.append(columns);
    const body = this.element.createTBody();
    for (const [at, block] of (blocks ?? [this.whole()]).entries()) {
      const rows = rowsOf(block);
      if (block.kind === "same") this.fold(body, rows, at === 0, at + 1 === blocks?.length);
      else body.append(...rows.map((row) => this.row(row)));
    }
  }

  /** Everything, where the two are not compared. */
  private whole() {
    const [before = [], after = []] = this.lines.map((lines) => [0, Math.min(lengthOf(lines), this.most)]);
    return { kind: "plain" as const, before, after };
  }

  private fold(body: HTMLElement, rows: Row[], isFirst: boolean, isLast: boolean): void {
    const isWhole = isFirst && isLast;
    const [begin, hidden, end] = isWhole ? [rows, [], []] : folded(rows, isFirst, isLast);
    body.append(...begin.map((row) => this.row(row)));
    if (hidden.length) body.append(this.unfolder(hidden));
    body.append(...end.map((row) => this.row(row)));
  }

  private unfolder(hidden: Row[]): HTMLElement {
    const row = make("tr", "code-fold");
    const cell = make("td");
    cell.colSpan = 4;
    const button = make("button", "", word("showEqualLines", { n: formatCount(hidden.length) }));
    button.type = "button";
    button.prepend(makeIcon("unfold-vertical"));
    button.addEventListener("click", () => {
      const rows = hidden.map((one) => this.row(one));
      row.replaceWith(...rows);
      const [first] = rows;
      if (!first) return;
      first.tabIndex = -1; // the button that had the focus is gone
      first.focus();
    });
    cell.append(button);
    row.append(cell);
    return row;
  }

  private row({ kind, before, after }: Row): HTMLTableRowElement {
    const row = make("tr");
    row.dataset.kind = kind;
    const [removed = "", added = ""] = MARKS[kind] ?? [];
    row.append(...this.side(0, before, removed));
    if (this.lines.length > 1) row.append(...this.side(1, after, added));
    return row;
  }

  private side(side: number, line: number | null, mark: string): HTMLElement[] {
    const number = make("td", "num", line === null ? "" : String(line + 1));
    const cell = make("td");
    if (line === null) cell.className = number.className = "is-none";
    else {
      const code = make("code");
      const text = this.lines[side]?.[line];
      if (text) code.append(text);
      if (mark) cell.append(make("span", "patch-mark", mark));
      cell.append(code);
    }
    return [number, cell];
  }
}

/** How many lines there are, without the empty one after the last line's end. */
function lengthOf(lines: readonly Node[]): number {
  return lines.at(-1)?.hasChildNodes() ? lines.length : lines.length - 1;
}
