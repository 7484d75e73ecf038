import type { Lineage, LineageEdge, LineageNode } from "./lineage-graph";

/** So many nodes that play the same part are drawn as one card. */
export const FEWEST_STACKED = 5;

/** A node as it is drawn: a card of its own, or a stack of `members`. */
export interface DrawnNode extends LineageNode {
  members?: LineageNode[];
}

export interface DrawnLineage {
  nodes: DrawnNode[];
  edges: LineageEdge[];
}

/**
 * Draw nodes that play the same part as one stack, but for the stacks in `opened`.
 *
 * A sweep of a hundred runs, each with its model, is two cards then. The focus is never stacked, and what is hidden says
 * its number itself.
 */
export function stacked({ nodes, edges }: Lineage, opened: ReadonlySet<string>): DrawnLineage {
  const stackOf = new Map<string, string>();
  const drawn: DrawnNode[] = [];
  for (const members of sameParts(nodes, edges)) {
    const [first] = members;
    if (!first) continue;
    const id = `stack:${first.id}`;
    if (members.length < FEWEST_STACKED || first.kind === "hidden" || opened.has(id)) {
      drawn.push(...members);
      continue;
    }
    for (const member of members) stackOf.set(member.id, id);
    drawn.push({ ...first, id, url: "", subtitle: sharedSubtitle(members), members });
  }
  const place = new Map(nodes.map(({ id }, index) => [id, index]));
  const order = (node: DrawnNode) => place.get(node.members?.[0]?.id ?? node.id) ?? 0;
  drawn.sort((one, other) => order(one) - order(other));
  return { nodes: drawn, edges: withoutDoubles(edges, stackOf) };
}

function sharedSubtitle(members: LineageNode[]): string {
  const subtitles = new Set(members.map(({ subtitle }) => subtitle));
  if (subtitles.size === 1) return members[0]?.subtitle ?? "";
  return `${members
    .slice(0, 3)
    .map(({ title }) => title)
    .join(", ")}, …`;
}

function withoutDoubles(edges: LineageEdge[], stackOf: Map<string, string>): LineageEdge[] {
  const found = new Map<string, LineageEdge>();
  for (const { from, to, kind } of edges) {
    const edge = { from: stackOf.get(from) ?? from, to: stackOf.get(to) ?? to, kind };
    found.set(`${edge.from}\n${edge.to}`, edge);
  }
  return [...found.values()];
}

/**
 * Sort nodes by the part they play: kind, type, and the parts of what is before and after them.
 *
 * Each round splits the parts of the one before, until none is split any more, as states of automata are merged.
 */
function sameParts(nodes: LineageNode[], edges: LineageEdge[]): LineageNode[][] {
  let parts = new Map(nodes.map((node) => [node.id, firstPart(node)]));
  let groups = groupsOf(nodes, parts);
  for (;;) {
    parts = splitParts(edges, parts);
    const split = groupsOf(nodes, parts);
    if (split.length === groups.length) return split;
    groups = split;
  }
}

function firstPart({ id, kind, type, is_focus }: LineageNode): string {
  return is_focus ? id : `${kind} ${type ?? ""}`;
}

function splitParts(edges: LineageEdge[], parts: Map<string, string>): Map<string, string> {
  const around = new Map(
    [...parts].map(([id, part]) => [id, { part, before: new Set<string>(), after: new Set<string>() }]),
  );
  for (const { from, to } of edges) {
    around.get(from)?.after.add(parts.get(to) ?? "");
    around.get(to)?.before.add(parts.get(from) ?? "");
  }
  const numbers = new Map<string, string>();
  const numbered = (name: string) => {
    if (!numbers.has(name)) numbers.set(name, String(numbers.size));
    return numbers.get(name) ?? "";
  };
  return new Map(
    [...around].map(([id, { part, before, after }]) => [
      id,
      numbered(JSON.stringify([part, [...before].sort(), [...after].sort()])),
    ]),
  );
}

function groupsOf(nodes: LineageNode[], parts: Map<string, string>): LineageNode[][] {
  const groups = new Map<string, LineageNode[]>();
  for (const node of nodes) {
    const part = parts.get(node.id) ?? "";
    const group = groups.get(part);
    if (group) group.push(node);
    else groups.set(part, [node]);
  }
  return [...groups.values()];
}
