import assert from "node:assert/strict";
import { test } from "node:test";
import { distance, luminance, type Rgb, rgbOf } from "../../charts/distinct";
import { categories } from "./theme";

const THEMES: [surface: string, runs: string[]][] = [
  ["#fff", ["#6357df", "#f05c06", "#054b14", "#af789d", "#5f2095", "#059ce4", "#6e5f02", "#c13662"]],
  ["#15171c", ["#6c6df5", "#f15a0c", "#b1fba6", "#a16c93", "#969bfc", "#68d5e7", "#b7be26", "#f2ac9d"]],
];

function parsed(color: string): Rgb {
  return color.startsWith("#") ? rgbOf(color) : ((color.match(/\d+/g) ?? []).map(Number) as Rgb);
}

test("25 names of a custom chart look different, in both themes", () => {
  for (const [surface, runs] of THEMES) {
    const all = categories(runs, surface);
    assert.deepEqual(all.slice(0, 8), runs);
    const colors = all.slice(0, 25).map(parsed);
    const distances = colors.flatMap((one, at) => colors.slice(0, at).map((other) => distance(one, other)));
    assert.ok(Math.min(...distances) >= 0.08, `${surface}: ${Math.min(...distances)}`);
    const ground = luminance(parsed(surface)) + 0.05;
    for (const color of all.slice(8).map(parsed)) {
      const own = luminance(color) + 0.05;
      assert.ok(Math.max(own, ground) / Math.min(own, ground) >= 2.99, String(color));
    }
  }
});
