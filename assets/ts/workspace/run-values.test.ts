import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { startServer } from "../testing/server";
import { RunValues } from "./run-values";

/** Lets a test say how much later it is than it really is, milliseconds. */
function laterBy(t: TestContext): (ms: number) => void {
  const real = performance.now.bind(performance);
  let later = 0;
  t.mock.method(performance, "now", () => real() + later);
  return (ms) => {
    later += ms;
  };
}

test("panels that ask the same within a short while share the answer", async (t) => {
  const wait = laterBy(t);
  const { url, requests } = await startServer(t, () => ({ json: { runs: { a: {} } } }));
  const values = new RunValues(url);
  await Promise.all([values.read(["a", "b"], ["config.lr"]), values.read(["a", "b"], ["config.lr"])]);
  assert.equal(requests.length, 1);
  assert.equal(requests[0]?.search, "?run=a&run=b&columns=config.lr");
  wait(4001);
  await values.read(["a", "b"], ["config.lr"]);
  assert.equal(requests.length, 2);
});

test("other runs or columns are another question", async (t) => {
  const { url, requests } = await startServer(t, () => ({ json: { runs: {} } }));
  const values = new RunValues(url);
  await values.read(["a"], []);
  await values.read(["b"], []);
  await values.read(["a"], ["config.lr"]);
  assert.equal(requests.length, 3);
});

test("a failed answer is not kept", async (t) => {
  let isDown = true;
  const { url } = await startServer(t, () => (isDown ? { status: 500 } : { json: { runs: { a: 1 } } }));
  const values = new RunValues(url);
  await assert.rejects(values.read(["a"], []));
  isDown = false;
  assert.deepEqual(await values.read(["a"], []), { a: 1 });
});
