import assert from "node:assert/strict";
import { test } from "node:test";
import { gapText, momentOf } from "./viewer";

test("a time without an offset is UTC, wherever the browser is", (t) => {
  const { TZ } = process.env;
  process.env.TZ = "Asia/Tokyo";
  t.after(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });
  for (const at of ["2026-01-02T03:04:05.678", "2026-01-02T03:04:05.678Z", "2026-01-02T04:04:05.678+01:00"])
    assert.equal(momentOf(at).toISOString(), "2026-01-02T03:04:05.678Z");
});

test("one missing line and several are said apart", () => {
  const line = { n: 4, at: null, level: null, text: null };
  assert.equal(gapText({ ...line, gap: [4, 4] }), "lineMissing");
  assert.equal(gapText({ ...line, gap: [4, 6] }), "linesMissing");
  assert.equal(gapText(line), "lineMissing");
});
