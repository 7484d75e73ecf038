import assert from "node:assert/strict";
import { test } from "node:test";
import { keepBegin, keepEnd, widthOf } from "./letters";

test("letters that fill a square are wider, and a pair of code units is one letter", () => {
  assert.equal(widthOf(""), 0);
  assert.ok(widthOf("学習率") > widthOf("abc"));
  assert.equal(widthOf("🙂"), widthOf("a"));
  assert.equal(widthOf("가"), widthOf("ア"));
});

test("a text that fits stays, a longer one loses its end or its begin", () => {
  assert.equal(keepBegin("loss", 100), "loss");
  assert.equal(keepBegin("validation/loss", 50), "valida…");
  assert.equal(keepEnd("validation/loss", 50), "…n/loss");
});

test("a cropped text fits, and keeps one letter however narrow it is", () => {
  for (const text of ["validation/accuracy", "学習率の推移グラフ", "🙂🙂🙂🙂🙂🙂"]) {
    for (let width = 20; width < 120; width += 10) {
      assert.ok(widthOf(keepBegin(text, width)) <= width);
      assert.ok(widthOf(keepEnd(text, width)) <= width);
    }
    assert.equal([...keepBegin(text, 1)].length, 2);
    assert.ok(text.endsWith(keepEnd(text, 60).slice(1)));
    assert.ok(text.startsWith(keepBegin(text, 60).slice(0, -1)));
  }
});
