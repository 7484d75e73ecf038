import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer } from "../testing/server";
import { sendSteps } from "./steps";

function formOf(): FormData {
  const body = new FormData();
  body.set("version", "3");
  return body;
}

test("a form is sent until nothing is left, each time with the mark of the step before", async (t) => {
  const left = [30, 20, 5, 0];
  const bodies: string[] = [];
  const { url } = await startServer(t, (_, __, body) => {
    bodies.push(body);
    return { json: { left: left.shift(), at: `mark${bodies.length}`, page: "/done" } };
  });
  const progress: [number, number][] = [];
  assert.equal(await sendSteps(url, formOf(), (done, most) => progress.push([done, most])), "/done");
  assert.deepEqual(progress, [
    [0, 30],
    [10, 30],
    [25, 30],
  ]);
  assert.equal(bodies.length, 4);
  assert.ok(!bodies[0]?.includes("mark"));
  assert.ok(bodies[3]?.includes("mark3") && !bodies[3].includes("mark2"));
});

test("what is done at once shows no progress", async (t) => {
  const { url } = await startServer(t, () => ({ json: { left: 0, at: "", page: "/done" } }));
  let count = 0;
  await sendSteps(url, formOf(), () => {
    count += 1;
  });
  assert.equal(count, 0);
});

test("a step that fails ends it", async (t) => {
  const { url, requests } = await startServer(t, () => ({ status: 500 }));
  await assert.rejects(sendSteps(url, formOf(), () => undefined));
  assert.equal(requests.length, 1);
});
