import { make, one } from "../../lib/dom";
import type { Catalogue } from "../catalogue";
import { Combobox } from "../combobox";
import { askJson } from "../server";
import type { TableReply } from "../state";
import { completeAt, completed } from "./complete";
import { colouredPieces, type Place } from "./tokens";

/** An expression that rests this long is looked at by the server, milliseconds. */
const REST_MS = 400;

/** Whose runs the expression filters: the table, or the list of runs beside panels. Fires `state` when others change it. */
export interface Filtered extends EventTarget {
  readonly root: HTMLElement;
  /** Of the runs table, which reads expressions. */
  readonly url: string;
  readonly state: { filter: string };
  readonly error: TableReply["error"];
  change(part: { filter: string }): Promise<void>;
}

type FilterReply = Pick<TableReply, "tree" | "error">;

/**
 * The typed expression (RUN-22): coloured, completed while typing, checked by the server, applied when it is whole.
 *
 * Returns what applies it as Enter does.
 */
export function enableExpression(table: Filtered, catalogue: Catalogue): () => Promise<void> {
  const field = one<HTMLElement>("[data-expression]", table.root);
  const input = one<HTMLInputElement>("input", field);
  const colours = one<HTMLElement>("[data-colours]", field);
  const note = one<HTMLElement>("[data-expression-error]", table.root);
  let place: Place | undefined;
  let timer: number | undefined;

  const paint = (wrongAt: number | null = null) => {
    colours.replaceChildren(...coloured(input.value, wrongAt));
    colours.scrollLeft = input.scrollLeft;
  };
  const complain = (message: string, position: number | null) => {
    note.textContent = message;
    note.hidden = !message;
    input.setAttribute("aria-invalid", String(Boolean(message)));
    paint(message ? position : null);
  };
  /** Ask the server whether the text can be read; what only lacks its end is no mistake `whileTyping`. */
  const check = async (whileTyping: boolean): Promise<boolean> => {
    const text = input.value;
    if (!text.trim()) return true;
    const { error } = await askJson<FilterReply>(
      `${table.url}?${new URLSearchParams({ part: "filter", text })}`,
    );
    if (input.value !== text) return false;
    const isUnfinished = whileTyping && error !== null && (error.position ?? 0) >= text.trimEnd().length;
    complain(isUnfinished ? "" : (error?.message ?? ""), error?.position ?? null);
    return error === null;
  };
  const apply = async () => {
    clearTimeout(timer);
    const text = input.value.trim();
    if (text === table.state.filter || !(await check(false))) return;
    await table.change({ filter: text });
  };

  const box = new Combobox(input, {
    options: async () => {
      const found = await completeAt(catalogue, input.value, input.selectionStart ?? input.value.length);
      place = found.place;
      return found.options;
    },
    choose: ({ text }) => {
      if (!place) return;
      const now = completed(input.value, place, text);
      input.setRangeText(now.text, 0, input.value.length, "end");
      input.setSelectionRange(now.caret, now.caret);
      paint();
      if (now.isWhole) void apply();
      void box.open();
    },
    enter: () => void apply(),
  });

  input.addEventListener("input", () => {
    paint();
    complain("", null);
    clearTimeout(timer);
    timer = window.setTimeout(() => void (input.value.trim() ? check(true) : apply()), REST_MS);
  });
  input.addEventListener("scroll", () => paint());
  input.addEventListener("blur", () => void apply());
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    input.value = table.state.filter;
    complain("", null);
    input.blur();
  });
  const follow = () => {
    if (document.activeElement !== input) input.value = table.state.filter;
    const { error } = table;
    complain(error?.message ?? "", error?.position ?? null);
  };
  table.addEventListener("drawn", follow);
  table.addEventListener("state", follow);
  follow();
  return apply;
}

/** The expression in colours; from `wrongAt` on its token is marked. */
function coloured(text: string, wrongAt: number | null): HTMLElement[] {
  return colouredPieces(text, wrongAt).map((piece) => {
    const element = make("span", `token-${piece.kind}`, piece.text);
    element.classList.toggle("token-wrong", piece.isWrong);
    return element;
  });
}
