import { make, makeIcon } from "./dom";
import { word } from "./words";

const BETWEEN_LOOKS_MS = 3000;

/** Say at the foot of the page that the server cannot be reached, or that it can again. */
export function showOffline(offline: boolean): void {
  const shown = document.querySelector(".connection");
  if (!offline) {
    shown?.remove();
  } else if (!shown) {
    const note = make("div", "connection");
    note.setAttribute("role", "status");
    note.append(makeIcon("refresh-cw"), make("span", "", word("offline")));
    document.body.append(note);
  }
}

/** Pages without a WebSocket learn it from a request of htmx, which asks only once: look until the server answers. */
export function followRequests(): void {
  let looking = false;
  document.addEventListener("htmx:sendError", async () => {
    if (looking) return;
    looking = true;
    showOffline(true);
    while (!(await answers())) await new Promise((done) => setTimeout(done, BETWEEN_LOOKS_MS));
    showOffline(false);
    looking = false;
  });
}

async function answers(): Promise<boolean> {
  try {
    await fetch("/healthz", { cache: "no-store" });
    return true;
  } catch {
    return false;
  }
}
