import { make, makeIcon, makeIconButton, one } from "./dom";
import { word } from "./words";

/** How long a message stays, milliseconds. */
const SHOWN_MS = 6000;

/** Say `text` to screen readers without showing it. */
export function announce(text: string): void {
  one<HTMLElement>("#live").textContent = text;
}

/** How long a message with a button stays, milliseconds. */
const SHOWN_WITH_BUTTON_MS = 15_000;

/** A button of a message. */
export interface ToastButton {
  label: string;
  act(): void;
}

/** Show `text` in the corner; errors stay until dismissed, others for six seconds, longer with a `button`. */
export function toast(
  text: string,
  level: "info" | "success" | "error" = "info",
  button?: ToastButton,
): void {
  const icons = { info: "info", success: "circle-check", error: "circle-alert" } as const;
  const note = make("div", "toast-note");
  note.dataset.level = level;
  note.setAttribute("role", level === "error" ? "alert" : "status");
  const close = makeIconButton("x", word("dismiss"));
  close.dataset.dismiss = "";
  note.append(makeIcon(icons[level]), make("div", "grow", text));
  if (button) note.append(buttonOf(note, button));
  note.append(close);
  one("#toasts").append(note);
  letGo(note, button ? SHOWN_WITH_BUTTON_MS : SHOWN_MS);
}

/** Say what was done, with a button that undoes it. */
export function offerUndo(text: string, undo: () => void): void {
  toast(text, "success", { label: word("undo"), act: undo });
}

/** Let the messages that came with the page go, too; errors and warnings stay until dismissed. */
export function letMessagesGo(): void {
  for (const note of document.querySelectorAll<HTMLElement>(".toast-note")) letGo(note);
}

function buttonOf(note: HTMLElement, { label, act }: ToastButton): HTMLButtonElement {
  const button = make("button", "btn btn-sm", label);
  button.type = "button";
  button.addEventListener("click", () => {
    note.remove();
    act();
  });
  return button;
}

function letGo(note: HTMLElement, shownMs = SHOWN_MS): void {
  const stays = note.dataset.level === "error" || note.dataset.level === "warning";
  if (!stays) setTimeout(() => note.remove(), shownMs);
}
