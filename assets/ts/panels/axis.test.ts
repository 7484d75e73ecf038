import assert from "node:assert/strict";
import { test } from "node:test";
import type { KeyInfo } from "../charts/wire";
import { PanelAxis } from "./axis";
import { formula, makeKey, makeSpec, stageWith } from "./fixtures";
import type { Stage } from "./panel";
import type { PanelSpec } from "./spec";

const STEP = { kind: "history", x: "_step" } as const;

const axisOn = (stage: Stage, spec: PanelSpec) => {
  const axis = new PanelAxis(stage);
  axis.find(spec);
  return axis;
};
const defined = (x: string) => ({ metric: (key: string): KeyInfo => makeKey(key, { x }) });

test("x is the step by default", () => {
  const axis = axisOn(stageWith({}), makeSpec());
  assert.deepEqual([axis.source, axis.name, axis.scale, axis.id], [STEP, "step", "step", "_step"]);
});

test("x is the panel's choice, else the one from define_metric (RUN-26)", () => {
  const stage = stageWith({}, defined("epoch"));
  assert.equal(axisOn(stage, makeSpec({ x: "_runtime" })).source.x, "_runtime");
  assert.equal(axisOn(stage, makeSpec()).source.x, "epoch");
});

test("system metrics are always drawn over time", () => {
  for (const [x, expected] of [
    ["", "_runtime"],
    ["_step", "_runtime"],
    ["epoch", "_runtime"],
    ["_timestamp", "_timestamp"],
  ] as const) {
    const { source, title } = axisOn(stageWith({}, defined("epoch")), makeSpec({ source: "system", x }));
    assert.deepEqual([source.kind, source.x], ["system", expected]);
    assert.equal(title, expected === "_runtime" ? "relativeTime" : "wallTime");
  }
});

test("a computed x is named by its expression and has plain numbers", () => {
  const axis = axisOn(stageWith({}), makeSpec({ xExpression: formula("{epoch} * 2") }));
  assert.deepEqual(
    [axis.name, axis.title, axis.scale, axis.id],
    Array(2)
      .fill(formula("{epoch} * 2"))
      .concat(["number", formula("{epoch} * 2")]),
  );
});

for (const [name, points, x] of [
  [
    "moves",
    [
      [0, 1],
      [5, 1],
    ],
    "epoch",
  ],
  [
    "stands still",
    [
      [0, 1],
      [0, 1],
    ],
    "_step",
  ],
  ["was never logged with the key", [], "_step"],
  ["has only one point", [[3, 1]], "epoch"],
] as const) {
  test(`x is ${x} if the axis defined by the script ${name}`, () => {
    const axis = axisOn(stageWith({ "epoch loss a": points }, defined("epoch")), makeSpec());
    assert.equal(axis.source.x, x);
    assert.ok(!axis.isOpen);
  });
}

test("the defined axis is kept until its lines have loaded", () => {
  const stage = stageWith({}, defined("epoch"));
  const axis = axisOn(stage, makeSpec());
  assert.ok(axis.isOpen);
  assert.equal(axis.source.x, "epoch");
});

test("when the step replaces the defined axis, both are requested", () => {
  const stage = stageWith({ "epoch loss a": [] }, defined("epoch"));
  const axis = axisOn(stage, makeSpec());
  axis.ask(["loss"]);
  assert.deepEqual((stage.feed as unknown as { asked: string[] }).asked, ["_step loss", "epoch loss"]);
  assert.ok(
    axis.concerns(STEP) && axis.concerns({ ...STEP, x: "epoch" }) && !axis.concerns({ ...STEP, x: "other" }),
  );
});

test("an axis chosen in the panel is used even if it stands still", () => {
  const stage = stageWith({
    "epoch loss a": [
      [0, 1],
      [0, 1],
    ],
  });
  assert.equal(axisOn(stage, makeSpec({ x: "epoch" })).source.x, "epoch");
});

test("finding the axis reports whether it changed", () => {
  const axis = new PanelAxis(stageWith({}));
  assert.equal(axis.find(makeSpec()), false);
  assert.equal(axis.find(makeSpec({ x: "_runtime" })), true);
  assert.equal(axis.find(makeSpec({ x: "_runtime" })), false);
  assert.equal(axis.find(makeSpec({ x: "_runtime", xExpression: "1" })), true);
});
