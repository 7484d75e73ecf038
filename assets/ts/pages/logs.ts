import type { RunMessage } from "../charts/wire";
import { one } from "../lib/dom";
import { recall, remember } from "../lib/store";
import { word } from "../lib/words";
import { Lines } from "../logs/lines";
import { search } from "../logs/search";
import { Viewer } from "../logs/viewer";

const root = one<HTMLElement>("[data-lines-url]");
const box = one<HTMLElement>("[data-log]");
const status = one<HTMLElement>("[data-log-status]");
const followButton = one<HTMLButtonElement>("[data-follow]");
const wrapButton = one<HTMLButtonElement>("[data-wrap]");
const searchBox = one<HTMLInputElement>("[data-page-search]");
const lineBox = one<HTMLInputElement>("[data-line]");

const lines = new Lines(root.dataset.linesUrl ?? "", () => {
  showPart(lines.total ? "full" : "empty");
  viewer.render();
  if (!viewer.needle) status.textContent = word("lineCount", { n: lines.total.toLocaleString() });
});
const viewer = new Viewer(box, lines, (follow) => {
  followButton.setAttribute("aria-pressed", String(follow));
});
let searching: AbortController | undefined;

/** One of the parts marked `data-when` is shown: loading, empty, error or full. */
function showPart(state: string): void {
  for (const part of root.querySelectorAll<HTMLElement>("[data-when]"))
    part.hidden = part.dataset.when !== state;
}

async function start(): Promise<void> {
  try {
    await lines.refresh();
    const wanted = /^#L(\d+)$/.exec(location.hash);
    if (wanted) viewer.goTo(Math.min(lines.total, Number(wanted[1])) - 1);
  } catch {
    showPart("error");
  }
}

async function find(direction: 1 | -1): Promise<void> {
  searching?.abort();
  const needle = searchBox.value.toLowerCase();
  viewer.needle = needle;
  viewer.render();
  if (!needle || !lines.total) return;
  const control = new AbortController();
  searching = control;
  const from = viewer.marked >= 0 ? viewer.marked : Math.floor(viewer.top) - direction;
  const hit = await search(lines, needle, from, direction, control.signal, (done) => {
    status.textContent = word("searching", { percent: Math.round(done * 100) });
  });
  if (control.signal.aborted) return;
  searching = undefined;
  if (hit === null) {
    status.textContent = word("notFound");
    return;
  }
  viewer.goTo(hit);
  status.textContent = word("foundAt", { n: (hit + 1).toLocaleString() });
}

searchBox.addEventListener("keydown", (event) => {
  if (event.key === "Enter") void find(event.shiftKey ? -1 : 1);
  if (event.key === "Escape") searching?.abort();
});
searchBox.addEventListener("input", () => {
  viewer.marked = -1;
  viewer.needle = searchBox.value.toLowerCase();
  viewer.render();
});
one("[data-find-next]").addEventListener("click", () => void find(1));
one("[data-find-previous]").addEventListener("click", () => void find(-1));
one("[data-retry-lines]").addEventListener("click", () => void start());
followButton.addEventListener("click", () => viewer.setFollow(!viewer.follow));
wrapButton.addEventListener("click", () => {
  viewer.wrap = !viewer.wrap;
  remember("runyard-log-wrap", viewer.wrap);
  wrapButton.setAttribute("aria-pressed", String(viewer.wrap));
  viewer.render();
});
lineBox.addEventListener("change", () => {
  const n = Number(lineBox.value);
  if (Number.isInteger(n) && n > 0) viewer.goTo(Math.min(n, lines.total) - 1);
});
document.addEventListener("run-message", (event) => {
  const message = (event as CustomEvent<RunMessage>).detail;
  if (message.type === "rows" && message.log !== undefined)
    void lines.refresh(message.log).catch(() => undefined);
});
document.addEventListener("run-connected", () => void lines.refresh().catch(() => undefined));

viewer.wrap = recall("runyard-log-wrap", false);
wrapButton.setAttribute("aria-pressed", String(viewer.wrap));
void start();
