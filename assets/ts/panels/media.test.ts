import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer } from "../testing/server";
import { makeStage } from "./fixtures";
import { LATEST, mediaAt, mediaKeys, mediaUrls } from "./media";

const stageAt = (media: string) => makeStage({ urls: { media, viewers: "/viewers" } });

test("media addresses escape the run's id", () => {
  const { heat, frame, viewers } = mediaUrls(stageAt("/p/runs"), "a/b?");
  assert.deepEqual(
    [heat, frame, viewers],
    ["/p/runs/a%2Fb%3F/media/heat", "/p/runs/a%2Fb%3F/media/frame/", "/viewers"],
  );
  assert.ok(!mediaUrls(stageAt("/p/runs"), "..").heat.includes("/../"));
});

test("a value comes with its files, and is null if the run has none", async (t) => {
  const value = { row: 3, step: 7, kind: "image-file", value: {} };
  const server = await startServer(t, (url) => ({
    json: { values: url.searchParams.get("keys") === "x" ? { x: value } : {}, files: { f: { url: "/f" } } },
  }));
  const stage = stageAt(server.url);
  assert.deepEqual(await mediaAt(stage, "r", "x", 9), { ...value, files: { f: { url: "/f" } } });
  assert.equal(await mediaAt(stage, "r", "y"), null);
  assert.deepEqual(
    server.requests.map(({ searchParams }) => searchParams.get("step")),
    ["9", String(LATEST)],
  );
});

test("panels share the keys of a run, and a failure is not remembered", async (t) => {
  let isDown = true;
  const server = await startServer(t, () => (isDown ? { status: 500 } : { json: { keys: [] } }));
  const stage = stageAt(server.url);
  await assert.rejects(mediaKeys(stage, "r"));
  isDown = false;
  const [one, other] = await Promise.all([mediaKeys(stage, "r"), mediaKeys(stage, "r")]);
  assert.equal(one, other);
  await mediaKeys(stage, "other");
  assert.equal(server.requests.length, 3);
});
