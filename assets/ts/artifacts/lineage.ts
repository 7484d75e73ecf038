import { toast } from "../lib/announce";
import { one } from "../lib/dom";
import { word } from "../lib/words";
import type { Lineage } from "./lineage-graph";

/** Draw `[data-lineage]`, if the page has one, beside its list; the list stays where there is nothing to draw. */
export function enableLineage(): void {
  const root = document.querySelector<HTMLElement>("[data-lineage]");
  if (root) void draw(root);
}

async function draw(root: HTMLElement): Promise<void> {
  try {
    const lineage = read(root);
    if (!lineage.edges.length) return;
    const { LineageView } = await import("./lineage-view");
    enableSwitch(root);
    new LineageView(root, lineage);
  } catch {
    show(root, "list");
    toast(word("lineageFailed"), "error");
  }
}

/** The graph that lies in the page. */
function read(root: HTMLElement): Lineage {
  return JSON.parse(one("script[type='application/json']", root).textContent ?? "") as Lineage;
}

function enableSwitch(root: HTMLElement): void {
  const choice = one<HTMLElement>("[data-lineage-choice]", root);
  choice.hidden = false;
  choice.addEventListener("click", (event) => {
    const part = (event.target as Element).closest<HTMLElement>("[data-shows]")?.dataset.shows;
    if (part) show(root, part);
  });
  show(root, "graph");
}

/** Show one of the parts "graph" and "list". */
function show(root: HTMLElement, part: string): void {
  root.dataset.shown = part;
  for (const button of root.querySelectorAll<HTMLElement>("[data-shows]"))
    button.setAttribute("aria-pressed", String(button.dataset.shows === part));
}
