import assert from "node:assert/strict";
import { test } from "node:test";
import type { Theme } from "./messages";
import { fittedLayout, hasMap } from "./plotly-figure";

const LIGHT: Theme = {
  scheme: "light",
  text: "#111",
  axis: "#222",
  grid: "#333",
  surface: "#fff",
  accent: "#00f",
};
const DARK: Theme = { ...LIGHT, scheme: "dark", text: "#eee", surface: "#123" };

test("maps are known, for what they are drawn on comes from other hosts", () => {
  for (const type of ["choropleth", "choroplethmapbox", "scattergeo", "scattermapbox", "densitymap"])
    assert.ok(hasMap([{ type: "bar" }, { type }]));
  assert.ok(!hasMap([{ type: "scatter" }, { type: "heatmap" }, {}, null, "map", 3]));
  assert.ok(!hasMap([]));
});

test("a figure fills its frame, whatever size it asks for", () => {
  const layout = fittedLayout({ layout: { width: 5000, height: 10, autosize: false } }, LIGHT);
  assert.deepEqual([layout.width, layout.height, layout.autosize], [undefined, undefined, true]);
});

test("margins are small where the figure asks for none, with room for a title", () => {
  assert.equal((fittedLayout({}, LIGHT).margin as { t: number }).t, 24);
  assert.equal((fittedLayout({ layout: { title: "Loss" } }, LIGHT).margin as { t: number }).t, 48);
  assert.deepEqual(fittedLayout({ layout: { margin: { t: 1 } } }, LIGHT).margin, { t: 1 });
});

test("the figure that was sent stays as it is", () => {
  const figure = { layout: { width: 10 } };
  fittedLayout(figure, DARK);
  assert.deepEqual(figure, { layout: { width: 10 } });
});

test("a light theme changes no colours, a dark one those of white paper", () => {
  assert.equal(fittedLayout({}, LIGHT).template, undefined);
  for (const paper_bgcolor of [undefined, "white", "#FFF", "rgb(255, 255, 255)"]) {
    const layout = paper_bgcolor ? { template: { layout: { paper_bgcolor } } } : {};
    const { template } = fittedLayout({ layout }, DARK);
    assert.equal(template?.layout?.paper_bgcolor, "#123");
  }
});

test("a template of another colour stays in a dark theme", () => {
  const template = { layout: { paper_bgcolor: "#e5ecf6" } };
  assert.deepEqual(fittedLayout({ layout: { template } }, DARK).template, template);
});

test("a dark template keeps what it says beside colours", () => {
  const template = {
    layout: {
      paper_bgcolor: "white",
      font: { size: 9 },
      xaxis: { ticks: "inside" },
      scene: { aspectmode: "cube", zaxis: { title: "z" } },
    },
    data: { bar: [] },
  };
  const dark = fittedLayout({ layout: { template } }, DARK).template as typeof template;
  assert.deepEqual(dark.data, { bar: [] });
  assert.deepEqual(dark.layout.font, { size: 9, color: "#eee" });
  assert.equal(dark.layout.xaxis.ticks, "inside");
  assert.equal(dark.layout.scene.aspectmode, "cube");
  assert.equal(dark.layout.scene.zaxis.title, "z");
});
