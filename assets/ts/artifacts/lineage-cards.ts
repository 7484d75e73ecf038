import { make, makeIcon } from "../lib/dom";
import { entryOf } from "../lib/record";
import { word } from "../lib/words";
import type { DrawnNode } from "./lineage-stacks";

const ICONS: Record<string, string> = {
  dataset: "database",
  model: "box",
  code: "file-code",
  run_table: "rows-3",
};

/** One card: a link where it leads somewhere, a button where it is a stack. Only `tabIndex` 0 is met by Tab. */
export function cardOf(node: DrawnNode): HTMLElement {
  const card = elementOf(node);
  card.className = `lineage-card is-${node.kind}${node.members ? " is-stack" : ""}`;
  card.dataset.id = node.id;
  card.tabIndex = -1;
  if (node.is_focus) card.setAttribute("aria-current", "true");
  const tile = make("span", "lineage-tile");
  tile.append(makeIcon(iconOf(node)));
  if (node.state && !node.members) tile.append(stateDot(node.state));
  const text = make("span", "lineage-text");
  text.append(titleOf(node), make("span", "lineage-subtitle", node.subtitle));
  card.append(tile, text);
  if (node.members) card.append(makeIcon("unfold-horizontal"));
  card.title = [fullTitle(node), node.subtitle].filter(Boolean).join("\n");
  return card;
}

function elementOf({ members, url }: DrawnNode): HTMLElement {
  if (members) {
    const button = make("button");
    button.type = "button";
    return button;
  }
  if (!url) return make("div");
  const link = make("a");
  link.href = url;
  return link;
}

function iconOf({ kind, type, members }: DrawnNode): string {
  if (kind === "hidden") return "eye-off";
  if (members) return "layers";
  return kind === "run" ? "activity" : (entryOf(ICONS, type ?? "") ?? "box");
}

function stateDot(state: string): HTMLElement {
  const dot = make("span", "state-dot");
  dot.dataset.state = state;
  return dot;
}

function fullTitle({ kind, title, members }: DrawnNode): string {
  if (!members) return title;
  return word(kind === "run" ? "stackedRuns" : "stackedVersions", { n: members.length });
}

/** The title, which is cut before the number of the version; screen readers hear first what it is. */
function titleOf(node: DrawnNode): HTMLElement {
  const line = make("span", "lineage-title");
  const full = fullTitle(node);
  const kind = node.members
    ? ""
    : { run: word("lineageRun"), version: word("lineageVersion"), hidden: "" }[node.kind];
  if (kind) line.append(make("span", "visually-hidden", `${kind} `));
  const [title, number] = titleParts(node, full);
  line.append(make("span", "truncate", title));
  if (number) line.append(make("span", "lineage-number", number));
  return line;
}

/** A title, and the number of the version with its colon, before which it is cut; "" for what has none. */
export function titleParts(
  { kind, members }: Pick<DrawnNode, "kind" | "members">,
  title: string,
): [name: string, number: string] {
  const colon = kind === "version" && !members ? title.lastIndexOf(":") : -1;
  return colon < 0 ? [title, ""] : [title.slice(0, colon), title.slice(colon)];
}
