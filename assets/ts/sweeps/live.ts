import { throttle } from "../lib/dom";
import { listen } from "../lib/socket";
import { refreshTimes } from "../lib/times";

/** Pauses between questions after messages, milliseconds, and between those after agents, who send none. */
const PAUSE_MS = 1000;
const AGENTS_PAUSE_MS = 20_000;

/** Keep the parts of a sweep's page up to date while it is open; `changed` is called once something may be new. */
export function followSweep(root: HTMLElement, changed: () => void): void {
  const { liveUrl = "", socket = "" } = root.dataset;
  const drawn = new Map<string, string>();
  const refresh = throttle(() => void ask(), PAUSE_MS);
  let isLeaving = false; // a form was sent: what it changes is told here, too, before the next page comes
  root.ownerDocument.addEventListener("submit", () => {
    isLeaving = true;
  });

  async function ask(): Promise<void> {
    if (isLeaving) return;
    const reply = await fetch(liveUrl, { headers: { Accept: "text/html" } }).catch(() => undefined);
    if (!reply?.ok) return;
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    let isNew = false;
    for (const fresh of page.querySelectorAll<HTMLElement>("[data-live-part]")) {
      isNew = put(fresh) || isNew;
    }
    if (isNew) changed();
  }

  /** Show a part if it is another one than before; one in use waits. */
  function put(fresh: HTMLElement): boolean {
    const name = fresh.dataset.livePart ?? "";
    const shown = root.querySelector<HTMLElement>(`[data-live-part="${name}"]`);
    const text = withoutTokens(fresh.innerHTML);
    if (!shown || drawn.get(name) === text || shown.querySelector(":popover-open")) return false;
    const isFirst = !drawn.has(name) && withoutTokens(shown.innerHTML) === text;
    drawn.set(name, text);
    if (isFirst) return false;
    replace(shown, fresh);
    return true;
  }

  listen<{ type: string }>(socket, {
    message: ({ type }) => {
      if (type === "sweep" || type === "run") refresh();
    },
    connected: (again) => {
      if (again) refresh();
    },
  });
  setInterval(() => {
    if (!document.hidden && root.querySelector("[data-is-open]")) refresh();
  }, AGENTS_PAUSE_MS);
}

/** Put new content in; what is scrolled stays where it is, and what has the focus keeps it where it is still there. */
function replace(shown: HTMLElement, fresh: HTMLElement): void {
  const places = [...shown.querySelectorAll(".table-wrap, .sweep-args, .sweep-agents")].map((box) => [
    box.scrollLeft,
    box.scrollTop,
  ]);
  const focused = shown.contains(document.activeElement) ? nameOf(document.activeElement) : "";
  shown.replaceChildren(...fresh.childNodes);
  refreshTimes(shown);
  for (const [at, box] of [...shown.querySelectorAll(".table-wrap, .sweep-args, .sweep-agents")].entries()) {
    [box.scrollLeft, box.scrollTop] = (places[at] ?? [0, 0]) as [number, number];
  }
  if (!focused) return;
  const again = [...shown.querySelectorAll<HTMLElement>("a, button, [tabindex]")].find(
    (one) => nameOf(one) === focused,
  );
  again?.focus({ preventScroll: true });
}

function nameOf(element: Element | null): string {
  if (!element) return "";
  return ["href", "value", "data-copy", "aria-label"]
    .map((name) => element.getAttribute(name) ?? "")
    .join("\n");
}

/** Tokens against forgery and times differ between two answers that say the same. */
export function withoutTokens(html: string): string {
  return html
    .replace(/name="csrfmiddlewaretoken" value="[^"]*"/g, "")
    .replace(/<time[^>]*datetime="([^"]*)"[^>]*>[^<]*<\/time>/g, "$1")
    .replace(/(data-running-since="[^"]*"[^>]*>)[^<]*/g, "$1");
}
