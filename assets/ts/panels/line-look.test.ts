import assert from "node:assert/strict";
import { test } from "node:test";
import { makeMember, makeSpec } from "./fixtures";
import { drawnOf, lookOf, smoothingOf } from "./line-look";
import { DEFAULT_VIEW, type PanelSpec, type View } from "./spec";

const view = (given: Partial<View> = {}): View => ({ ...DEFAULT_VIEW, ...given });
const AXIS = { unit: "", scale: "step", name: "Step" } as const;
const look = (spec: Partial<PanelSpec>, given: Partial<View> = {}, zoom = {}, unit = "") =>
  lookOf(makeSpec(spec), view(given), { x: null, y: null, ...zoom }, { ...AXIS, unit });
const EMA = { kind: "ema", amount: 0.5 } as const;
const banded = makeMember([0, 3], { low: Float64Array.of(-1, 2), high: Float64Array.of(1, 4) });
const group = { path: "p", name: "p", values: "p", color: 0, count: 1 };

test("without smoothing a line is drawn unchanged, with its band (RUN-27)", () => {
  const [line] = drawnOf([banded], view(), null);
  assert.deepEqual([line?.y, line?.raw, line?.low, line?.owner], [banded.y, null, banded.low, "r"]);
  for (const smoothing of [
    { kind: "none", amount: 0.9 },
    { kind: "ema", amount: 0 },
  ] as const)
    assert.equal(drawnOf([banded], view({ smoothing }), null)[0]?.y, banded.y);
});

test("a smoothed line keeps the original, unless that is switched off (RUN-27)", () => {
  const [line] = drawnOf([banded], view({ smoothing: EMA }), null);
  assert.deepEqual([...(line?.y ?? [])], [0, 2]);
  assert.equal(line?.raw, banded.y);
  assert.equal(drawnOf([banded], view({ smoothing: EMA, original: false }), null)[0]?.raw, null);
});

test("lines smoothed by the server are used as they are (RUN-27)", () => {
  const smooth = Float64Array.of(7, 8);
  assert.equal(drawnOf([{ ...banded, smooth }], view({ smoothing: EMA }), null)[0]?.y, smooth);
  assert.equal(drawnOf([{ ...banded, smooth }], view(), null)[0]?.y, banded.y);
});

test("bands can be switched off, except for groups", () => {
  const off = view({ band: false, groupBand: "std" });
  assert.deepEqual(drawnOf([banded], off, null)[0]?.low, null);
  const counts = Uint16Array.of(1, 1);
  const [line] = drawnOf([{ ...banded, counts }], off, new Map([["r", group]]));
  assert.equal(line?.low, banded.low);
  assert.deepEqual([line?.owner, line?.group], ["p", { counts, band: "std" }]);
  assert.ok(!("group" in (drawnOf([{ ...banded, counts }], off, null)[0] ?? {})));
});

test("axis titles come from the panel, with a default for x", () => {
  assert.deepEqual([look({}).xName, look({}).yName], ["Step", ""]);
  assert.deepEqual(
    [look({ xTitle: "", yTitle: "Loss" }).xName, look({ yTitle: "Loss" }).yName],
    ["", "Loss"],
  );
});

test("a zoom overrides the axis ends of the panel", () => {
  const spec = { xMin: 1, xMax: 9, yMin: 0, yMax: 5 };
  const ends = ({ xMin, xMax, yMin, yMax }: ReturnType<typeof look>) => [xMin, xMax, yMin, yMax];
  assert.deepEqual(ends(look(spec)), [1, 9, 0, 5]);
  assert.deepEqual(ends(look(spec, {}, { x: [2, 3], y: [7, 8] })), [2, 3, 7, 8]);
  assert.deepEqual(ends(look({ xMin: null })), [null, null, null, null]);
});

test("a percentage goes from 0 to 100 by default", () => {
  const percent = look({}, {}, {}, "%");
  assert.deepEqual([percent.yMin, percent.yMax, percent.clamped], [0, 100, true]);
  for (const other of [
    look({ yMin: 5 }, {}, {}, "%"),
    look({ yMax: 0 }, {}, {}, "%"),
    look({}, { logY: true }, {}, "%"),
    look({}, {}, { y: [1, 2] }, "%"),
    look({}, {}, {}, "W"),
  ])
    assert.equal(other.clamped, false);
});

test("outliers are excluded until y is zoomed", () => {
  assert.equal(look({}, { withoutOutliers: true }).withoutOutliers, true);
  assert.equal(look({}, { withoutOutliers: true }, { x: [0, 1] }).withoutOutliers, true);
  assert.equal(look({}, { withoutOutliers: true }, { y: [0, 1] }).withoutOutliers, false);
});

test("the server smooths only plain, ungrouped history lines (RUN-27)", () => {
  const smoothing = (spec: Partial<PanelSpec>, given: Partial<View> = {}) =>
    smoothingOf(makeSpec(spec), view({ smoothing: EMA, ...given }));
  assert.equal(smoothing({}), EMA);
  assert.equal(smoothing({ source: "system" }), null);
  assert.equal(smoothing({ yExpression: "1" }), null);
  assert.equal(smoothing({ xExpression: "1" }), null);
  assert.equal(smoothing({}, { groupBy: ["group"] }), null);
  assert.equal(smoothing({}, { smoothing: { kind: "none", amount: 1 } }), null);
  assert.equal(smoothing({}, { smoothing: { kind: "gaussian", amount: 0 } }), null);
});
