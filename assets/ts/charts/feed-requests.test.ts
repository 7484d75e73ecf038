import assert from "node:assert/strict";
import { test } from "node:test";
import { type Question, queryOf, questionsOf, type Source, type Wish } from "./feed-requests";

const HISTORY: Source = { kind: "history", x: "_step" };
const wish = (key: string, uid: string, since: number | null = null, source = HISTORY): Wish => ({
  ...{ source, key, uid, since },
});
const each = (keys: string[], uids: string[], since: number | null = null) =>
  keys.flatMap((key) => uids.map((uid) => wish(key, uid, since)));
const named = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at}`);

/** Every line that is asked for, as often as it is. */
const asked = (questions: Question[]) =>
  questions.flatMap(({ keys, uids, since }) =>
    keys.flatMap((key) => uids.map((uid, at) => `${key} ${uid} ${since?.[at] ?? null}`)),
  );

test("the same keys of the same runs make one request", () => {
  assert.deepEqual(questionsOf(each(["loss", "acc"], ["a", "b"])), [
    { source: HISTORY, keys: ["loss", "acc"], uids: ["a", "b"], since: null },
  ]);
});

test("without wishes there is no request", () => {
  assert.deepEqual(questionsOf([]), []);
});

test("every line is requested exactly once, however wishes are mixed", () => {
  const wishes = [
    ...each(named("k", 7), named("r", 50)),
    wish("k1", "more"),
    wish("k2", "grown", 12),
    wish("k3", "grown", 15),
    wish("k2", "new"),
  ];
  const wanted = wishes.map(({ key, uid, since }) => `${key} ${uid} ${since}`);
  assert.deepEqual(asked(questionsOf(wishes)).sort(), wanted.sort());
});

test("whole lines and new points are requested separately", () => {
  const questions = questionsOf([wish("loss", "a"), wish("loss", "b", 7), wish("loss", "c", 9)]);
  assert.deepEqual(
    questions.map(({ uids, since }) => [uids, since]),
    [
      [["a"], null],
      [
        ["b", "c"],
        [7, 9],
      ],
    ],
  );
});

test("keys whose runs have different cursors are requested separately", () => {
  assert.equal(questionsOf([wish("loss", "a", 7), wish("acc", "a", 8)]).length, 2);
  assert.equal(questionsOf([wish("loss", "a", 7), wish("acc", "a", 7)]).length, 1);
});

test("lines with a different x or kind are requested separately", () => {
  const time: Source = { kind: "history", x: "_runtime" };
  const system: Source = { kind: "system", x: "_runtime" };
  const wishes = [wish("loss", "a"), wish("loss", "a", null, time), wish("loss", "a", null, system)];
  assert.deepEqual(
    questionsOf(wishes).map(({ source }) => source),
    [HISTORY, time, system],
  );
});

for (const [keys, runs, sizes] of [
  [90, 1, [40, 40, 10]],
  [7, 100, [3, 3, 1]],
  [2, 301, [1, 1]],
  [1, 2000, [1]],
  [40, 7, [40]],
] as const) {
  test(`${keys} keys of ${runs} runs are split into ${sizes.length} requests`, () => {
    const questions = questionsOf(each(named("k", keys), named("r", runs)));
    assert.deepEqual(
      questions.map((question) => question.keys.length),
      sizes,
    );
    assert.ok(questions.every(({ uids }) => uids.length === runs));
  });
}

test("new points are requested forty keys at a time, whatever the number of runs", () => {
  const questions = questionsOf(each(named("k", 50), named("r", 200), 5));
  assert.deepEqual(
    questions.map(({ keys }) => keys.length),
    [40, 10],
  );
});

test("keys and runs with reserved characters are escaped in the query", () => {
  const query = queryOf({ source: HISTORY, keys: ["a&b", "c=ü"], uids: ["r 1"], since: null });
  assert.equal(String(query), "kind=history&x=_step&keys=a%26b&keys=c%3D%C3%BC&run=r+1&buckets=400");
});

test("a request for new points asks for no buckets", () => {
  const query = queryOf({ source: HISTORY, keys: ["k"], uids: ["a", "b"], since: [0, 9] });
  assert.deepEqual(query.getAll("since"), ["0", "9"]);
  assert.equal(query.get("buckets"), null);
});
