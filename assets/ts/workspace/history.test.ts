import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { History } from "./history";

/** A page whose state is a letter, and a clock that only the test moves. */
function pageOf(t: TestContext) {
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const page = { state: "a", told: 0 };
  const history: History<string> = new History(
    () => page.state,
    (state) => {
      page.state = state;
      history.changed(); // what shows a state keeps it, as any change is kept
    },
    () => {
      page.told += 1;
    },
  );
  const keep = (state: string, afterMs = 1000) => {
    now += afterMs;
    page.state = state;
    history.changed();
  };
  return { page, history, keep };
}

test("nothing can be undone or done again at first", (t) => {
  const { page, history } = pageOf(t);
  assert.deepEqual([history.canUndo, history.canRedo], [false, false]);
  assert.deepEqual([history.undo(), history.redo()], [false, false]);
  assert.deepEqual([page.state, page.told], ["a", 0]);
});

test("steps are taken back and done again in order", (t) => {
  const { page, history, keep } = pageOf(t);
  keep("b");
  keep("c");
  assert.ok(history.undo());
  assert.equal(page.state, "b");
  assert.ok(history.undo());
  assert.equal(page.state, "a");
  assert.ok(!history.undo());
  assert.ok(history.redo());
  assert.ok(history.redo());
  assert.equal(page.state, "c");
  assert.ok(!history.redo());
});

test("a change after a step back forgets what was taken back", (t) => {
  const { page, history, keep } = pageOf(t);
  keep("b");
  history.undo();
  keep("c");
  assert.ok(!history.canRedo);
  history.undo();
  assert.equal(page.state, "a");
});

test("changes within 400 ms are one step", (t) => {
  const { page, history, keep } = pageOf(t);
  keep("b");
  keep("c", 400);
  keep("d", 400);
  keep("e", 401);
  history.undo();
  assert.equal(page.state, "d");
  history.undo();
  assert.equal(page.state, "a");
});

test("a change right after a step back is a step by itself", (t) => {
  const { page, history, keep } = pageOf(t);
  keep("b");
  keep("c");
  history.undo();
  keep("d", 1);
  history.undo();
  assert.equal(page.state, "b");
});

test("a hundred steps are kept", (t) => {
  const { page, history, keep } = pageOf(t);
  for (let at = 1; at <= 150; at += 1) keep(`s${at}`);
  let count = 0;
  while (history.undo()) count += 1;
  assert.equal(count, 100);
  assert.equal(page.state, "s50");
});

test("who shows the buttons hears of each step", (t) => {
  const { page, history, keep } = pageOf(t);
  keep("b");
  history.undo();
  history.redo();
  assert.equal(page.told, 3);
});

test("a state that cannot be shown leaves the history working", () => {
  let state = "a";
  let isBroken = false;
  const history = new History(
    () => state,
    (next) => {
      if (isBroken) throw new Error("cannot be shown");
      state = next;
    },
    () => undefined,
  );
  state = "b";
  history.changed();
  isBroken = true;
  assert.throws(() => history.undo());
  isBroken = false;
  state = "c";
  history.changed();
  assert.ok(history.undo());
});
