import assert from "node:assert/strict";
import { test } from "node:test";
import { isInside, ROOT, type Rules, ruleOf, runToggled, toggled } from "./group-rules";

for (const [path, outer, isIn] of [
  ['["a"]', ROOT, true],
  [ROOT, ROOT, true],
  ['["a","b"]', '["a"]', true],
  ['["a"]', '["a"]', true],
  ['["a"]', '["a","b"]', false],
  ['["b","a"]', '["a"]', false],
  ['["ab"]', '["a"]', false],
  ['["1"]', "[1]", false],
  ["[null]", "[null]", true],
  [ROOT, '["a"]', false],
] as const) {
  test(`${path} ${isIn ? "is" : "is not"} inside of ${outer}`, () => {
    assert.equal(isInside(path, outer), isIn);
  });
}

test("the longest path decides whether a group is drawn (RUN-26)", () => {
  const rules: Rules = { [ROOT]: false, '["a"]': true, '["a","x"]': false };
  assert.equal(ruleOf(rules, '["a","x","deep"]'), false);
  assert.equal(ruleOf(rules, '["a","y"]'), true);
  assert.equal(ruleOf(rules, '["b"]'), false);
  assert.equal(ruleOf({}, '["b"]'), undefined);
  assert.equal(ruleOf({ '["a","x"]': false }, '["a"]'), undefined);
});

test("a click on a drawn group hides it, and another one takes the rule away", () => {
  const hidden = toggled({}, '["a"]', true);
  assert.deepEqual(hidden, { '["a"]': false });
  assert.deepEqual(toggled(hidden, '["a"]', false), {});
});

test("rules of what is inside of a group go with a click on it", () => {
  const rules: Rules = { '["a","x"]': false, '["b"]': false };
  assert.deepEqual(toggled(rules, '["a"]', true), { '["b"]': false, '["a"]': false });
  assert.deepEqual(toggled({ '["a","x"]': false }, '["a"]', false), {});
});

test("a group inside of a hidden one is drawn by a rule that says so", () => {
  const rules = toggled({ '["a"]': false }, '["a","x"]', false);
  assert.deepEqual(rules, { '["a"]': false, '["a","x"]': true });
  assert.equal(ruleOf(rules, '["a","x"]'), true);
  assert.equal(ruleOf(rules, '["a","y"]'), false);
});

test("a group that no rule hides, but for which there was no room, is drawn by a rule", () => {
  assert.deepEqual(toggled({}, '["z"]', false), { '["z"]': true });
});

test("the oldest rules go where the server reads no more", () => {
  let rules: Rules = {};
  for (let at = 0; at < 101; at += 1) rules = toggled(rules, `["g${at}"]`, true);
  assert.equal(Object.keys(rules).length, 100);
  assert.equal(rules['["g0"]'], undefined);
  assert.equal(rules['["g100"]'], false);
});

test("a click on the eye of a run leaves it out of its group, and draws it again", () => {
  const without = runToggled({}, '["a"]', "run1", true);
  assert.deepEqual(without, { without: ["run1"] });
  assert.deepEqual(runToggled({ without: ["run1", "run2"] }, '["a"]', "run1", true), { without: ["run2"] });
});

test("a run of a hidden group is drawn together with its group", () => {
  const state = { rules: { '["a"]': false }, without: ["run1", "run2"] };
  assert.deepEqual(runToggled(state, '["a"]', "run1", false), {
    rules: { '["a"]': true },
    without: ["run2"],
  });
  assert.deepEqual(state.rules, { '["a"]': false });
});
