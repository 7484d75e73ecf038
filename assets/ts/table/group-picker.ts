import { make, makeIconButton, one } from "../lib/dom";
import { word } from "../lib/words";
import type { Catalogue, ColumnInfo } from "./catalogue";
import { Combobox } from "./combobox";
import { columnOptions } from "./filter/complete";
import { openAt } from "./popup";

/** Offered first, in this order: `wandb.init(group=…)` is how seeds are told apart from what they repeat. */
const FIRST = ["group", "job_type", "tags", "user", "host", "state"];
/** No two runs have the same, or hardly. */
const UNIQUE = new Set(["id", "number", "runtime", "duration"]);

/** Columns by which runs can be grouped, the usual ones first, then keys of config and summary. */
export function groupColumns(columns: readonly ColumnInfo[]): ColumnInfo[] {
  const rank = ({ name, part }: ColumnInfo) => {
    const place = FIRST.indexOf(name);
    return place >= 0 ? place : FIRST.length + (part === "field" ? 1 : 0);
  };
  return columns.filter(({ name }) => !UNIQUE.has(name)).sort((a, b) => rank(a) - rank(b));
}

interface Picked {
  group(): readonly string[];
  change(group: string[]): void;
}

/** The popup `#group-picker`, in which columns to group by are chosen and put in order; call the result to draw it anew. */
export function enableGroupPicker(opener: HTMLElement, catalogue: Catalogue, picked: Picked): () => void {
  const popup = one<HTMLElement>("#group-picker");
  const list = one<HTMLElement>("[data-group-list]", popup);
  const input = one<HTMLInputElement>("input", popup);
  const badge = one<HTMLElement>("[data-group-count]", opener);
  const draw = () => {
    const group = picked.group();
    badge.textContent = String(group.length);
    badge.hidden = !group.length;
    list.replaceChildren(...group.map((column, index) => itemOf(picked, column, index)));
  };
  new Combobox(input, {
    options: async () => {
      const columns = groupColumns(await catalogue.columns());
      const left = columns.filter(({ name }) => !picked.group().includes(name));
      return columnOptions(left, input.value);
    },
    choose: ({ value }) => {
      input.value = "";
      picked.change([...picked.group(), value]);
    },
  });
  opener.addEventListener("click", () => openAt(popup, opener));
  draw();
  return draw;
}

function itemOf(picked: Picked, column: string, index: number): HTMLElement {
  const others = picked.group().filter((name) => name !== column);
  const item = make("li", "picked");
  const earlier = makeIconButton("chevron-up", word("move_up", { column }));
  earlier.disabled = index === 0;
  earlier.addEventListener("click", () => picked.change(others.toSpliced(index - 1, 0, column)));
  const remove = makeIconButton("x", word("removeGroup", { column }));
  remove.addEventListener("click", () => picked.change(others));
  item.append(
    make("span", "count", String(index + 1)),
    make("span", "truncate grow", column),
    earlier,
    remove,
  );
  return item;
}
