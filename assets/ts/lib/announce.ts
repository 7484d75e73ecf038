import { make, makeIcon, makeIconButton, one } from "./dom";
import { word } from "./words";

/** How long a message stays, milliseconds. */
const SHOWN_MS = 6000;

/** Say `text` to screen readers without showing it. */
export function announce(text: string): void {
  one<HTMLElement>("#live").textContent = text;
}

/** Show `text` in the corner; errors stay until dismissed, others for six seconds. */
export function toast(text: string, level: "info" | "success" | "error" = "info"): void {
  const icons = { info: "info", success: "circle-check", error: "circle-alert" } as const;
  const note = make("div", "toast-note");
  note.dataset.level = level;
  note.setAttribute("role", level === "error" ? "alert" : "status");
  const close = makeIconButton("x", word("dismiss"));
  close.dataset.dismiss = "";
  note.append(makeIcon(icons[level]), make("div", "grow", text), close);
  one("#toasts").append(note);
  letGo(note);
}

/** Let the messages that came with the page go, too; errors and warnings stay until dismissed. */
export function letMessagesGo(): void {
  for (const note of document.querySelectorAll<HTMLElement>(".toast-note")) letGo(note);
}

function letGo(note: HTMLElement): void {
  const stays = note.dataset.level === "error" || note.dataset.level === "warning";
  if (!stays) setTimeout(() => note.remove(), SHOWN_MS);
}
