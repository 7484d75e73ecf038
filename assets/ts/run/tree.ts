import { make, makeIcon, makeIconButton } from "../lib/dom";
import { formatValue } from "../lib/format";
import { wordsOf } from "../lib/matching";
import { word } from "../lib/words";
import { isMedia, kindOf } from "../media/kinds";
import {
  copiedValue,
  countLeaves,
  groupPaths,
  type Node,
  rowsOf,
  shownText,
  type TreeRow,
} from "./tree-rows";

/** Smallest and largest value of a metric. */
export type Extremes = [min: number, max: number];

/** Trees of more nodes begin with their groups closed. */
const MANY = 400;

/** A tree of values: groups open and close, a search narrows it, every key and value can be copied. */
export class ValueTree {
  private nodes: Node[] = [];
  private readonly closed = new Set<string>();
  private readonly long = new Set<string>();
  private words: string[] = [];
  private extremes = new Map<string, Extremes>();

  constructor(
    private readonly box: HTMLElement,
    private readonly changed: (shown: number, all: number) => void,
    /** The page to which media lead; without it they are words only. */
    private readonly mediaUrl?: string,
    /** Leads to a file of an artifact, by the reference to it. */
    private readonly filesUrl?: string,
  ) {
    box.addEventListener("click", (event) => this.clicked(event));
  }

  set(nodes: Node[]): void {
    const isFirst = this.nodes.length === 0;
    this.nodes = nodes;
    if (isFirst && countLeaves(nodes) > MANY) this.fold(true);
    else this.draw();
  }

  /** Show the extremes of metrics beside their last values, by path. */
  setExtremes(extremes: Map<string, Extremes>): void {
    this.extremes = extremes;
    this.draw();
  }

  search(text: string): void {
    this.words = wordsOf(text);
    this.draw();
  }

  /** Close all groups, or open them. */
  fold(all: boolean): void {
    this.closed.clear();
    if (all) for (const path of groupPaths(this.nodes)) this.closed.add(path);
    this.draw();
  }

  get hasGroups(): boolean {
    return this.nodes.some((node) => node[3]);
  }

  private draw(): void {
    const { rows, shown } = rowsOf(this.nodes, this.words, this.closed);
    const list = make("div", "tree-rows");
    list.classList.toggle("has-groups", this.hasGroups);
    list.classList.toggle("has-extremes", this.extremes.size > 0);
    if (this.extremes.size > 0 && rows.length > 0) list.append(head());
    list.append(...rows.map((row) => (row.node[3] ? this.group(row) : this.leaf(row))));
    this.box.replaceChildren(list);
    this.changed(shown, countLeaves(this.nodes));
  }

  private group({ node: [key, kind, , inner], path, depth, isOpen }: TreeRow): HTMLElement {
    const row = this.row(path, depth);
    const toggle = make("button", "tree-toggle");
    toggle.type = "button";
    toggle.setAttribute("aria-expanded", String(isOpen));
    toggle.dataset.toggle = path;
    toggle.append(makeIcon(isOpen ? "chevron-down" : "chevron-right"), make("span", "mono", key));
    const note = make("span", "tree-type", `${inner?.length ?? 0}`);
    note.title = kind;
    row.append(toggle, note, this.tools(path));
    return row;
  }

  private leaf({ node, path, depth }: TreeRow): HTMLElement {
    const [key, kind, text, , reference] = node;
    const row = this.row(path, depth);
    const name = make("span", "tree-key mono", key);
    name.title = path;
    const value = make("code", `tree-value is-${kind}`);
    const isOpen = this.long.has(path);
    const { text: shown, isLong } = shownText(node, isOpen, Boolean(this.mediaUrl));
    value.textContent = shown;
    if (!isLong || isOpen) value.title = `${kind} ${text.slice(0, 1000)}`;
    if (this.mediaUrl && (isMedia(kind) || kindOf(kind)[1] === "kindTable")) {
      const link = make("a", "", text);
      link.href = `${this.mediaUrl}#${encodeURIComponent(path)}`;
      value.replaceChildren(link);
    }
    if (this.filesUrl && reference)
      value.append(" ", fileLink(`${this.filesUrl}?${new URLSearchParams({ reference })}`));
    row.append(name, value);
    if (isLong) {
      row.classList.toggle("is-open", isOpen);
      const more = make("button", "tree-more", word(isOpen ? "showLess" : "showAll"));
      more.type = "button";
      more.dataset.more = path;
      row.append(more);
    }
    const range = this.extremes.get(path);
    for (const edge of range ?? [])
      row.append(make("span", "tree-edge num", formatValue(Number(edge.toPrecision(4)))));
    row.append(this.tools(path));
    return row;
  }

  private row(path: string, depth: number): HTMLElement {
    const row = make("div", "tree-row");
    row.dataset.path = path;
    row.style.setProperty("--depth", String(depth));
    return row;
  }

  private tools(path: string): HTMLElement {
    const tools = make("span", "tree-tools");
    for (const [act, icon, label] of [
      ["key", "key-round", "copyKey"],
      ["value", "copy", "copyValue"],
    ] as const) {
      const button = makeIconButton(icon, word(label));
      button.className = "copy";
      button.dataset.act = act;
      button.dataset.copy = act === "key" ? path : ""; // the value is put there when it is wanted
      tools.append(button);
    }
    return tools;
  }

  private clicked(event: Event): void {
    const target = event.target as Element;
    const toggle = target.closest<HTMLElement>("[data-toggle]");
    const more = target.closest<HTMLElement>("[data-more]");
    const copy = target.closest<HTMLElement>('[data-act="value"]');
    if (toggle) this.flip(this.closed, toggle.dataset.toggle ?? "", "toggle");
    else if (more) this.flip(this.long, more.dataset.more ?? "", "more");
    else if (copy)
      copy.dataset.copy = copiedValue(this.nodes, copy.closest<HTMLElement>(".tree-row")?.dataset.path ?? "");
  }

  private flip(set: Set<string>, path: string, kind: string): void {
    if (!set.delete(path)) set.add(path);
    this.draw();
    this.box.querySelector<HTMLElement>(`[data-${kind}="${CSS.escape(path)}"]`)?.focus();
  }
}

function head(): HTMLElement {
  const row = make("div", "tree-row tree-head");
  for (const name of ["last", "least", "greatest"]) row.append(make("span", "", word(name)));
  return row;
}

function fileLink(url: string): HTMLElement {
  const link = make("a", "tree-file", word("openFile"));
  link.href = url;
  return link;
}
