import assert from "node:assert/strict";
import { test } from "node:test";
import { makeLine, SQUARE } from "./fixtures";
import { drawBand, drawLine } from "./plot";
import { SvgSurface } from "./surface";

function drawn(draw: (surface: SvgSurface) => void): string {
  const surface = new SvgSurface(200, 100);
  draw(surface);
  return surface.text();
}
const paths = (svg: string) => [...svg.matchAll(/<path d="([^"]*)"/g)].map(([, path]) => path);

test("an SVG states its size", () => {
  assert.match(
    drawn(() => undefined),
    /^<svg [^>]*width="200" height="100" viewBox="0 0 200 100"/,
  );
});

test("text is escaped", () => {
  const svg = drawn((surface) => surface.fillText('<a href="x">&</a>', 1, 2));
  assert.ok(!svg.includes("<a"));
  assert.match(svg, />&#60;a href=&#34;x&#34;&#62;&#38;&#60;\/a&#62;<\/text>/);
});

test("text keeps its position, alignment, size and weight", () => {
  const svg = drawn((surface) => {
    surface.font = '600 13px "Inter Variable"';
    surface.textAlign = "right";
    surface.textBaseline = "top";
    surface.fillText("x", 1.23456, -2);
  });
  assert.match(svg, /<text x="1\.23" y="-2" dy="0\.8em" text-anchor="end" font-size="13" font-weight="600"/);
});

test("a path that starts with lineTo begins with a move, as on a canvas", () => {
  const svg = drawn((surface) => {
    surface.beginPath();
    surface.lineTo(1, 2);
    surface.lineTo(3, 4);
    surface.stroke();
  });
  assert.deepEqual(paths(svg), ["M1 2L3 4"]);
});

test("an empty path is not written", () => {
  const svg = drawn((surface) => {
    surface.beginPath();
    surface.fill();
    surface.stroke();
  });
  assert.deepEqual(paths(svg), []);
});

test("restore brings back dashes, opacity and clipping", () => {
  const svg = drawn((surface) => {
    surface.save();
    surface.beginPath();
    surface.rect(0, 0, 10, 10);
    surface.clip();
    surface.globalAlpha = 0.5;
    surface.setLineDash([6, 3]);
    surface.strokeStyle = "red";
    surface.stroke();
    surface.restore();
    surface.stroke();
    surface.restore(); // one too many
  });
  const [, clipped = "", plain = ""] = svg.split(/(?=<path [^>]*fill=)/);
  assert.match(clipped, /stroke="red".*stroke-dasharray="6 3" opacity="0\.5" clip-path="url\(#clip1\)"/);
  assert.match(plain, /stroke="#000" stroke-width="1"\/>/);
});

test("a line is broken at non-finite values, and an isolated point becomes a dot", () => {
  const line = makeLine([10, 20, Number.NaN, 30, Number.NaN, 40, 50], { color: "blue" });
  const wide = { ...SQUARE, x: { ...SQUARE.x, max: 6 } };
  const [stroke = "", dots = ""] = paths(drawn((surface) => drawLine(surface, line, wide, 1.5)));
  assert.equal(stroke, "M0 90L16.67 80M50 70M83.33 60L100 50");
  assert.equal(dots.match(/a2\.5/g)?.length, 2); // a circle is two arcs
});

test("points far apart are marked with dots", () => {
  const wide = { ...SQUARE, x: { ...SQUARE.x, max: 2 } };
  const [, dots = ""] = paths(drawn((surface) => drawLine(surface, makeLine([1, 2, 3]), wide, 1)));
  assert.equal(dots.match(/a2\.5/g)?.length, 6);
});

test("a line is broken at values that a logarithmic axis cannot show", () => {
  const y = { min: 1, max: 100, log: true, from: 100, to: 0 };
  const line = makeLine([1, 0, 10, -1, 100]);
  const frame = { ...SQUARE, x: { ...SQUARE.x, max: 4 }, y };
  assert.equal(paths(drawn((surface) => drawLine(surface, line, frame, 1)))[0], "M0 100M50 50M100 0");
});

test("a band is outlined along its top and back along its bottom", () => {
  const line = makeLine([1, 1], { low: Float64Array.of(0, 10), high: Float64Array.of(50, 60) });
  const frame = { ...SQUARE, x: { ...SQUARE.x, max: 1 } };
  const svg = drawn((surface) => drawBand(surface, line, frame, 0.2));
  assert.deepEqual(paths(svg), ["M0 50L100 40L100 90L0 100Z"]);
  assert.match(svg, /opacity="0\.2"/);
});

test("a band of one point, or none, is not drawn", () => {
  const one = makeLine([1], { low: Float64Array.of(0), high: Float64Array.of(2) });
  for (const line of [one, makeLine([1, 2])])
    assert.deepEqual(paths(drawn((surface) => drawBand(surface, line, SQUARE, 0.2))), []);
});
