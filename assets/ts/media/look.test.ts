import assert from "node:assert/strict";
import { test } from "node:test";
import { Look, lookOf } from "./look";

test("layers are shown until they are switched off", () => {
  const look = new Look();
  look.addLayer("ground truth", true);
  assert.ok(look.shows("ground truth"));
  look.toggle("ground truth");
  assert.ok(!look.shows("ground truth"));
  look.toggle("ground truth");
  assert.ok(look.shows("ground truth"));
});

test("the background of a mask is off at first, that of boxes is a class as any other", () => {
  const look = new Look();
  const classes = new Map([
    [0, "zero"],
    [1, "one"],
  ]);
  look.addLayer("mask", true);
  look.addLayer("boxes", false);
  look.addClasses("mask", classes);
  look.addClasses("boxes", classes);
  assert.deepEqual([look.hasClass("mask", 0), look.hasClass("mask", 1)], [false, true]);
  assert.deepEqual([look.hasClass("boxes", 0), look.hasClass("boxes", 1)], [true, true]);
});

test("a background that was switched on stays on when more pictures come", () => {
  const look = new Look();
  look.addLayer("mask", true);
  look.addClasses("mask", new Map([[0, "zero"]]));
  look.toggle("mask", 0);
  look.addClasses(
    "mask",
    new Map([
      [0, "zero"],
      [2, "two"],
    ]),
  );
  assert.ok(look.hasClass("mask", 0));
});

test("classes are listed by their numbers, each once, under the name that came first", () => {
  const look = new Look();
  look.addLayer("mask", true);
  look.addClasses(
    "mask",
    new Map([
      [10, "ten"],
      [2, "two"],
    ]),
  );
  look.addClasses(
    "mask",
    new Map([
      [2, "second"],
      [1, "one"],
    ]),
  );
  assert.deepEqual(
    [...(look.layers.get("mask") ?? [])],
    [
      [1, "one"],
      [2, "two"],
      [10, "ten"],
    ],
  );
});

test("a class keeps its switch while its layer is off", () => {
  const look = new Look();
  look.addLayer("mask", true);
  look.toggle("mask");
  assert.ok(look.hasClass("mask", 1));
  look.toggle("mask", 1);
  look.toggle("mask");
  assert.ok(!look.hasClass("mask", 1));
});

test("scores range from the least to the greatest that came", () => {
  const look = new Look();
  for (const score of [0.5, 0.9, -1, 0.2]) look.addScore("confidence", score);
  assert.deepEqual(look.scores.get("confidence"), [-1, 0.9]);
});

test("boxes below a least score are left out, those without the score are not", () => {
  const look = new Look();
  assert.ok(look.passes({ confidence: 0 }));
  look.least.set("confidence", 0.5);
  look.least.set("area", 10);
  assert.ok(look.passes({ confidence: 0.5, area: 10 }));
  assert.ok(!look.passes({ confidence: 0.49, area: 10 }));
  assert.ok(!look.passes({ confidence: 0.6, area: 9 }));
  assert.ok(look.passes({ confidence: 0.6 }));
  assert.ok(look.passes({}));
});

test("all pictures of a key share one look", () => {
  assert.equal(lookOf("sample"), lookOf("sample"));
  assert.notEqual(lookOf("sample"), lookOf("other"));
});
