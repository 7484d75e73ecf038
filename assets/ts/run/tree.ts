import { make, makeIcon, makeIconButton } from "../lib/dom";
import { formatValue } from "../lib/format";
import { word } from "../lib/words";
import { isMedia, kindOf } from "../media/kinds";

/** [key, type, text] of a value; with nodes of what is in it, or where a table lies. See runs/run_page/value_tree.py. */
export type Node = [key: string, kind: string, text: string, inner?: Node[] | null, reference?: string];

/** Smallest and largest value of a metric. */
export type Extremes = [min: number, max: number];

/** Values longer than this are folded to one line, characters. */
const LONG = 160;
/** Trees of more nodes begin with their groups closed. */
const MANY = 400;

/** A tree of values: groups open and close, a search narrows it, every key and value can be copied. */
export class ValueTree {
  private nodes: Node[] = [];
  private readonly closed = new Set<string>();
  private readonly long = new Set<string>();
  private words: string[] = [];
  private shown = 0;
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
    this.words = text.toLowerCase().split(/\s+/).filter(Boolean);
    this.draw();
  }

  /** Close all groups, or open them. */
  fold(all: boolean): void {
    this.closed.clear();
    if (all) walk(this.nodes, "", (path, node) => node[3] && this.closed.add(path));
    this.draw();
  }

  get hasGroups(): boolean {
    return this.nodes.some((node) => node[3]);
  }

  private draw(): void {
    const rows: HTMLElement[] = [];
    this.shown = 0;
    for (const node of this.nodes) this.add(rows, node, "", 0);
    const list = make("div", "tree-rows");
    list.classList.toggle("has-groups", this.hasGroups);
    list.classList.toggle("has-extremes", this.extremes.size > 0);
    if (this.extremes.size > 0 && rows.length > 0) list.append(head());
    list.append(...rows);
    this.box.replaceChildren(list);
    this.changed(this.shown, countLeaves(this.nodes));
  }

  private add(rows: HTMLElement[], node: Node, before: string, depth: number): boolean {
    const [key, , text, inner] = node;
    const path = before ? `${before}.${key}` : key;
    if (!inner) {
      if (!this.matches(`${path} ${text}`)) return false;
      this.shown += 1;
      rows.push(this.leaf(node, path, depth));
      return true;
    }
    const at = rows.length;
    const isOpen = this.words.length > 0 || !this.closed.has(path);
    rows.push(this.group(node, path, depth, isOpen));
    if (!isOpen) {
      this.shown += countLeaves(inner);
      return true;
    }
    let any = false;
    for (const child of inner) any = this.add(rows, child, path, depth + 1) || any;
    if (!any && this.words.length) rows.length = at;
    return any;
  }

  private matches(text: string): boolean {
    const lower = text.toLowerCase();
    return this.words.every((part) => lower.includes(part));
  }

  private group([key, kind, , inner]: Node, path: string, depth: number, isOpen: boolean): HTMLElement {
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

  private leaf([key, kind, text, , reference]: Node, path: string, depth: number): HTMLElement {
    const row = this.row(path, depth);
    const name = make("span", "tree-key mono", key);
    name.title = path;
    const value = make("code", `tree-value is-${kind}`);
    const isLong = text.length > LONG || text.includes("\n");
    const isOpen = this.long.has(path);
    value.textContent = isLong && !isOpen ? text.slice(0, LONG).replace(/\n/g, "⏎ ") : this.short(kind, text);
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

  /** A number as people read it; the exact one is on hover and copied. */
  private short(kind: string, text: string): string {
    const value = Number(text);
    if (kind !== "float" || !Number.isFinite(value)) return text;
    if (this.mediaUrl) return formatValue(value); // a metric is measured, a setting is exact
    return text.length > 12 ? String(Number(value.toPrecision(12))) : text;
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
    else if (copy) copy.dataset.copy = this.json(copy.closest<HTMLElement>(".tree-row")?.dataset.path ?? "");
  }

  private flip(set: Set<string>, path: string, kind: string): void {
    if (!set.delete(path)) set.add(path);
    this.draw();
    this.box.querySelector<HTMLElement>(`[data-${kind}="${CSS.escape(path)}"]`)?.focus();
  }

  private json(path: string): string {
    let text = "";
    walk(this.nodes, "", (here, node) => {
      if (here === path) text = node[1] === "string" ? node[2] : jsonOf(node);
    });
    return text;
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

function jsonOf([, kind, text, inner]: Node): string {
  if (!inner) return kind === "string" ? JSON.stringify(text) : text;
  const parts = inner.map((node) =>
    kind === "list" ? jsonOf(node) : `${JSON.stringify(node[0])}: ${jsonOf(node)}`,
  );
  return kind === "list" ? `[${parts.join(", ")}]` : `{${parts.join(", ")}}`;
}

function walk(nodes: Node[], before: string, visit: (path: string, node: Node) => void): void {
  for (const node of nodes) {
    const path = before ? `${before}.${node[0]}` : node[0];
    visit(path, node);
    if (node[3]) walk(node[3], path, visit);
  }
}

function countLeaves(nodes: Node[]): number {
  return nodes.reduce((sum, node) => sum + (node[3] ? countLeaves(node[3]) : 1), 0);
}
