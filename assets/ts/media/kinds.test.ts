import assert from "node:assert/strict";
import { test } from "node:test";
import { isMedia, kindOf, viewerNameOf } from "./kinds";

for (const [kind, name, isShown] of [
  ["image-file", "kindImage", true],
  ["images/separated", "kindImage", true],
  ["table-file", "kindTable", false],
  ["partitioned-table", "kindTable", false],
  ["histogram", "kindHistogram", true],
  ["html-file", "kindHtml", true],
  ["audio", "kindAudio", true],
  ["videos", "kindVideo", true],
  ["plotly-file", "kindPlot", true],
  ["bokeh-file", "kindPlot", true],
  ["molecule", "kindMolecule", true],
  ["object3D-file", "kindModel", true],
  ["graph-file", "kindGraph", true],
  ["string", "kindText", false],
  ["strings", "kindOther", false],
  ["", "kindOther", false],
  ["constructor", "kindOther", false],
] as const) {
  test(`values of kind ${JSON.stringify(kind)} are called ${name}`, () => {
    assert.equal(kindOf(kind)[1], name);
    assert.equal(isMedia(kind), isShown);
  });
}

test("frames draw figures, molecules and models, logged as files or not", () => {
  assert.equal(viewerNameOf("plotly-file"), "plotly");
  assert.equal(viewerNameOf("bokeh"), "bokeh");
  assert.equal(viewerNameOf("molecule-file"), "molecule");
  assert.equal(viewerNameOf("object3D-file"), "model");
  for (const kind of ["image-file", "", "-file", "constructor", "plotly-files"])
    assert.equal(viewerNameOf(kind), undefined);
});
