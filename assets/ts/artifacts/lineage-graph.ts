/** A run, a version of an artifact, or what the reader may not see. */
export type NodeKind = "run" | "version" | "hidden";

/** What the server says of one node; `type` is the artifact's, `state` the run's, and what is hidden has no `url`. */
export interface LineageNode {
  id: string;
  kind: NodeKind;
  title: string;
  subtitle: string;
  url: string;
  type?: string;
  state?: string;
  is_focus: boolean;
}

/** A run logged a version (`output`), or used one (`input`): from what was first to what came of it. */
export interface LineageEdge {
  from: string;
  to: string;
  kind: "output" | "input";
}

export interface Lineage {
  nodes: LineageNode[];
  edges: LineageEdge[];
  left_out: number;
}

/** The nodes right after and right before each. */
export interface Ties {
  after: Map<string, string[]>;
  before: Map<string, string[]>;
}

/** Read both directions of the edges; those to unknown nodes are left out. */
export function tiesOf(nodes: { id: string }[], edges: LineageEdge[]): Ties {
  const after = new Map(nodes.map(({ id }) => [id, [] as string[]]));
  const before = new Map(nodes.map(({ id }) => [id, [] as string[]]));
  for (const { from, to } of edges) {
    if (!after.has(from) || !before.has(to)) continue;
    after.get(from)?.push(to);
    before.get(to)?.push(from);
  }
  return { after, before };
}

/** All that can be reached from `start`, which is among it; cycles end where they began. */
export function reached(start: string, step: Map<string, string[]>): Set<string> {
  const seen = new Set([start]);
  for (const id of seen) for (const next of step.get(id) ?? []) seen.add(next);
  return seen;
}

/** What led to a node and what came of it, by itself: siblings are in neither. */
export function kinOf(
  id: string,
  { after, before }: Ties,
): { ancestors: Set<string>; descendants: Set<string> } {
  return { ancestors: reached(id, before), descendants: reached(id, after) };
}

/** Whether an edge is on a way through the node whose kin is given. */
export function isOnWay(
  { from, to }: LineageEdge,
  { ancestors, descendants }: ReturnType<typeof kinOf>,
): boolean {
  return (ancestors.has(from) && ancestors.has(to)) || (descendants.has(from) && descendants.has(to));
}

/** A node's middle, pixels of the unscaled plane. */
export interface Place {
  x: number;
  y: number;
}

/** The node that an arrow key leads to: along edges to the sides, within the column up and down; none at an end. */
export function neighbourOf(
  key: string,
  id: string,
  places: Map<string, Place>,
  { after, before }: Ties,
): string | undefined {
  const here = places.get(id);
  if (!here) return undefined;
  if (key === "ArrowRight") return nearest(here, after.get(id) ?? [], places);
  if (key === "ArrowLeft") return nearest(here, before.get(id) ?? [], places);
  const sign = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (!sign) return undefined;
  const column = [...places].filter(([, { x, y }]) => Math.abs(x - here.x) < 1 && (y - here.y) * sign > 0);
  return nearest(
    here,
    column.map(([other]) => other),
    places,
  );
}

function nearest(here: Place, ids: string[], places: Map<string, Place>): string | undefined {
  const distance = (id: string) => Math.abs((places.get(id)?.y ?? Infinity) - here.y);
  return ids.filter((id) => places.has(id)).sort((one, other) => distance(one) - distance(other))[0];
}
