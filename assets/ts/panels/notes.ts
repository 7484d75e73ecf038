import { make } from "../lib/dom";
import { word } from "../lib/words";
import type { Runs } from "./runs";

/** Say why a panel is empty. */
export function note(body: HTMLElement, text: string): void {
  body.replaceChildren(make("p", "chart-note", text));
}

/** Say in place of a panel why it cannot be drawn. */
export function broken(body: HTMLElement, error: unknown): void {
  reportError(error);
  note(body, word("panelFailed", { text: error instanceof Error ? error.message : String(error) }));
}

/** Why no run is drawn. */
export function noneDrawn({ narrowing }: Runs): string {
  return word(narrowing.kept === null ? "noRunsDrawn" : "noRunInRange");
}

/** Say that data could not be read, with a button that asks again. */
export function failure(body: HTMLElement, again: () => void): void {
  const box = make("div", "chart-note");
  box.setAttribute("role", "alert");
  const retry = make("button", "btn btn-sm", word("tryAgain"));
  retry.type = "button";
  retry.addEventListener("click", again);
  box.append(make("p", "", word("loadFailed")), retry);
  body.replaceChildren(box);
}

/** Hold the place of what is being read. */
export function skeleton(body: HTMLElement): void {
  body.replaceChildren(make("div", "skeleton chart-skeleton"));
}
