import assert from "node:assert/strict";
import { test } from "node:test";
import {
  baselineToggled,
  drawnRuns,
  keptFirst,
  type ListedRuns,
  onlyThis,
  pinToggled,
  type SelectorState,
  toggled,
} from "./selector-state";

function listing(names: string, rest: Partial<ListedRuns> = {}): ListedRuns {
  return { listed: names.split(" "), others: [], isKnown: () => true, most: 200, first: 2, ...rest };
}

function drawn(state: SelectorState, runs = listing("a b c d")): string {
  return drawnRuns(state, { ...runs, first: state.first ?? runs.first }).join(" ");
}

test("the first runs of the list are drawn unless others were chosen (RUN-26)", () => {
  assert.equal(drawn({}), "a b");
  assert.equal(drawn({}, listing("a")), "a");
  assert.equal(drawn({}, listing("a b c", { first: 0 })), "");
});

test("hidden runs are not drawn, and others do not take their places", () => {
  assert.equal(drawn({ hidden: ["a"] }), "b");
  assert.equal(drawn({ hidden: ["a"], shown: ["a"] }), "b");
});

test("chosen runs are drawn in the order of the list, also those that are not listed", () => {
  assert.equal(drawn({ shown: ["d", "c"] }), "a b c d");
  assert.equal(drawn({ shown: ["z", "d"] }, listing("a b c d", { others: ["z"] })), "a b d z");
  assert.equal(drawn({ shown: ["z"] }), "a b");
});

test("pinned runs and the baseline come first, and are drawn wherever they are", () => {
  assert.equal(drawn({ pinned: ["d"], baseline: "c" }), "c d a b");
  assert.equal(drawn({ pinned: ["d"], baseline: "d" }), "d a b");
  assert.equal(drawn({ pinned: ["d"], hidden: ["d"] }), "a b");
});

test("runs of which nothing is known yet wait", () => {
  assert.equal(drawn({ pinned: ["d"] }, listing("a b", { isKnown: (uid) => uid !== "d" })), "a b");
});

test("where there is no room for all, chosen runs come before those that are merely among the first", () => {
  assert.equal(drawn({ shown: ["d", "e"] }, listing("a b c d e", { first: 3, most: 3 })), "a d e");
  assert.equal(drawn({ shown: ["b", "c", "d"] }, listing("a b c d", { first: 1, most: 2 })), "b c");
});

test("the baseline is kept with the pinned runs, once", () => {
  assert.deepEqual(keptFirst({}), []);
  assert.deepEqual(keptFirst({ pinned: ["a"], baseline: "b" }), ["b", "a"]);
  assert.deepEqual(keptFirst({ pinned: ["a", "b"], baseline: "b" }), ["a", "b"]);
});

test("drawing only one run hides the pinned ones, too", () => {
  const only = onlyThis({ pinned: ["p", "c"], baseline: "q", width: 300 }, ["c"]);
  assert.equal(drawn(only), "c");
  assert.equal(only.width, 300);
  assert.equal(drawn(onlyThis({ pinned: ["p"] }, [])), "");
});

test("a click on an eye hides a run that is drawn, and another one draws it again", () => {
  for (const uid of ["a", "d"]) {
    const isFirst = uid === "a";
    const before: SelectorState = isFirst ? {} : { shown: ["d"] };
    const hidden = toggled(before, uid, true, isFirst);
    assert.ok(!drawnRuns(hidden, listing("a b c d")).includes(uid));
    assert.ok(drawnRuns(toggled(hidden, uid, false, isFirst), listing("a b c d")).includes(uid));
  }
});

test("hiding a run that is not among the first takes its choice back, no more", () => {
  assert.deepEqual(toggled({ shown: ["c", "d"], hidden: ["x"] }, "d", true, false), {
    shown: ["c"],
    hidden: ["x"],
  });
});

test("a state does not grow with clicks", () => {
  let state: SelectorState = { hidden: [], shown: [] };
  for (const isDrawn of [true, false, true, false]) state = toggled(state, "a", isDrawn, true);
  assert.deepEqual([state.hidden, state.shown], [[], []]);
});

test("a pinned run is drawn, and is let go by another click", () => {
  const pinned = pinToggled({ pinned: ["a"], hidden: ["b", "c"] }, "b");
  assert.deepEqual([pinned.pinned, pinned.hidden], [["a", "b"], ["c"]]);
  assert.deepEqual(pinToggled(pinned, "a").pinned, ["b"]);
  assert.deepEqual(pinToggled({}, "a").pinned, ["a"]);
});

test("a baseline is drawn, is replaced by another one, and is let go by another click", () => {
  const first = baselineToggled({ hidden: ["a"] }, "a");
  assert.deepEqual(first, { hidden: [], baseline: "a" });
  assert.equal(baselineToggled(first, "b").baseline, "b");
  assert.ok(!("baseline" in baselineToggled(first, "a")));
});
