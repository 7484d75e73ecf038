import assert from "node:assert/strict";
import { test } from "node:test";
import { formatUnit, unitFor } from "./units";

for (const [value, unit, text] of [
  [1_299_227_607, "bytes", "1.21 GiB"],
  [1_000_000, "bytes", "976.6 KiB"],
  [512, "MiB", "512 MiB"],
  [2048, "MiB", "2 GiB"],
  [0.5, "GiB", "512 MiB"],
  [0, "bytes", "0 B"],
  [-2048, "bytes", "-2 KiB"],
  [3_000_000, "bytes/s", "2.861 MiB/s"],
  [1500, "W", "1.5 kW"],
  [1500, "mW", "1.5 W"],
  [5e9, "W", "5,000 MW"],
  [2_500_000, "mJ", "2.5 kJ"],
  [10_000, "Mbit/s", "10 Gbit/s"],
  [97.5, "%", "97.5%"],
  [1830, "MHz", "1,830 MHz"],
  [61, "°C", "61 °C"],
  [12, "count", "12"],
  [12, "", "12"],
  [Number.NaN, "bytes", "NaN"],
  [Infinity, "W", "Infinity"],
] as const) {
  test(`${value} ${unit} is ${text}`, () => assert.equal(formatUnit(value, unit), text));
}

test("all values of an axis share the unit of the largest", () => {
  const { suffix, factor } = unitFor("bytes", 5 * 1024 ** 3);
  assert.equal(suffix, " GiB");
  assert.equal((1024 ** 3 / factor).toString(), "1");
});

test("a unit that is a name of an object's own is no multiple", () => {
  assert.deepEqual(unitFor("constructor", 5000), { suffix: " constructor", factor: 1 });
});
