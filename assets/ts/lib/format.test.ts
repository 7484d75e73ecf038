import assert from "node:assert/strict";
import { test } from "node:test";
import {
  collate,
  formatAgo,
  formatBytes,
  formatCount,
  formatDuration,
  formatMoment,
  formatPercent,
  formatShort,
  formatTick,
  formatValue,
} from "./format";

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

test("counts have the separators of the language", () => {
  assert.equal(formatCount(0), "0");
  assert.equal(formatCount(1_234_567), "1,234,567");
  assert.equal(formatCount(-1000), "-1,000");
});

for (const [value, text] of [
  [0, "0"],
  [1234, "1,234"],
  [999_999_999, "999,999,999"],
  [1e9, "1e+9"],
  [-1.5e12, "-1.5e+12"],
  [123_456.789, "123457"],
  [0.1 + 0.2, "0.3"],
  [1 / 3, "0.333333"],
  [1e-4, "0.0001"],
  [0.000_099, "9.9e-5"],
  [1e-10, "1e-10"],
  [1.000_04e-10, "1e-10"],
  [Number.NaN, "NaN"],
  [Infinity, "Infinity"],
  [-Infinity, "-Infinity"],
] as const) {
  test(`a value is written with six significant figures: ${text}`, () => {
    assert.equal(formatValue(value), text);
  });
}

for (const [value, text] of [
  [0.5, "0.5000"],
  [0.123_456, "0.1235"],
  [12.3, "12.30"],
  [9999.49, "9999"],
  [9999.5, "9999.5"],
  [-9999.99, "-9999.99"],
  [3, "3"],
  [1500, "1,500"],
  [12_345.678, "12345.7"],
  [0.000_012_3, "1.23e-5"],
  [-0.25, "-0.2500"],
  [Number.NaN, "NaN"],
  [Infinity, "Infinity"],
] as const) {
  test(`values below each other have four significant figures: ${value} is ${text}`, () => {
    assert.equal(formatShort(value), text);
  });
}

test("a share is a percentage with three significant figures at most", () => {
  assert.equal(formatPercent(0.125), "12.5%");
  assert.equal(formatPercent(0.123_456), "12.3%");
  assert.equal(formatPercent(1), "100%");
  assert.equal(formatPercent(0), "0%");
});

for (const [args, text] of [
  [[0], "0"],
  [[1200], "1200"],
  [[12_000], "12k"],
  [[30_000_000], "30M"],
  [[2_000_000], "2M"],
  [[5e-5], "5e-5"],
  [[-3_000_000_000], "-3G"],
  [[4e12], "4T"],
  [[500, 20_000, 500], "0.5k"],
  [[1, 1, 0.25], "1.0"],
  [[0.2, 1, 0.2], "0.2"],
  [[0.000_2, 0.000_4, 0.000_1], "2e-4"],
  [[0.000_25, 0.000_4, 0.000_05], "2.5e-4"],
] as const) {
  test(`a tick of an axis is short: ${args.join(", ")} is ${text}`, () => {
    const [value, largest, step] = args as readonly number[];
    assert.equal(formatTick(value as number, largest, step), text);
  });
}

test("all ticks of an axis differ as far apart as they are", () => {
  const ticks = Array.from({ length: 6 }, (_, at) => formatTick(1_000_000 + at * 10, 1_000_050, 10));
  assert.equal(new Set(ticks).size, 6);
});

for (const [bytes, text] of [
  [0, "0 B"],
  [999, "999 B"],
  [1000, "0.977 KiB"],
  [1024, "1 KiB"],
  [1_268_777, "1.21 MiB"],
  [1024 ** 5 * 3, "3 PiB"],
  [1024 ** 6, "1020 PiB"],
  [-2048, "-2 KiB"],
] as const) {
  test(`a size is written in binary units: ${text}`, () => {
    assert.equal(formatBytes(bytes), text);
  });
}

for (const [seconds, text] of [
  [0, "0s"],
  [59.9, "59s"],
  [MINUTE, "1m 00s"],
  [HOUR + 2 * MINUTE + 3, "1h 02m 03s"],
  [DAY - 1, "23h 59m 59s"],
  [DAY, "1d 00h 00m"],
  [400 * DAY + HOUR, "400d 01h 00m"],
  [-5, "0s"],
] as const) {
  test(`a length of time has its largest units: ${seconds} s is ${text}`, () => {
    assert.equal(formatDuration(seconds), text);
  });
}

for (const [seconds, text] of [
  [0, "just now"],
  [59, "just now"],
  [MINUTE, "1 minute ago"],
  [HOUR - 1, "59 minutes ago"],
  [HOUR, "1 hour ago"],
  [2 * DAY - 1, "1 day ago"],
  [30 * DAY - 1, "29 days ago"],
] as const) {
  test(`a moment ${seconds} seconds ago is said in one unit`, () => {
    const now = new Date("2026-03-31T12:00:00Z");
    assert.equal(formatAgo(new Date(now.getTime() - seconds * 1000), now, "just now"), text);
  });
}

test("a moment a month ago, or in the future, is a date", () => {
  const now = new Date(2026, 2, 31, 12);
  assert.equal(formatAgo(new Date(2026, 1, 1, 12), now, "just now"), "Feb 1, 2026");
  assert.equal(formatAgo(new Date(2026, 3, 2, 12), now, "just now"), "Apr 2, 2026");
});

test("a moment is given in seconds since 1970", () => {
  const moment = new Date(2026, 2, 31, 12, 5, 6).getTime() / 1000;
  assert.equal(formatMoment(moment).replace(/\s/g, " "), "Mar 31, 2026, 12:05:06 PM");
});

test("names are sorted as people do, numbers by their size", () => {
  assert.deepEqual(["layer10", "Layer2", "layer2", "äpfel", "zebra"].sort(collate), [
    "äpfel",
    "layer2",
    "Layer2",
    "layer10",
    "zebra",
  ]);
  assert.equal(collate("", ""), 0);
});
