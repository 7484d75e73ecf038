import assert from "node:assert/strict";
import { test } from "node:test";
import { lastAtMost, Rows } from "./rows";

for (const [numbers, wanted, at] of [
  [[], 5, 0],
  [[10], 5, 0],
  [[10], 10, 0],
  [[10, 20, 30], 9, 0],
  [[10, 20, 30], 20, 1],
  [[10, 20, 30], 29, 1],
  [[10, 20, 30], Infinity, 2],
  [[1, 1, 1], 1, 2],
] as const) {
  test(`the last of ${JSON.stringify(numbers)} that is at most ${wanted} is at ${at}`, () => {
    assert.equal(lastAtMost(numbers, wanted), at);
  });
}

test("all lines are shown at their own places", () => {
  const rows = new Rows();
  assert.equal(rows.size(1000), 1000);
  assert.equal(rows.lineAt(7), 7);
  assert.equal(rows.positionOf(7), 7);
  assert.ok(rows.has(999));
});

const SOME = new Rows([
  [2, 3],
  [10, 1],
  [20, 2],
]);

test("the lines of one process follow each other", () => {
  assert.equal(SOME.size(100), 6);
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((position) => SOME.lineAt(position)),
    [2, 3, 4, 10, 20, 21],
  );
});

test("each of its lines is found at its position", () => {
  for (let position = 0; position < 6; position += 1)
    assert.equal(SOME.positionOf(SOME.lineAt(position)), position);
});

test("a line of another process is at the position of the next one", () => {
  assert.deepEqual(
    [0, 1, 5, 9, 11, 15, 50].map((line) => SOME.positionOf(line)),
    [0, 0, 3, 3, 4, 4, 6],
  );
});

test("only the lines of the process are shown", () => {
  assert.deepEqual(
    [1, 2, 4, 5, 10, 11, 21, 22].filter((line) => SOME.has(line)),
    [2, 4, 10, 21],
  );
});

test("a process that has written nothing has no lines", () => {
  const none = new Rows([]);
  assert.equal(none.size(100), 0);
  assert.ok(!none.has(0));
});
