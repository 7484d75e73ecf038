import assert from "node:assert/strict";
import { test } from "node:test";
import { JOIN, type Narrowed, narrowedQuery, pageQuery, RUN } from "./paged-request";

function meant(rest: Partial<Narrowed> = {}): Narrowed {
  return { find: "", where: "[]", step: undefined, groupBy: "", ...rest };
}

test("the newest tables are asked for without a step, others with theirs", () => {
  assert.deepEqual(narrowedQuery(meant({ find: "cat" })), { find: "cat", where: "[]" });
  assert.equal(narrowedQuery(meant({ step: 0 })).step, "0");
});

test("rows are grouped by a column, by their run, or not at all", () => {
  assert.deepEqual(pageQuery(meant({ groupBy: "label" }), "-score"), {
    find: "",
    where: "[]",
    sort: "-score",
    group: "label",
  });
  assert.equal(pageQuery(meant({ groupBy: RUN }), "").by_run, "1");
  assert.equal(pageQuery(meant({ groupBy: RUN }), "").group, undefined);
  assert.equal(pageQuery(meant({ groupBy: "run" }), "").group, "run");
  assert.equal(pageQuery(meant(), "").group, "");
});

test("tables of runs are joined by a column, also in a file of all rows, and not grouped then", () => {
  const query = pageQuery(meant({ groupBy: `${JOIN}id` }), "");
  assert.equal(query.join, "id");
  assert.ok(!("group" in query) && !("by_run" in query));
  assert.equal(narrowedQuery(meant({ groupBy: `${JOIN}id` })).join, "id");
});
