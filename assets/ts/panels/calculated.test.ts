import assert from "node:assert/strict";
import { test } from "node:test";
import { calculated, keysRead } from "./calculated";
import { formula, makeMember, makeSpec } from "./fixtures";
import type { Member } from "./groups";

const points = ({ x, y }: Pick<Member, "x" | "y">) => [...x].map((at, i) => [at, y[i]]);
const loss = makeMember([4, 2, 1], { key: "loss" });
const acc = makeMember([0.5, 0.6, 0.7], { key: "acc" });

test("without a valid expression lines are unchanged", () => {
  assert.deepEqual(calculated([loss, acc], makeSpec()), [loss, acc]);
  assert.deepEqual(calculated([loss], makeSpec({ yExpression: "1 +" })), [loss]);
});

test("the keys read include those of expressions, but not axis names", () => {
  assert.deepEqual(keysRead(makeSpec({ keys: ["a", "b", "a"] })), ["a", "b"]);
  assert.deepEqual(keysRead(makeSpec({ keys: ["a"], yExpression: formula("{b} * {_step}") })), ["b"]);
  assert.deepEqual(keysRead(makeSpec({ keys: ["a"], xExpression: formula("{c} + {a}") })), ["a", "c"]);
  assert.deepEqual(keysRead(makeSpec({ keys: ["a"], yExpression: "half typed (" })), ["a"]);
});

test("an expression over several keys gives one line per run", () => {
  const other = makeMember([10], { key: "loss", uid: "s" });
  const found = calculated([loss, acc, other], makeSpec({ yExpression: formula("{loss} * 10") }));
  assert.deepEqual(found.map(points), [
    [
      [0, 40],
      [1, 20],
      [2, 10],
    ],
    [[0, 100]],
  ]);
  assert.deepEqual(
    found.map(({ id, key, label }) => [id, key, label]),
    [
      [formula("r/{loss} * 10"), formula("{loss} * 10"), "r"],
      [formula("s/{loss} * 10"), formula("{loss} * 10"), "s"],
    ],
  );
});

test("keys are joined by x, and points missing a value are left out", () => {
  const sparse = makeMember([5, 6], { key: "acc", x: Float64Array.of(1, 3) });
  const [line] = calculated([loss, sparse], makeSpec({ yExpression: formula("{loss} + {acc}") }));
  assert.deepEqual(line && points(line), [[1, 7]]);
  assert.deepEqual(calculated([loss], makeSpec({ yExpression: formula("{loss} + {acc}") })), []);
});

test("bucketed lines are joined by their latest value", () => {
  const bucketed = makeMember([5, 6], {
    ...{ key: "acc", x: Float64Array.of(0, 2) },
    ...{ low: Float64Array.of(5, 6), high: Float64Array.of(5, 6) },
  });
  const [line] = calculated([loss, bucketed], makeSpec({ yExpression: formula("{loss} + {acc}") }));
  assert.deepEqual(line && points(line), [
    [0, 9],
    [1, 7],
    [2, 7],
  ]);
});

test("an expression can use the position on x", () => {
  const [line] = calculated([loss], makeSpec({ yExpression: formula("{loss} * {_step}") }));
  assert.deepEqual(line && points(line), [
    [0, 0],
    [1, 2],
    [2, 2],
  ]);
});

test("infinite values are kept, NaN is not", () => {
  const [line] = calculated([loss], makeSpec({ yExpression: formula("log({loss} - 1)") }));
  assert.deepEqual(line && points(line), [
    [0, Math.log(3)],
    [1, 0],
    [2, -Infinity],
  ]);
  const [roots] = calculated([loss], makeSpec({ yExpression: formula("sqrt({loss} - 2)") }));
  assert.equal(roots?.x.length, 2);
});

test("lines over a computed x are sorted", () => {
  const [line] = calculated([loss, acc], makeSpec({ keys: ["acc"], xExpression: formula("{loss}") }));
  assert.deepEqual(line && points(line), [
    [1, 0.7],
    [2, 0.6],
    [4, 0.5],
  ]);
  assert.deepEqual([line?.label, line?.dash, line?.key], ["r", 0, "acc"]);
});

test("points whose x is not finite are left out", () => {
  const [line] = calculated(
    [loss, acc],
    makeSpec({ keys: ["acc"], xExpression: formula("1 / ({loss} - 1)") }),
  );
  assert.equal(line?.x.length, 2);
});

test("computed lines have no band or server smoothing", () => {
  const banded = { ...loss, low: Float64Array.of(0, 0, 0), high: Float64Array.of(9, 9, 9), smooth: loss.y };
  const [line] = calculated([banded], makeSpec({ yExpression: formula("{loss}") }));
  assert.deepEqual([line?.low, line?.high, line?.smooth], [null, null, null]);
});

test("several keys over a computed x stay separate lines", () => {
  const lr = makeMember([3, 2, 1], { key: "lr", dash: 2, label: "r · lr" });
  const found = calculated(
    [loss, acc, lr],
    makeSpec({ keys: ["acc", "lr"], xExpression: formula("{loss}") }),
  );
  assert.deepEqual(
    found.map(({ key, label }) => [key, label]),
    [
      ["acc", "r"],
      ["lr", "r · lr"],
    ],
  );
});
