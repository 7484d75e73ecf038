import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Live } from "./live";

/** Hears of messages, with a clock that only the test moves. */
function listen(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 10_000;
  t.mock.method(performance, "now", () => now);
  const heard: string[] = [];
  const live = new Live({
    rows: (uid, { history }) => heard.push(`rows ${uid} ${history}`),
    catchUp: () => heard.push("catch up"),
    state: (uid, state) => heard.push(`state ${uid} ${state}`),
    again: () => heard.push("again"),
  });
  const wait = (ms: number) => {
    now += ms;
    t.mock.timers.tick(ms);
  };
  return { live, heard, wait };
}

test("one question follows for the rows of all runs (RUN-28)", (t) => {
  const { live, heard, wait } = listen(t);
  live.take({ type: "rows", uid: "a", history: 5 });
  live.take({ type: "rows", uid: "b", history: 7 });
  assert.deepEqual(heard, ["rows a 5", "rows b 7"]);
  wait(100);
  assert.deepEqual(heard, ["rows a 5", "rows b 7", "catch up"]);
});

test("rows without a name are those of the run that is on the page", (t) => {
  const { live, heard } = listen(t);
  live.take({ type: "rows", history: 1 }, "a");
  assert.deepEqual(heard, ["rows a 1"]);
});

test("a state is passed on at once, and asks for nothing", (t) => {
  const { live, heard, wait } = listen(t);
  live.take({ type: "run", uid: "a", state: "finished" });
  wait(1000);
  assert.deepEqual(heard, ["state a finished"]);
});

test("the more runs bring rows, the longer the pauses, up to half a second", (t) => {
  const { live, heard, wait } = listen(t);
  const burst = () => {
    for (let at = 0; at < 100; at += 1) live.take({ type: "rows", uid: `r${at}` });
    heard.length = 0;
  };
  burst();
  wait(20);
  assert.deepEqual(heard, ["catch up"]);
  burst();
  wait(499);
  assert.deepEqual(heard, []);
  wait(1);
  assert.deepEqual(heard, ["catch up"]);
});

test("runs that have been silent for long no longer count", (t) => {
  const { live, heard, wait } = listen(t);
  for (let at = 0; at < 100; at += 1) live.take({ type: "rows", uid: `r${at}` });
  wait(20);
  wait(6000);
  live.take({ type: "rows", uid: "a" });
  wait(20);
  live.take({ type: "rows", uid: "a" });
  heard.length = 0;
  wait(60);
  assert.deepEqual(heard, ["catch up"]);
});
