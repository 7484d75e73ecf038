import { announce } from "../lib/announce";
import { throttle } from "../lib/dom";
import { listen } from "../lib/socket";
import { word } from "../lib/words";
import type { Pages } from "./pages";
import type { RunsTable } from "./table";

/** Rows are asked for again at most this often, milliseconds. */
const PAUSE_MS = 1000;
/** Groups are drawn again as a whole, so less often, milliseconds. */
const GROUPS_PAUSE_MS = 5000;
/** While runs in view are running, their summaries are asked for this often, milliseconds. */
const PULSE_MS = 10_000;

interface RunMessage {
  type: "run";
  uid: string;
  state: string;
}

/** Follow the project: rows change in place, new runs appear, without losing place, focus or selection (RUN-28). */
export function followProject(table: RunsTable, pages: Pages): void {
  const rows = throttle(() => void refreshRows(table, pages), PAUSE_MS);
  const groups = throttle(() => void redraw(table), GROUPS_PAUSE_MS);
  const refresh = () => (table.state.group.length || !table.table ? groups() : rows());
  listen<RunMessage>(table.root.dataset.live ?? "", {
    message: ({ uid, state }) => {
      showState(table, uid, state);
      refresh();
    },
    connected: (again) => {
      if (again) refresh();
    },
  });
  setInterval(() => {
    const isRunning = table.scroll.querySelector('tr[data-state="running"]') !== null;
    if (isRunning && document.visibilityState === "visible") refresh();
  }, PULSE_MS);
}

function showState(table: RunsTable, uid: string, state: string): void {
  const row = table.scroll.querySelector<HTMLElement>(`tr[data-uid="${CSS.escape(uid)}"]`);
  if (!row || row.dataset.state === state) return;
  announce(word("stateChanged", { name: row.dataset.name ?? uid, state: word(`state_${state}`) }));
}

/** Draw the table anew, unless somebody writes in it. */
async function redraw(table: RunsTable): Promise<void> {
  if (!table.scroll.querySelector("[data-editing]")) await table.draw();
}

async function refreshRows(table: RunsTable, pages: Pages): Promise<void> {
  const { total } = table;
  try {
    for (const body of pages.filled().filter((each) => isNear(table, each))) await pages.refresh(body);
    if (table.total !== total) {
      for (const body of pages.filled().filter((each) => !isNear(table, each))) pages.drop(body);
    }
  } catch (error) {
    console.info("runs table", error); // the next message asks again
    return;
  }
  if (table.total !== total) await keepPlace(table, table.total - total);
}

/** The list is longer or shorter now: fit the bodies to it, and stay at the runs that are in view. */
async function keepPlace(table: RunsTable, by: number): Promise<void> {
  const { scrollTop } = table.scroll;
  const height = table.scroll.querySelector("tbody tr")?.getBoundingClientRect().height ?? 32;
  if (Math.ceil(table.total / 100) !== Math.ceil((table.total - by) / 100)) {
    await redraw(table);
  }
  const newestFirst = table.state.order === "-created";
  if (newestFirst && scrollTop > height) table.scroll.scrollTop = scrollTop + by * height;
}

function isNear(table: RunsTable, body: HTMLElement): boolean {
  const box = body.getBoundingClientRect();
  const view = table.scroll.getBoundingClientRect();
  return box.bottom > view.top - 400 && box.top < view.bottom + 400;
}
