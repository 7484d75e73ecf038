import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isRunningFirst,
  linkQuery,
  NO_LAYOUT,
  type OrderPart,
  orderAfterClick,
  readOrder,
  type TableState,
  withRunningFirst,
  writeOrder,
} from "./state";

const STATE: TableState = {
  filter: "",
  search: "",
  order: "-created",
  group: [],
  columns: NO_LAYOUT,
  crop: "middle",
};
const up = (column: string): OrderPart => ({ column, falling: false });
const down = (column: string): OrderPart => ({ column, falling: true });

test("a link carries only what is not as by default", () => {
  assert.equal(linkQuery(STATE).toString(), "");
  const query = linkQuery({ ...STATE, filter: "a = 1 & b", search: "x", order: "+name", group: ["b", "a"] });
  assert.equal(query.toString(), "filter=a+%3D+1+%26+b&search=x&order=%2Bname&group=b&group=a");
});

for (const [order, parts] of [
  ["", []],
  ["-created", [down("created")]],
  ["+summary.loss,-created", [up("summary.loss"), down("created")]],
  ["created", [up("created")]],
  ["-running,+name", [up("name")]],
  ["-config.a-b+c", [down("config.a-b+c")]],
] as [string, OrderPart[]][]) {
  test(`an order is read column by column: ${order}`, () => {
    assert.deepEqual(readOrder(order), parts);
  });
}

test("an order is written as it is read", () => {
  assert.equal(writeOrder(readOrder("+summary.loss,-created")), "+summary.loss,-created");
  assert.equal(writeOrder([]), "");
});

test("running runs come first before any order, and leave it as it was", () => {
  assert.equal(withRunningFirst("+name,-created", true), "-running,+name,-created");
  assert.equal(withRunningFirst("-running,+name", true), "-running,+name");
  assert.equal(withRunningFirst("-running,+name", false), "+name");
  assert.equal(withRunningFirst("", true), "-running,-created");
  assert.equal(withRunningFirst("-running", false), "-created");
});

test("only the part of an order itself says that running runs come first", () => {
  assert.ok(isRunningFirst("-running,+name"));
  assert.ok(!isRunningFirst("+name"));
  assert.ok(!isRunningFirst("-running.x,+running"));
});

test("a click sorts, another one turns it, a third goes back to the default (RUN-21)", () => {
  const first = orderAfterClick([down("created")], "loss", false, false);
  assert.deepEqual(first, [up("loss")]);
  const second = orderAfterClick(first, "loss", false, false);
  assert.deepEqual(second, [down("loss")]);
  assert.deepEqual(orderAfterClick(second, "loss", false, false), []);
});

test("a metric that is to be large begins with the largest on top", () => {
  assert.deepEqual(orderAfterClick([], "accuracy", false, true), [down("accuracy")]);
  assert.deepEqual(orderAfterClick([down("accuracy")], "accuracy", false, true), [up("accuracy")]);
});

test("with shift a column is sorted by after what is sorted already, and keeps its place", () => {
  const both = orderAfterClick([up("a")], "b", true, true);
  assert.deepEqual(both, [up("a"), down("b")]);
  assert.deepEqual(orderAfterClick(both, "a", true, false), [down("a"), down("b")]);
  assert.deepEqual(orderAfterClick([down("a"), down("b")], "a", true, false), [down("b")]);
});
