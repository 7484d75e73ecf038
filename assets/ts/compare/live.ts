import { announce } from "../lib/announce";
import { one, throttle } from "../lib/dom";
import { word } from "../lib/words";
import type { RunInfo } from "../panels/runs";
import { Live } from "../workspace/live";
import type { ComparisonCharts } from "./charts";

/** The values in the table and the list of metrics are asked for again at most this often, milliseconds. */
const PAUSE_MS = 3000;

/**
 * Follow the runs compared: lines grow, values and states change in place (RUN-29).
 * @param changed - Called when rows of the table are others.
 */
export function followRuns(
  root: HTMLElement,
  runs: readonly RunInfo[],
  charts: ComparisonCharts,
  changed: () => void,
): void {
  const table = one<HTMLTableElement>(".compare-table", root);
  const read = async () => {
    try {
      await readValues(table);
      changed();
      await charts.read();
    } catch (error) {
      console.info("compare", error); // the next message asks again
    }
  };
  const readSoon = throttle(() => void read(), PAUSE_MS);
  const live = new Live({
    rows: (uid, { history }) => {
      if (history !== undefined) charts.advance(uid, history);
    },
    catchUp: () => {
      charts.grow();
      readSoon();
    },
    state: (uid, state) => {
      const run = runs.find((one) => one.uid === uid);
      if (!run || run.state === state) return;
      run.state = state;
      showState(table, run);
      readSoon();
    },
    again: readSoon,
  });
  live.open(root.dataset.socket ?? "");
  live.follow(runs.map(({ uid }) => uid));
}

/** Put the values as they are now in the place of those shown; machines and packages do not change. */
async function readValues(table: HTMLTableElement): Promise<void> {
  const url = new URL(location.href);
  url.searchParams.set("part", "values");
  const reply = await fetch(url);
  if (!reply.ok) throw new Error(`${url}: status ${reply.status}`);
  const fresh = document.createElement("table");
  fresh.innerHTML = await reply.text(); // of our own template
  for (const part of fresh.tBodies) {
    const name = CSS.escape(part.dataset.part ?? "");
    table.querySelector(`tbody[data-part="${name}"]`)?.replaceWith(part.cloneNode(true));
  }
}

function showState(table: HTMLTableElement, { uid, name, state }: RunInfo): void {
  const dot = table.querySelector<HTMLElement>(`thead [data-uid="${CSS.escape(uid)}"] .state-dot`);
  const text = word(`state_${state}`);
  if (dot) {
    dot.dataset.state = state;
    dot.title = text;
    dot.ariaLabel = text;
  }
  announce(word("stateChanged", { name, state: text }));
}
