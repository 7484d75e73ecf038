import { Enlarged } from "../charts/enlarge";
import { Feed } from "../charts/feed";
import { Grid } from "../charts/grid";
import { showOthers } from "../charts/others";
import { openView } from "../charts/view";
import type { KeyInfo, KeysReply, Kind, RunMessage } from "../charts/wire";
import { one, throttle } from "../lib/dom";
import { getJson } from "../lib/http";
import { word } from "../lib/words";

/** How often a live run is asked for new keys, milliseconds. */
const KEYS_PAUSE_MS = 4000;

const root = one<HTMLElement>("[data-charts]");
const { kind = "history", seriesUrl = "", keysUrl = "" } = root.dataset;
const view = openView(
  one<HTMLElement>("[data-toolbar]"),
  `runyard-view-${kind}`,
  { xAxis: kind === "system" ? "runtime" : "step", logY: false, smoothing: 0, band: true },
  () => grid.redraw(),
);
const enlarged = new Enlarged(view);
const feed = new Feed({
  url: seriesUrl,
  kind: kind as Kind,
  isWanted: (key) => grid.isVisible(key),
  changed: (key, series) => {
    grid.show(key, series);
    enlarged.update(key, series);
  },
  failed: (key) => grid.fail(key),
});
const grid = new Grid(one<HTMLElement>("[data-grid]"), {
  kind: kind as Kind,
  view,
  store: `runyard-closed-${kind}`,
  needed: (key) => feed.want(key),
  held: (key) => feed.get(key),
  enlarge: (card) => enlarged.open(card, feed.get(card.key)),
});

async function readKeys(): Promise<void> {
  try {
    const { keys, next_row: head } = await getJson<KeysReply>(`${keysUrl}?kind=${kind}`);
    const shown = keys.filter(({ key }) => !key.startsWith("_"));
    const charted = shown.filter(isCharted);
    grid.add(charted.map(({ key }) => key).filter((key) => !grid.has(key)));
    showOthers(
      one<HTMLElement>("[data-others]"),
      shown.filter((info) => !isCharted(info)),
    );
    showState(shown.length ? "full" : "empty");
    feed.advance(head, grid.visibleKeys());
  } catch {
    if (grid.size === 0) showState("error");
  }
}

/** Numbers, and keys that were numbers at least once. */
function isCharted({ type, min }: KeyInfo): boolean {
  return type === "number" || (type === "mixed" && min !== null);
}

/** One of the parts marked `data-when` is shown: loading, empty, error or full. */
function showState(state: string): void {
  for (const part of root.querySelectorAll<HTMLElement>("[data-when]"))
    part.hidden = part.dataset.when !== state;
}

const search = one<HTMLInputElement>("[data-page-search]");
search.addEventListener("input", () => {
  const shown = grid.filter(search.value);
  const note = one<HTMLElement>("[data-no-match]");
  note.hidden = shown > 0 || grid.size === 0;
  note.textContent = word("noMatch", { text: search.value });
});
one("[data-retry-keys]").addEventListener("click", () => void readKeys());

const readKeysSoon = throttle(() => void readKeys(), KEYS_PAUSE_MS);
document.addEventListener("run-message", (event) => {
  const message = (event as CustomEvent<RunMessage>).detail;
  if (message.type !== "rows") return;
  const head = kind === "system" ? message.system : message.history;
  if (head === undefined) return;
  feed.advance(head, grid.visibleKeys());
  readKeysSoon();
});
// What was missed while the line was down is not known: the answer about keys carries the newest cursor.
document.addEventListener("run-connected", readKeysSoon);
void readKeys();
