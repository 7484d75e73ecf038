import assert from "node:assert/strict";
import { test } from "node:test";
import { besidePointer, rowsAround } from "./tip-place";

const page = { width: 1000, height: 600 };
const size = { width: 200, height: 100 };

for (const [name, pointer, expected] of [
  ["right of the pointer", { left: 100, top: 300 }, [116, 250]],
  ["left of it at the right edge", { left: 900, top: 300 }, [684, 250]],
  ["within the window at its top", { left: 100, top: 10 }, [116, 8]],
  ["within the window at its bottom", { left: 100, top: 590 }, [116, 492]],
  ["above a finger", { left: 500, top: 300, isTouch: true }, [400, 160]],
  ["below a finger at the top", { left: 500, top: 60, isTouch: true }, [400, 100]],
] as const) {
  test(`a tip is ${name}`, () => {
    assert.deepEqual(besidePointer(pointer, size, page), expected);
  });
}

test("a tip without room on either side goes above or below the pointer", () => {
  const narrow = { width: 300, height: 600 };
  assert.deepEqual(besidePointer({ left: 150, top: 400 }, { width: 200, height: 100 }, narrow), [50, 284]);
  assert.deepEqual(besidePointer({ left: 150, top: 50 }, { width: 200, height: 100 }, narrow), [50, 66]);
});

test("a long tip shows the rows around the highlighted one", () => {
  const rows = Array.from({ length: 30 }, (_, at) => ({ at, strong: at === 15 }));
  const shown = (strong: number) =>
    rowsAround(
      rows.map((row) => ({ ...row, strong: row.at === strong })),
      12,
    ).map(({ at }) => at);
  assert.deepEqual([shown(15)[0], shown(15).at(-1)], [9, 20]);
  assert.deepEqual([shown(0)[0], shown(0).length], [0, 12]);
  assert.deepEqual([shown(29)[0], shown(29).at(-1)], [18, 29]);
  assert.deepEqual(shown(-1)[0], 0);
  assert.equal(rowsAround(rows.slice(0, 3), 12).length, 3);
  assert.deepEqual(rowsAround([], 12), []);
});
