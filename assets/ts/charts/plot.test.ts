import assert from "node:assert/strict";
import { test } from "node:test";
import { makeLook, SQUARE } from "./fixtures";
import type { Frame } from "./frame";
import { widthOf } from "./letters";
import type { Palette } from "./palette";
import { drawBelow } from "./plot";
import { SvgSurface } from "./surface";

const COLORS: Palette = {
  ...{ runs: [], axis: "axis", grid: "", surface: "", text: "name", cursor: "", odd: "" },
};

interface Written {
  text: string;
  from: number;
  to: number;
  fill: string;
}

/** What is written below an axis, and from where to where on x. */
function below(frame: Frame, look: Parameters<typeof makeLook>[0]): Written[] {
  const surface = new SvgSurface(frame.right + 20, 200);
  drawBelow(surface, frame, makeLook(look), COLORS);
  const texts = surface.text().matchAll(/<text x="([^"]+)".*?text-anchor="(\w+)".*?fill="(\w+)">([^<]*)</g);
  return [...texts].map(([, x, anchor, fill = "", text = ""]) => {
    const [at, width] = [Number(x), widthOf(text)];
    const from = anchor === "end" ? at - width : anchor === "middle" ? at - width / 2 : at;
    return { text, from, to: from + width, fill };
  });
}

function frameFor(min: number, max: number, width: number, log = false): Frame {
  return { ...SQUARE, x: { min, max, log, from: 40, to: 40 + width }, left: 40, right: 40 + width };
}

for (const axis of ["number", "step", "runtime", "timestamp"] as const) {
  test(`texts below an axis of ${axis} do not touch each other, or the end of the plot`, () => {
    for (const width of [80, 150, 300, 700]) {
      for (const [min, max] of [
        [0, 1],
        [0, 123_456_789],
        [1.7e9, 1.7e9 + 40_000],
        [1.6e9, 1.7e9],
        [0.001, 0.0011],
      ] as const) {
        for (const xName of ["", "step", "a very long name of something"]) {
          const frame = frameFor(min, max, width);
          const written = below(frame, { axis, xName });
          for (const [at, { from, to, text }] of written.entries()) {
            assert.ok(to <= frame.right + 7, `${text} of ${min} to ${max} on ${width}`);
            assert.ok(from >= 0, `${text} begins before the plot`);
            const next = written[at + 1];
            if (next) assert.ok(to <= next.from, `${text} touches ${next.text} on ${width}`);
          }
        }
      }
    }
  });
}

test("the name of x replaces the last tick", () => {
  const frame = frameFor(0, 10, 300);
  const plain = below(frame, {}).map(({ text }) => text);
  const named = below(frame, { xName: "epoch" });
  assert.deepEqual(named.at(-1), { text: "epoch", from: 346 - widthOf("epoch"), to: 346, fill: "name" });
  assert.equal(plain.at(-1), "10");
  assert.ok(!named.some(({ text }) => text === "10"));
});

test("a long name is cropped to half of the axis and keeps its end", () => {
  const name = below(frameFor(0, 10, 300), { xName: "optimizer/parameter_groups/learning_rate" }).at(-1);
  assert.match(name?.text ?? "", /^….*rate$/);
  assert.ok((name?.to ?? 0) - (name?.from ?? 0) <= 150);
});
