import { paint } from "../charts/palette";
import type { RunMessage } from "../charts/wire";
import { announce } from "../lib/announce";
import { one } from "../lib/dom";
import { listen } from "../lib/socket";
import { word } from "../lib/words";
import { enableFields } from "../run/fields";
import { enableMove } from "../run/move";
import { enableTags } from "../run/tags";

/** A running run that was not heard of for so long is asked after, milliseconds; see runs/lifecycle/timeline.py. */
const SILENT_MS = 95_000;

const head = one<HTMLElement>("[data-run-socket]");
let heardAt = Date.now();

/** Show `state` in header, tab title and tab icon (RUN-44). */
function showState(state: string): void {
  for (const element of head.querySelectorAll<HTMLElement>("[data-state]")) element.dataset.state = state;
  const text = word(`state_${state}`);
  for (const element of head.querySelectorAll<HTMLElement>("[data-state-text]")) element.textContent = text;
  document.title = document.title.replace(/^[^·]*·/, `${text} ·`);
  showInTabIcon();
}

/** Put the state's colour as a dot on the logo in the browser tab. */
function showInTabIcon(): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const dot = head.querySelector(".state-dot");
  if (!link || !dot) return;
  const color = getComputedStyle(dot).backgroundColor;
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#16181d"/>' +
    '<g fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"><path d="M6 12h20M9 12c6 0 6 8 12 8"/></g>' +
    `<circle cx="23" cy="23" r="9" fill="#fff"/><circle cx="23" cy="23" r="6.5" fill="${color}"/></svg>`;
  link.href = `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

function stopLiveParts(state: string): void {
  if (state === "running") return;
  for (const element of document.querySelectorAll<HTMLElement>("[data-running-since]")) {
    delete element.dataset.runningSince;
  }
  for (const element of document.querySelectorAll<HTMLElement>("[data-while-running]")) element.hidden = true;
}

/** Ask the server now and then whether a silent run has lost its signal, or has it again. */
function watchSignal(): void {
  setInterval(() => {
    const waits = head.dataset.state === "running" && Date.now() - heardAt > SILENT_MS;
    if (waits) document.body.dispatchEvent(new Event("run-changed"));
  }, 30_000);
}

/** Classes have the colors of the palette; one that somebody picked freely is painted. */
function paintPicked(): void {
  const page = one<HTMLElement>("[data-run-color]");
  const { runColor = "" } = page.dataset;
  if (runColor.startsWith("#")) paint(page, runColor);
}

paintPicked();
enableFields();
enableMove();
enableTags();
showInTabIcon();
watchSignal();
listen<RunMessage>(head.dataset.runSocket ?? "", {
  message: (message) => {
    heardAt = Date.now();
    if (head.querySelector("[data-silent]")) document.body.dispatchEvent(new Event("run-changed"));
    if (message.type === "state" && message.state !== head.dataset.state) {
      head.dataset.state = message.state;
      showState(message.state);
      stopLiveParts(message.state);
      announce(
        word("stateChanged", { name: head.dataset.runName ?? "", state: word(`state_${message.state}`) }),
      );
      document.body.dispatchEvent(new Event("run-changed"));
    }
    document.dispatchEvent(new CustomEvent("run-message", { detail: message }));
  },
  connected: (again) => {
    document.dispatchEvent(new Event("run-connected"));
    if (again) document.body.dispatchEvent(new Event("run-changed"));
  },
});
