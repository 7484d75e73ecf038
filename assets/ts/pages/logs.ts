import type { RunMessage } from "../charts/wire";
import { announce, toast } from "../lib/announce";
import { copyText } from "../lib/copy";
import { make, one, showPart } from "../lib/dom";
import { formatCount } from "../lib/format";
import { getJson } from "../lib/http";
import { Patterns } from "../lib/patterns";
import { recall, remember } from "../lib/store";
import { word } from "../lib/words";
import { plainText } from "../logs/ansi";
import { linesIn, linkTo } from "../logs/line-link";
import { Lines } from "../logs/lines";
import { needleOf } from "../logs/needle";
import { Rows } from "../logs/rows";
import { Search } from "../logs/search";
import { Viewer } from "../logs/viewer";

/** How long after the last key a search begins, milliseconds. */
const TYPING_MS = 250;
const MOST_COPIED = 20_000;

interface Writer {
  id: string;
  label: string;
  ranges: [number, number][];
}

const root = one<HTMLElement>("[data-lines-url]");
const box = one<HTMLElement>("[data-log]");
const status = one<HTMLElement>("[data-log-status]");
const followButton = one<HTMLButtonElement>("[data-follow]");
const searchBox = one<HTMLInputElement>("[data-page-search]");
const lineBox = one<HTMLInputElement>("[data-line]");
const writerBox = one<HTMLSelectElement>("[data-writer]");
const copyButton = one<HTMLButtonElement>("[data-copy-lines]");
const maskNote = one<HTMLElement>("[data-masked]");
let writers: Writer[] = [];
/** The key of a search that has not begun yet. */
let typing: number | undefined;
/** Where to go once the server has found more. */
let awaited: 1 | -1 | undefined;

const lines = new Lines(root.dataset.linesUrl ?? "", () => {
  showPart(root, lines.total ? "full" : "empty");
  maskNote.hidden = lines.masked === 0 && maskNote.dataset.masked !== "shown";
  viewer.render();
  if (!search.isActive) showStatus();
});
const viewer = new Viewer(box, lines, (follow) => {
  followButton.setAttribute("aria-pressed", String(follow));
});
const patterns = new Patterns(() => viewer.render());
const search = new Search(root.dataset.searchUrl ?? "", (done) => {
  if (done < 1) status.textContent = word("searching", { percent: Math.round(done * 100) });
  else showStatus();
  viewer.render();
  goOn();
});

function showStatus(): void {
  const n = formatCount(lines.total);
  if (!search.isActive) status.textContent = word("lineCount", { n });
  else if (!search.hits.length) status.textContent = word("notFound");
  else {
    const all = formatCount(search.hits.length) + (search.isCut ? "+" : "");
    const [line] = viewer.marked;
    status.textContent =
      line >= 0 && search.hits.includes(line)
        ? word("foundAt", { n: formatCount(search.rank(line)), all })
        : word(all === "1" ? "foundOne" : "foundAll", { all });
  }
}

async function start(): Promise<void> {
  try {
    await lines.refresh();
    goToHash();
  } catch {
    showPart(root, "error");
    return;
  }
  const reply = await getJson<{ writers: Writer[] }>(root.dataset.writersUrl ?? "").catch(() => ({
    writers: [],
  }));
  showWriters(reply.writers);
}

/** `#L120` marks a line, `#L120-L140` some. */
function goToHash(): void {
  const named = linesIn(location.hash, lines.total);
  if (!named) return;
  viewer.goTo(...named);
  copyButton.hidden = false;
}

function showWriters(found: Writer[]): void {
  writers = found;
  one<HTMLElement>("[data-writers]").hidden = found.length < 2;
  for (const { id, label } of found) {
    const option = make("option", "", word("writer", { label }));
    option.value = id;
    writerBox.append(option);
  }
}

const isOn = (name: string) => one(`[data-toggle="${name}"]`).getAttribute("aria-pressed") === "true";

async function begin(): Promise<void> {
  clearTimeout(typing);
  typing = undefined;
  const text = searchBox.value;
  patterns.clear();
  viewer.needle = text ? needleOf(text, isOn("regex"), isOn("exact"), patterns) : null;
  viewer.marked = [-1, -1];
  viewer.render();
  try {
    await search.start(
      text ? { text, regex: isOn("regex"), exact: isOn("exact"), raw: isOn("raw") } : undefined,
    );
    searchBox.setCustomValidity("");
    showStatus();
    goOn();
  } catch (error) {
    if ((error as Error).name === "AbortError") return;
    awaited = undefined;
    searchBox.setCustomValidity(word("notFound"));
    status.textContent = word("badSearch");
  }
}

/** Go to the next or previous hit: at once where it is known, else as soon as the server has found it. */
function find(direction: 1 | -1): void {
  if (typing !== undefined) void begin();
  const from = viewer.marked[0] >= 0 ? viewer.marked[0] : viewer.topLine - (direction === 1 ? 1 : 0);
  const hit = search.next(from, direction, (line) => viewer.shown.has(line));
  // hits come in the order of their lines, so that one after this line is the next, whatever comes still
  const isSure = !search.isBusy || (direction === 1 && hit !== undefined && hit > from);
  awaited = isSure ? undefined : direction;
  if (!isSure || hit === undefined) return;
  viewer.goTo(hit);
  copyButton.hidden = false;
  showStatus();
}

function goOn(): void {
  if (awaited) find(awaited);
}

async function copyLines(): Promise<void> {
  const [first, last] = viewer.marked;
  if (first < 0) return;
  const found = await lines.between(first, Math.min(last, first + MOST_COPIED));
  const shown = found.filter(({ n }) => viewer.shown.has(n));
  const text = shown.map((line) => plainText(line.text ?? "", viewer.raw)).join("\n");
  if (await copyText(text, copyButton)) announce(word("copied"));
  else toast(word("copyFailed"), "error");
}

/** Toggles that are remembered, and what each changes. */
const toggles: Record<string, (on: boolean) => void> = {
  wrap: (on) => {
    viewer.wrap = on;
  },
  raw: (on) => {
    viewer.raw = on;
    if (search.isActive) void begin();
  },
  times: (on) => box.classList.toggle("has-no-times", !on),
  regex: () => void (search.isActive && begin()),
  exact: () => void (search.isActive && begin()),
};
for (const [name, act] of Object.entries(toggles)) {
  const button = one<HTMLButtonElement>(`[data-toggle="${name}"]`);
  const set = (on: boolean) => {
    button.setAttribute("aria-pressed", String(on));
    act(on);
    viewer.render();
  };
  set(recall(`runyard-log-${name}`, name === "times"));
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    remember(`runyard-log-${name}`, on);
    set(on);
  });
}

searchBox.addEventListener("input", () => {
  awaited = undefined;
  clearTimeout(typing);
  typing = window.setTimeout(() => void begin(), TYPING_MS);
});
searchBox.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    searchBox.value = "";
    awaited = undefined;
    void begin();
  }
  if (event.key !== "Enter") return;
  event.preventDefault();
  find(event.shiftKey ? -1 : 1);
});
one("[data-find-next]").addEventListener("click", () => find(1));
one("[data-find-previous]").addEventListener("click", () => find(-1));
one("[data-retry-lines]").addEventListener("click", () => void start());
followButton.addEventListener("click", () => viewer.setFollow(!viewer.follow));
copyButton.addEventListener("click", () => void copyLines());
lineBox.addEventListener("change", () => {
  const n = Number(lineBox.value);
  if (Number.isInteger(n) && n > 0) viewer.goTo(Math.min(n, lines.total) - 1);
});
writerBox.addEventListener("change", () => {
  const writer = writers.find(({ id }) => id === writerBox.value);
  viewer.show(new Rows(writerBox.selectedIndex > 0 ? (writer?.ranges ?? null) : null));
});
box.addEventListener("click", (event) => {
  const number = (event.target as Element).closest<HTMLAnchorElement>("a.log-number");
  if (!number) return;
  event.preventDefault();
  const n = Number(number.closest<HTMLElement>(".log-row")?.dataset.line);
  const [from] = viewer.marked;
  const [first, last] = event.shiftKey && from >= 0 ? [Math.min(from, n), Math.max(from, n)] : [n, n];
  viewer.setFollow(false);
  viewer.marked = [first, last];
  viewer.render();
  copyButton.hidden = false;
  history.replaceState(null, "", linkTo(first, last));
});
addEventListener("hashchange", goToHash);
document.addEventListener("run-message", (event) => {
  const message = (event as CustomEvent<RunMessage>).detail;
  if (message.type !== "rows" || message.log === undefined) return;
  void lines
    .refresh(message.log)
    .then(() => search.more())
    .catch(() => undefined);
});
document.addEventListener("run-connected", () => void lines.refresh().catch(() => undefined));
void start();
