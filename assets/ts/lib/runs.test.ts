import assert from "node:assert/strict";
import { test } from "node:test";
import { runUrl } from "./runs";

for (const [uid, url] of [
  ["abc123", "/acme/vision/runs/abc123"],
  ["a b/c?#%", "/acme/vision/runs/a%20b%2Fc%3F%23%25"],
  [".", "/acme/vision/runs/%3A."],
  ["..", "/acme/vision/runs/%3A.."],
  ["...", "/acme/vision/runs/..."],
] as const) {
  test(`the page of the run ${JSON.stringify(uid)} has its own address`, () => {
    assert.equal(runUrl("/acme/vision/runs", uid), url);
    assert.equal(new URL(url, "http://localhost").pathname, url);
  });
}
