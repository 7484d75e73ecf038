import assert from "node:assert/strict";
import { test } from "node:test";
import { arrowTo, entered, fitting } from "./options";

const NAMES = ["loss", "val/loss", "val/acc", "VAL/top1"];
const enter = (typed: string, chosen: string[] = []) => entered(typed, NAMES, fitting(NAMES, typed), chosen);

for (const [typed, expected] of [
  ["", NAMES],
  ["  ", NAMES],
  ["VAL", ["val/loss", "val/acc", "VAL/top1"]],
  ["loss val", ["val/loss"]],
  ["nothing", []],
] as const) {
  test(`"${typed}" fits ${expected.length} names`, () => {
    assert.deepEqual(fitting(NAMES, typed), expected);
  });
}

for (const [typed, chosen, expected] of [
  ["loss", [], "loss"],
  ["val", [], "val/loss"],
  ["val", ["val/loss"], "val/acc"],
  ["acc", [], "val/acc"],
  ["top", [], "VAL/top1"],
  ["loss", ["loss"], undefined],
  ["acc", ["val/acc"], undefined],
  ["nothing", [], undefined],
] as const) {
  test(`Enter after "${typed}"${chosen.length ? ` with ${chosen} chosen` : ""} adds ${expected ?? "nothing"}`, () => {
    assert.equal(enter(typed, [...chosen]), expected);
  });
}

for (const [active, isDown, count, expected] of [
  [-1, true, 3, 0],
  [0, true, 3, 1],
  [2, true, 3, 0],
  [-1, false, 3, 2],
  [0, false, 3, 2],
  [2, false, 3, 1],
  [-1, true, 0, -1],
  [0, true, 1, 0],
] as const) {
  test(`the arrow ${isDown ? "down" : "up"} goes from ${active} of ${count} to ${expected}`, () => {
    assert.equal(arrowTo(active, isDown, count), expected);
  });
}
