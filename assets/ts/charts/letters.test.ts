import assert from "node:assert/strict";
import { test } from "node:test";
import { keepBegin, keepEnd, widthOf } from "./letters";

test("full-width letters are wider, and a surrogate pair counts as one letter", () => {
  assert.equal(widthOf(""), 0);
  assert.ok(widthOf("学習率") > widthOf("abc"));
  assert.equal(widthOf("🙂"), widthOf("a"));
  assert.equal(widthOf("가"), widthOf("ア"));
});

test("text that fits is kept, longer text loses its end or its beginning", () => {
  assert.equal(keepBegin("loss", 100), "loss");
  assert.equal(keepBegin("validation/loss", 50), "valida…");
  assert.equal(keepEnd("validation/loss", 50), "…n/loss");
});

test("cropped text fits, and always keeps one letter", () => {
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
