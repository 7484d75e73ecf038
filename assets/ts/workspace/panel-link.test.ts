import assert from "node:assert/strict";
import { test } from "node:test";
import { panelHash, panelIn } from "./panel-link";

for (const id of ["val/loss", "a b&c=d#e", "größe", "system:gpu.0", "%2F", "+"]) {
  for (const full of [false, true]) {
    test(`a link leads to the panel ${id}${full ? " over the whole window" : ""}`, () => {
      assert.deepEqual(panelIn(panelHash({ id, full })), { id, full });
    });
  }
}

test("an address without a panel leads nowhere", () => {
  for (const hash of ["", "#", "#L120", "#panel=", "#full", "#other=x"]) assert.equal(panelIn(hash), null);
});
