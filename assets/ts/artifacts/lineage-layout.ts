import dagre, { type Graph } from "@dagrejs/dagre";
import type { LineageEdge, Place } from "./lineage-graph";
import type { DrawnLineage } from "./lineage-stacks";

/** The size of every card, pixels of the unscaled plane; the style sheet has it too. */
export const CARD = { width: 216, height: 56 };

export interface Layout {
  places: Map<string, Place>;
  /** SVG paths in the order of the edges. */
  paths: { edge: LineageEdge; path: string }[];
  width: number;
  height: number;
}

/** Place the cards from left to right, and lead each edge around the cards between its ends. */
export function placeNodes({ nodes, edges }: DrawnLineage): Layout {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 20, edgesep: 14, ranksep: 72, marginx: 0, marginy: 0 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of nodes) graph.setNode(id, { ...CARD });
  for (const { from, to } of edges) if (graph.hasNode(from) && graph.hasNode(to)) graph.setEdge(from, to);
  dagre.layout(graph);
  const places = new Map<string, Place>();
  for (const { id } of nodes) {
    const { x = 0, y = 0 } = graph.node(id);
    places.set(id, { x, y });
  }
  const { width = 0, height = 0 } = graph.graph();
  return { places, paths: edges.flatMap((edge) => pathOf(edge, places, graph)), width, height };
}

function pathOf(edge: LineageEdge, places: Map<string, Place>, graph: Graph): Layout["paths"] {
  const from = places.get(edge.from);
  const to = places.get(edge.to);
  if (!from || !to) return [];
  const between = (graph.edge(edge.from, edge.to).points ?? []).slice(1, -1) as Place[];
  const ends = [
    { x: from.x + CARD.width / 2, y: from.y },
    { x: to.x - CARD.width / 2, y: to.y },
  ] as const;
  return [{ edge, path: curve([ends[0], ...bends(between, from, to), ends[1]]) }];
}

/** The points at which a long edge passes other cards; what dagre adds between neighbouring columns is no bend. */
function bends(between: Place[], from: Place, to: Place): Place[] {
  const half = CARD.width / 2;
  return between.filter(
    ({ x }) => x > from.x + half + 1 && x < to.x - half - 1 && Math.abs(to.x - from.x) > CARD.width * 2,
  );
}

/** A line through all points that leaves and enters each of them level. */
export function curve(points: Place[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  let path = `M${round(first.x)} ${round(first.y)}`;
  let before = first;
  for (const point of rest) {
    const middle = round((before.x + point.x) / 2);
    path += `C${middle} ${round(before.y)} ${middle} ${round(point.y)} ${round(point.x)} ${round(point.y)}`;
    before = point;
  }
  return path;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
