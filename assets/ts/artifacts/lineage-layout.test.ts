import assert from "node:assert/strict";
import { test } from "node:test";
import type { LineageEdge } from "./lineage-graph";
import { CARD, curve, placeNodes } from "./lineage-layout";
import type { DrawnLineage } from "./lineage-stacks";

function drawnOf(ids: string, edges: string): DrawnLineage {
  return {
    nodes: ids
      .split(" ")
      .map((id) => ({ id, kind: "run", title: id, subtitle: "", url: "", is_focus: false })),
    edges: edges
      .split(" ")
      .filter(Boolean)
      .map((text): LineageEdge => {
        const [from = "", to = ""] = text.split(">");
        return { from, to, kind: "output" };
      }),
  };
}

test("what came first is left of what came of it, and no cards are upon each other", () => {
  const { places } = placeNodes(drawnOf("a b c d", "a>b a>c b>d c>d"));
  const x = (id: string) => places.get(id)?.x ?? 0;
  assert.ok(x("a") < x("b") && x("b") < x("d"));
  assert.equal(x("b"), x("c"));
  const [b, c] = [places.get("b"), places.get("c")];
  assert.ok(Math.abs((b?.y ?? 0) - (c?.y ?? 0)) >= CARD.height);
});

test("all cards are inside of the plane", () => {
  const { places, width, height } = placeNodes(drawnOf("a b c", "a>b"));
  for (const { x, y } of places.values()) {
    assert.ok(x >= CARD.width / 2 - 0.01 && x <= width - CARD.width / 2 + 0.01);
    assert.ok(y >= CARD.height / 2 - 0.01 && y <= height - CARD.height / 2 + 0.01);
  }
});

test("each edge has a path from the right side of a card to the left side of another", () => {
  const { places, paths } = placeNodes(drawnOf("a b", "a>b"));
  const [a, b] = [places.get("a"), places.get("b")];
  assert.equal(paths.length, 1);
  assert.ok(paths[0]?.path.startsWith(`M${(a?.x ?? 0) + CARD.width / 2} ${a?.y}`));
  assert.ok(paths[0]?.path.endsWith(` ${(b?.x ?? 0) - CARD.width / 2} ${b?.y}`));
});

test("edges to nodes that are not drawn have no path", () => {
  assert.equal(placeNodes(drawnOf("a b", "a>b a>unknown")).paths.length, 1);
});

test("a cycle and a single card are placed, too", () => {
  assert.equal(placeNodes(drawnOf("a b", "a>b b>a")).paths.length, 2);
  assert.deepEqual(placeNodes(drawnOf("a", "")).places.get("a"), { x: CARD.width / 2, y: CARD.height / 2 });
});

test("a curve leaves and enters each of its points level", () => {
  assert.equal(curve([]), "");
  assert.equal(curve([{ x: 1.26, y: 2 }]), "M1.3 2");
  assert.equal(
    curve([
      { x: 0, y: 0 },
      { x: 10, y: 20 },
    ]),
    "M0 0C5 0 5 20 10 20",
  );
});
