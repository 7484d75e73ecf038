import type { RunMessage } from "../charts/wire";
import { one, throttle } from "../lib/dom";
import { getJson } from "../lib/http";
import { word } from "../lib/words";
import { type Extremes, ValueTree } from "./tree";
import type { Node } from "./tree-rows";

/** A live summary is read again at most this often, milliseconds. */
const PAUSE_MS = 1000;

/** Make every `[data-tree-part]` section a tree; those marked live follow the run. */
export function enableTrees(): void {
  for (const section of document.querySelectorAll<HTMLElement>("[data-tree-part]")) enable(section);
}

function enable(section: HTMLElement): void {
  const box = one<HTMLElement>(".value-tree", section);
  const count = one<HTMLElement>("[data-tree-count]", section);
  const note = one<HTMLElement>("[data-no-match]", section);
  const fold = one<HTMLButtonElement>("[data-tree-fold]", section);
  const search = one<HTMLInputElement>("[data-tree-search]", section);
  const tree = new ValueTree(
    box,
    (shown, all) => {
      count.textContent = shown === all ? String(all) : word("shownOf", { n: shown, all });
      note.hidden = shown > 0 || all === 0;
      box.hidden = shown === 0;
    },
    section.dataset.media,
    section.dataset.files,
  );
  const show = (nodes: Node[]) => {
    for (const part of section.querySelectorAll<HTMLElement>("[data-tree-tools], [data-tree-count]"))
      part.hidden = nodes.length === 0;
    one<HTMLElement>("[data-tree-empty]", section).hidden = nodes.length > 0;
    tree.set(nodes);
    fold.hidden = !tree.hasGroups;
  };
  show(JSON.parse(one("script", section).textContent ?? "[]") as Node[]);
  search.addEventListener("input", () => tree.search(search.value));
  fold.addEventListener("click", () => {
    const pressed = fold.getAttribute("aria-pressed") !== "true";
    fold.setAttribute("aria-pressed", String(pressed));
    tree.fold(pressed);
  });
  if (section.dataset.live === undefined) return;
  const readExtremes = () =>
    void extremesOf(section.dataset.keys ?? "").then((found) => tree.setExtremes(found));
  readExtremes();
  follow(section.dataset.url ?? "", box, (nodes) => {
    show(nodes);
    readExtremes();
  });
}

export interface KeyReply {
  keys: { key: string; min: unknown; max: unknown }[];
}

/** The smallest and largest value of each metric that varies; none where they cannot be read. */
async function extremesOf(url: string): Promise<Map<string, Extremes>> {
  return extremesIn(await getJson<KeyReply>(url).catch(() => ({ keys: [] })));
}

export function extremesIn({ keys }: KeyReply): Map<string, Extremes> {
  const found = new Map<string, Extremes>();
  for (const { key, min, max } of keys)
    if (typeof min === "number" && typeof max === "number" && min < max) found.set(key, [min, max]);
  return found;
}

function follow(url: string, box: HTMLElement, show: (nodes: Node[]) => void): void {
  const read = throttle(() => {
    if (box.contains(document.activeElement)) return;
    void getJson<{ nodes: Node[] }>(url).then(
      (reply) => show(reply.nodes),
      () => undefined, // the next message asks again
    );
  }, PAUSE_MS);
  document.addEventListener("run-message", (event) => {
    const message = (event as CustomEvent<RunMessage>).detail;
    if (message.type !== "rows" || message.history !== undefined) read();
  });
  document.addEventListener("run-connected", read);
}
