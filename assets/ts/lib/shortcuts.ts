import { openDialog } from "./dialogs";
import { isTyping } from "./dom";

/** How long `g` waits for its second key, milliseconds. */
const CHORD_MS = 1200;

/** Listen for the keys that the shortcuts dialog lists. */
export function enableShortcuts(): void {
  let chordUntil = 0;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    const now = performance.now();
    if (now < chordUntil) {
      chordUntil = 0;
      go(event.key);
    } else if (event.key === "g") {
      chordUntil = now + CHORD_MS;
    } else if (event.key === "?") {
      openDialog("shortcuts");
    } else if (event.key === "/") {
      const box = document.querySelector<HTMLInputElement>("input[data-page-search]");
      if (box) {
        event.preventDefault();
        box.focus();
        box.select();
      }
    } else if (/^[1-9]$/.test(event.key)) {
      document.querySelector<HTMLElement>(`[data-tab="${event.key}"]`)?.click();
    } else {
      document.querySelector<HTMLElement>(`[data-keys~="${CSS.escape(event.key)}"]`)?.click();
    }
  });
}

function go(key: string): void {
  document.querySelector<HTMLAnchorElement>(`a[data-go="${CSS.escape(key)}"]`)?.click();
}
