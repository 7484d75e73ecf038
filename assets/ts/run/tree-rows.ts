import { formatValue } from "../lib/format";
import { hasWords } from "../lib/matching";

/** [key, type, text] of a value; with nodes of what is in it, or where a table lies. See runs/run_page/value_tree.py. */
export type Node = [key: string, kind: string, text: string, inner?: Node[] | null, reference?: string];

/** Values longer than this are folded to one line, characters. */
const LONG = 160;

/** A line of the tree: a group, or a value. */
export interface TreeRow {
  node: Node;
  path: string;
  depth: number;
  /** Of a group: whether what is in it follows. */
  isOpen: boolean;
}

/** The lines that are shown: of what has all `words`, with the groups around it; closed groups open for a search. */
export function rowsOf(
  nodes: readonly Node[],
  words: readonly string[],
  closed: ReadonlySet<string>,
): { rows: TreeRow[]; shown: number } {
  const rows: TreeRow[] = [];
  let shown = 0;
  const add = (node: Node, before: string, depth: number): boolean => {
    const [key, , text, inner] = node;
    const path = before ? `${before}.${key}` : key;
    if (!inner) {
      if (!hasWords(`${path} ${text}`, words)) return false;
      shown += 1;
      rows.push({ node, path, depth, isOpen: false });
      return true;
    }
    const at = rows.length;
    const isOpen = words.length > 0 || !closed.has(path);
    rows.push({ node, path, depth, isOpen });
    if (!isOpen) {
      shown += countLeaves(inner);
      return true;
    }
    let any = false;
    for (const child of inner) any = add(child, path, depth + 1) || any;
    if (!any && words.length) rows.length = at;
    return any;
  };
  for (const node of nodes) add(node, "", 0);
  return { rows, shown };
}

/** How a value is written: in one line and cut where it is long, unless it is open. */
export function shownText(
  [, kind, text]: Node,
  isOpen: boolean,
  isMetric: boolean,
): { text: string; isLong: boolean } {
  const isLong = text.length > LONG || text.includes("\n");
  if (isLong && !isOpen) return { text: text.slice(0, LONG).replace(/\n/g, "⏎ "), isLong };
  return { text: shortNumber(kind, text, isMetric), isLong };
}

/** A number as people read it: a metric is measured, a setting is exact. */
function shortNumber(kind: string, text: string, isMetric: boolean): string {
  const value = Number(text);
  if (kind !== "float" || !Number.isFinite(value)) return text;
  if (isMetric) return formatValue(value);
  return text.length > 12 ? String(Number(value.toPrecision(12))) : text;
}

/** What copying the value at a path gives: JSON, or a text as it is. */
export function copiedValue(nodes: readonly Node[], path: string): string {
  let text = "";
  walk(nodes, "", (here, node) => {
    if (here === path) text = node[1] === "string" ? node[2] : jsonOf(node);
  });
  return text;
}

/** The paths of all groups. */
export function groupPaths(nodes: readonly Node[]): string[] {
  const paths: string[] = [];
  walk(nodes, "", (path, node) => node[3] && paths.push(path));
  return paths;
}

export function countLeaves(nodes: readonly Node[]): number {
  return nodes.reduce((sum, node) => sum + (node[3] ? countLeaves(node[3]) : 1), 0);
}

function jsonOf([, kind, text, inner]: Node): string {
  if (!inner) return kind === "string" ? JSON.stringify(text) : text;
  const parts = inner.map((node) =>
    kind === "list" ? jsonOf(node) : `${JSON.stringify(node[0])}: ${jsonOf(node)}`,
  );
  return kind === "list" ? `[${parts.join(", ")}]` : `{${parts.join(", ")}}`;
}

function walk(nodes: readonly Node[], before: string, visit: (path: string, node: Node) => void): void {
  for (const node of nodes) {
    const path = before ? `${before}.${node[0]}` : node[0];
    visit(path, node);
    if (node[3]) walk(node[3], path, visit);
  }
}
