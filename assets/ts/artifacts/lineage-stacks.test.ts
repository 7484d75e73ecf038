import assert from "node:assert/strict";
import { test } from "node:test";
import type { Lineage, LineageEdge, LineageNode } from "./lineage-graph";
import { type DrawnLineage, stacked } from "./lineage-stacks";

const NONE: ReadonlySet<string> = new Set();

function run(id: string, rest: Partial<LineageNode> = {}): LineageNode {
  return { id, kind: "run", title: id, subtitle: "finished", url: `/runs/${id}`, is_focus: false, ...rest };
}

function version(id: string, type = "model", rest: Partial<LineageNode> = {}): LineageNode {
  return run(id, { kind: "version", type, subtitle: type, ...rest });
}

function edge(from: string, to: string, kind: LineageEdge["kind"] = "output"): LineageEdge {
  return { from, to, kind };
}

/** A sweep: one dataset, and a number of runs, each with its model. */
function sweepOf(count: number): Lineage {
  const numbers = Array.from({ length: count }, (_, at) => at);
  return {
    nodes: [
      version("data", "dataset", { is_focus: true }),
      ...numbers.map((at) => run(`r${at}`)),
      ...numbers.map((at) => version(`m${at}`)),
    ],
    edges: numbers.flatMap((at) => [edge("data", `r${at}`, "input"), edge(`r${at}`, `m${at}`)]),
    left_out: 0,
  };
}

function idsOf({ nodes }: DrawnLineage): string[] {
  return nodes.map(({ id, members }) => (members ? `${id} (${members.length})` : id));
}

test("a sweep of many runs, each with its model, is two stacks", () => {
  const drawn = stacked(sweepOf(100), NONE);
  assert.deepEqual(idsOf(drawn), ["data", "stack:r0 (100)", "stack:m0 (100)"]);
  assert.deepEqual(
    drawn.edges.map(({ from, to }) => `${from}>${to}`),
    ["data>stack:r0", "stack:r0>stack:m0"],
  );
});

test("four that play the same part are drawn one by one, five are a stack", () => {
  assert.equal(stacked(sweepOf(4), NONE).nodes.length, 9);
  assert.equal(stacked(sweepOf(5), NONE).nodes.length, 3);
});

test("a stack that was opened is drawn one by one, the others stay", () => {
  const drawn = stacked(sweepOf(6), new Set(["stack:r0"]));
  assert.equal(drawn.nodes.length, 8);
  assert.equal(drawn.edges.length, 12);
});

test("a run that plays another part is not in the stack", () => {
  const lineage = sweepOf(6);
  lineage.nodes.push(version("report", "report"));
  lineage.edges.push(edge("r3", "report"));
  const drawn = stacked(lineage, NONE);
  assert.ok(idsOf(drawn).includes("r3"));
  assert.ok(idsOf(drawn).includes("m3"));
  assert.ok(idsOf(drawn).includes("stack:r0 (5)"));
});

test("what is before and after the parts around a node counts, too", () => {
  const lineage = sweepOf(10);
  lineage.nodes.push(version("other", "dataset"));
  for (let at = 5; at < 10; at += 1) lineage.edges.push(edge("other", `r${at}`, "input"));
  const ids = idsOf(stacked(lineage, NONE));
  assert.ok(ids.includes("stack:m0 (5)") && ids.includes("stack:m5 (5)"));
});

test("neither the focus nor what is hidden is stacked", () => {
  const hidden = Array.from({ length: 6 }, (_, at) => run(`h${at}`, { kind: "hidden" }));
  assert.equal(stacked({ nodes: hidden, edges: [], left_out: 0 }, NONE).nodes.length, 6);
  const focused = sweepOf(6);
  focused.nodes = focused.nodes.map((node) => ({ ...node, is_focus: node.id === "r2" }));
  assert.ok(idsOf(stacked(focused, NONE)).includes("r2"));
});

test("a stack says what all of its members say, or names the first three", () => {
  const [, same] = stacked(sweepOf(5), NONE).nodes;
  assert.equal(same?.subtitle, "finished");
  assert.equal(same?.url, "");
  const lineage = sweepOf(5);
  lineage.nodes = lineage.nodes.map((node) => (node.id === "r1" ? { ...node, subtitle: "failed" } : node));
  assert.equal(stacked(lineage, NONE).nodes[1]?.subtitle, "r0, r1, r2, …");
});

test("a lineage without nodes, and one with a cycle, are drawn", () => {
  assert.deepEqual(stacked({ nodes: [], edges: [], left_out: 0 }, NONE), { nodes: [], edges: [] });
  const cycle = {
    nodes: [run("a"), version("b")],
    edges: [edge("a", "b"), edge("b", "a", "input")],
    left_out: 0,
  };
  assert.deepEqual(idsOf(stacked(cycle, NONE)), ["a", "b"]);
});
