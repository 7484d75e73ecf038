import assert from "node:assert/strict";
import { test } from "node:test";
import { pairOf } from "../charts/feed";
import { Line } from "../charts/line";
import type { Smoothing } from "../charts/smooth";
import type { Range } from "../charts/zoom";
import { FinerLines } from "./finer";
import { makeRun, makeStage } from "./fixtures";

const SOURCE = { kind: "history", x: "_step" } as const;
const EMA: Smoothing = { kind: "ema", amount: 0.9 };

/** A line that comes in buckets, or as single points. */
function heldLine(isBucketed: boolean): Line {
  const wire = { x: 0, last: [1], ...(isBucketed ? { min: [0], max: [2] } : {}) };
  return Line.of({ next: { r: 5 }, x: [[0]], series: { r: { loss: wire } } }, "r", "loss");
}

function finerOn(isBucketed = true) {
  const asked: { range: unknown; smoothing: unknown }[] = [];
  let came: () => void = () => undefined;
  const feed = {
    get: () => heldLine(isBucketed),
    fine: async (
      _source: unknown,
      _keys: unknown,
      _uids: unknown,
      how: { range: unknown; smoothing: unknown },
    ) => {
      asked.push(how);
      return new Map([[pairOf("loss", "r"), heldLine(false)]]);
    },
  };
  const stage = makeStage({ feed, runs: { drawn: () => [makeRun("r")] } });
  const finer = new FinerLines(stage, () => came());
  const want = (range: Range | null, smoothing: Smoothing | null = null, end = -Infinity) =>
    finer.want({ source: SOURCE, keys: ["loss"], range, end, smoothing });
  const next = () =>
    new Promise<void>((resolve) => {
      came = resolve;
    });
  const pause = () => new Promise((resolve) => setTimeout(resolve, 80));
  return { finer, asked, want, next, pause };
}

test("the whole range without smoothing needs no finer lines", async () => {
  const { want, asked, pause } = finerOn();
  want(null);
  await pause();
  assert.deepEqual(asked, []);
});

test("only the last of several quick zooms is requested", async () => {
  const { finer, want, asked, next } = finerOn();
  want([0, 10]);
  want([0, 5]);
  want([0, 5]);
  assert.equal(finer.get("loss", "r"), undefined);
  await next();
  assert.deepEqual(asked, [{ range: [0, 5], smoothing: null }]);
  assert.equal(finer.get("loss", "r")?.length, 1);
});

test("a range that follows the newest point is requested up to it", async () => {
  const { want, asked, next } = finerOn();
  want([0, 10], null, 12);
  await next();
  assert.deepEqual(asked[0]?.range, [0, 12]);
});

test("smoothing is requested only for bucketed lines", async () => {
  const points = finerOn(false);
  points.want([0, 10]);
  points.want(null, EMA);
  const buckets = finerOn(true);
  buckets.want([0, 10]);
  buckets.want(null, EMA);
  await buckets.next();
  assert.deepEqual(buckets.asked, [{ range: null, smoothing: EMA }]);
  assert.deepEqual(points.asked, []);
});

test("finer lines stay while zooming in and are dropped when zooming elsewhere", async () => {
  const { finer, want, next } = finerOn();
  want([0, 10]);
  await next();
  want([2, 8]);
  assert.ok(finer.get("loss", "r"));
  await next();
  want([5, 20]);
  assert.equal(finer.get("loss", "r"), undefined);
  finer.drop();
});

test("finer lines are dropped when the zoom is reset", async () => {
  const { finer, want, next, asked, pause } = finerOn();
  want([0, 10]);
  await next();
  want(null);
  assert.equal(finer.get("loss", "r"), undefined);
  want([0, 10]);
  finer.drop();
  await pause();
  assert.equal(asked.length, 1);
});
