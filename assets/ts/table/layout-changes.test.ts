import assert from "node:assert/strict";
import { test } from "node:test";
import { movedBefore, movedBy, type Shown, withColumns, withoutColumns, withPin } from "./layout-changes";
import { NO_LAYOUT } from "./state";

/** Shown columns, of which those with a star are pinned. */
function shownAs(text: string, hidden: string[] = []): Shown {
  const names = text.split(" ").filter(Boolean);
  const shown = names.map((name) => name.replace("*", ""));
  const pinned = names.filter((name) => name.includes("*")).map((name) => name.replace("*", ""));
  return { shown, columns: { ...NO_LAYOUT, pinned, hidden } };
}

function written({ order = [], pinned = [] }: { order?: string[]; pinned?: string[] }): string {
  return order.map((name) => (pinned.includes(name) ? `${name}*` : name)).join(" ");
}

test("hidden columns are neither shown nor pinned, and no default shows them again (RUN-21)", () => {
  const change = withoutColumns(shownAs("a* b c", ["x", "b"]), ["a", "b"]);
  assert.deepEqual(change, { order: ["c"], pinned: [], hidden: ["x", "b", "a"] });
});

test("shown columns come last, each once, and are no longer hidden", () => {
  const change = withColumns(shownAs("a b", ["c", "d"]), ["c", "b"]);
  assert.deepEqual(change, { order: ["a", "b", "c"], hidden: ["d"] });
});

test("a pinned column stands behind those that are pinned already", () => {
  assert.equal(written(withPin(shownAs("a* b c"), "c", true)), "a* c* b");
  assert.equal(written(withPin(shownAs("a* b c"), "a", true)), "a* b c");
});

test("a column that is let go stands behind those that are pinned", () => {
  assert.equal(written(withPin(shownAs("a* b* c"), "a", false)), "b* a c");
  assert.equal(written(withPin(shownAs("a b"), "a", false)), "a b");
});

for (const [before, column, place, after] of [
  ["a b c", "c", "a", "c a b"],
  ["a b c", "a", "", "b c a"],
  ["a b c", "a", "c", "b a c"],
  ["a* b* c", "c", "a", "c* a* b*"],
  ["a* b* c", "c", "b", "a* c* b*"],
  ["a* b c", "a", "", "b c a"],
  ["a* b c", "a", "c", "b a c"],
  ["a* b* c d", "a", "c", "b* a* c d"],
  ["a* b* c d", "a", "d", "b* c a d"],
  ["a* b c", "c", "b", "a* c b"],
  ["a", "a", "", "a"],
] as const) {
  test(`a column is dropped before another, pinned among pinned ones: ${before} to ${after}`, () => {
    assert.equal(written(movedBefore(shownAs(before), column, place)), after);
  });
}

for (const [before, column, by, after] of [
  ["a b c", "a", 1, "b a c"],
  ["a b c", "c", -1, "a c b"],
  ["a b c", "c", 1, null],
  ["a b c", "a", -1, null],
  ["a* b* c", "b", 1, null],
  ["a* b* c", "c", -1, null],
  ["a* b* c", "a", 1, "b* a* c"],
] as const) {
  test(`arrow keys move a column by one place: ${column} of ${before} by ${by}`, () => {
    const moved = movedBy(shownAs(before), column, by);
    assert.equal(moved && written(moved.change), after);
  });
}

test("where a column is now is said from one", () => {
  const moved = movedBy(shownAs("a b c"), "a", 1);
  assert.deepEqual([moved?.place, moved?.count], [2, 3]);
});
