import { make, one } from "../lib/dom";
import { formatCount } from "../lib/format";
import { sayOutputs } from "../lib/outputs";
import { word } from "../lib/words";
import { performBulkAction } from "./bulk-actions";
import type { Catalogue } from "./catalogue";
import { Combobox } from "./combobox";
import { plainText } from "./filter/tree";
import { openAt, walkMenu } from "./popup";
import { projects } from "./projects";
import type { Selection } from "./selection";
import type { RunsTable } from "./table";

/** Acts that first ask for a text. */
const WITH_VALUE = new Set(["tag", "untag", "rename", "note", "group", "move", "redact"]);
/** Of those, the ones whose text has several lines. */
const WITH_LINES = new Set(["note", "redact"]);
/** Acts that first say what will happen. */
const WITH_QUESTION = new Set(["delete", "stop"]);
/** `runs:compare` is of use up to here. */
const MOST_COMPARED = 20;

/** The bar that appears with a selection, and its dialogs. */
export function enableBulk(table: RunsTable, selection: Selection, catalogue: Catalogue): void {
  const bar = one<HTMLElement>("[data-bulk]", table.root);
  const count = one<HTMLElement>("[data-bulk-count]", bar);
  const all = one<HTMLButtonElement>("[data-bulk-all]", bar);
  const compare = one<HTMLAnchorElement>("[data-bulk-compare]", bar);
  const csv = one<HTMLAnchorElement>("[data-bulk-csv]", bar);
  const more = one<HTMLElement>("#bulk-more");
  const opener = one<HTMLButtonElement>("[data-bulk-more]", bar);

  const draw = () => {
    const { size, uids } = selection;
    bar.hidden = size === 0;
    if (!size) return;
    count.textContent = word(size === 1 ? "chosenOne" : "chosen", { count: formatCount(size) });
    all.textContent = word("chooseAll", { count: formatCount(table.total) });
    all.hidden = size >= table.total;
    compare.hidden = uids.length < 2 || uids.length > MOST_COMPARED;
    compare.href = `${table.root.dataset.compareUrl}?${new URLSearchParams(uids.map((uid) => ["runs", uid]))}`;
    csv.href = exportUrl(table, selection);
    one<HTMLElement>("[data-act=rename]", more).hidden = size !== 1;
  };
  selection.addEventListener("changed", draw);
  table.addEventListener("drawn", draw);
  all.addEventListener("click", () => selection.selectAll());
  one("[data-bulk-clear]", bar).addEventListener("click", () => selection.clear());
  walkMenu(more);
  opener.addEventListener("click", () => openAt(more, opener));
  const ask = new Questions(table, selection, catalogue);
  for (const place of [bar, more]) {
    place.addEventListener("click", (event) => {
      const act = (event.target as Element).closest<HTMLElement>("[data-act]")?.dataset.act;
      if (!act) return;
      if (more.matches(":popover-open")) more.hidePopover();
      ask.run(act);
    });
  }
}

/** Where the chosen runs come as CSV, with the columns shown. */
export function exportUrl(table: RunsTable, selection?: Selection): string {
  const query = table.query();
  query.delete("group");
  if (selection) query.set("filter", selection.toFilter());
  for (const column of ["name", ...table.shown]) query.append("columns", column);
  return `${table.root.dataset.exportUrl}?${query}`;
}

/** A project that somebody typed with its entity; without one it is that of the table at `url`. */
export function projectPath(typed: string, url: string): string {
  return typed.includes("/") ? typed : `${url.split("/")[1]}/${typed}`;
}

class Questions {
  private readonly asking = one<HTMLDialogElement>("#ask-value");
  private readonly sure = one<HTMLDialogElement>("#ask-sure");
  private readonly withArtifacts = one<HTMLInputElement>("[data-artifacts] input", this.sure);
  private readonly input = one<HTMLInputElement>("input[type=text]", this.asking);
  private readonly area = one<HTMLTextAreaElement>("textarea", this.asking);
  private act = "";

  constructor(
    private readonly table: RunsTable,
    private readonly selection: Selection,
    private readonly catalogue: Catalogue,
  ) {
    new Combobox(this.input, {
      options: () => this.known(),
      choose: ({ value }) => {
        this.input.value = value;
      },
      enter: () => one<HTMLFormElement>("form", this.asking).requestSubmit(),
    });
    for (const dialog of [this.asking, this.sure]) {
      one("form", dialog).addEventListener("submit", (event) => {
        event.preventDefault();
        dialog.close();
        void this.send(this.act, dialog === this.asking ? this.value() : this.chosenToo());
      });
    }
  }

  run(act: string): void {
    this.act = act;
    const count = this.selection.size;
    if (WITH_VALUE.has(act)) this.askValue(act, count);
    else if (WITH_QUESTION.has(act)) this.askSure(act, count);
    else void this.send(act, "");
  }

  private askValue(act: string, count: number): void {
    const long = WITH_LINES.has(act);
    one("h2", this.asking).textContent = title(act, count);
    one<HTMLElement>("[data-label]", this.asking).textContent = word(`label_${act}`);
    one<HTMLElement>("[data-help]", this.asking).textContent = word(`help_${act}`);
    one<HTMLElement>("[type=submit]", this.asking).textContent = word(`button_${act}`);
    this.input.value = "";
    this.area.value = "";
    this.input.hidden = long;
    this.area.hidden = !long;
    this.input.required = act !== "group" && !long;
    if (act === "rename") this.input.value = this.nameOfChosen();
    this.asking.showModal();
    (long ? this.area : this.input).focus();
  }

  private askSure(act: string, count: number): void {
    one("h2", this.sure).textContent = title(act, count);
    one<HTMLElement>("[data-help]", this.sure).textContent = word(`help_${act}`);
    one<HTMLElement>("[type=submit]", this.sure).textContent = word(`button_${act}`);
    const names = one<HTMLElement>("[data-names]", this.sure);
    names.replaceChildren(...this.names().map((name) => make("li", "truncate", name)));
    this.withArtifacts.checked = false;
    one<HTMLElement>("[data-artifacts]", this.sure).hidden = act !== "delete";
    if (act === "delete") void sayOutputs(this.sure, this.selection.toParams());
    this.sure.showModal();
  }

  /** The first chosen runs by name, as far as they are in view, and how many more there are. */
  private names(): string[] {
    const rows = [...this.table.scroll.querySelectorAll<HTMLElement>("tr[data-uid].chosen")];
    const names = rows.slice(0, 5).map((row) => row.dataset.name ?? "");
    const rest = this.selection.size - names.length;
    return rest > 0 ? [...names, word("andMore", { count: formatCount(rest) })] : names;
  }

  private nameOfChosen(): string {
    return this.table.scroll.querySelector<HTMLElement>("tr[data-uid].chosen")?.dataset.name ?? "";
  }

  private async known() {
    const typed = this.input.value.toLowerCase();
    const values = this.act === "move" ? await projects() : await this.knownIn(this.act);
    const found = values.filter((value) => value.toLowerCase().includes(typed) && value !== this.input.value);
    return found.map((value) => ({ value, text: value, label: value }));
  }

  private async knownIn(act: string): Promise<string[]> {
    const column = { tag: "tags", untag: "tags", group: "group" }[act];
    return column ? (await this.catalogue.values(column)).map(plainText) : [];
  }

  private value(): string {
    const text = this.area.hidden ? this.input.value.trim() : this.area.value;
    return this.act === "move" ? projectPath(text, this.table.url) : text;
  }

  /** What is to go with the runs. */
  private chosenToo(): string {
    return this.withArtifacts.checked ? this.withArtifacts.value : "";
  }

  private async send(act: string, value: string): Promise<void> {
    const done = await performBulkAction(this.table, act, this.selection.toParams(), [value]);
    if (done && (act === "delete" || act === "move")) this.selection.clear();
  }
}

function title(act: string, count: number): string {
  return word(count === 1 ? `title_${act}_one` : `title_${act}`, { count: formatCount(count) });
}
