import { announce } from "../lib/announce";
import { isTyping, one } from "../lib/dom";
import { word } from "../lib/words";
import type { History } from "./history";

type Steps = Pick<History<unknown>, "canUndo" | "canRedo" | "undo" | "redo">;

/** The buttons and keys that undo and redo changes of the page. */
export class HistoryButtons {
  private readonly undo = one<HTMLButtonElement>("[data-undo]");
  private readonly redo = one<HTMLButtonElement>("[data-redo]");

  constructor(private readonly history: () => Steps) {
    this.undo.addEventListener("click", () => this.step(false));
    this.redo.addEventListener("click", () => this.step(true));
    document.addEventListener("keydown", (event) => {
      const key = event.key.toLowerCase();
      if (!(event.ctrlKey || event.metaKey) || event.altKey || (key !== "z" && key !== "y")) return;
      if (isText(event.target) || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      this.step(key === "y" || event.shiftKey);
    });
  }

  /** Offer what can be done now; the buttons keep their focus when they can do no more. */
  show(): void {
    const { canUndo, canRedo } = this.history();
    this.undo.setAttribute("aria-disabled", String(!canUndo));
    this.redo.setAttribute("aria-disabled", String(!canRedo));
  }

  private step(forward: boolean): void {
    const history = this.history();
    const done = forward ? history.redo() : history.undo();
    announce(word(done ? (forward ? "redone" : "undone") : forward ? "nothingToRedo" : "nothingToUndo"));
  }
}

/** Sliders and boxes have no history of their own. */
function isText(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement && ["range", "checkbox", "radio"].includes(target.type))
    return false;
  return isTyping(target) && !(target instanceof HTMLSelectElement);
}
