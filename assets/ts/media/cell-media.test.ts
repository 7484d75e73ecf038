import assert from "node:assert/strict";
import { test } from "node:test";
import { type CellMedia, enlargedIn, plain } from "./cell-media";

function media(rest: Partial<CellMedia>): CellMedia {
  return {
    kind: "image-file",
    url: "/a",
    caption: "",
    path: "media/a.png",
    type: "image/png",
    size: 1,
    ...rest,
  };
}

test("pictures and what frames draw are opened over the window", () => {
  const all = [
    media({}),
    media({ kind: "plotly-file", type: "" }),
    media({ kind: "audio-file", type: "audio/wav" }),
    media({ kind: "video", type: "image/gif" }),
    media({ url: "" }),
  ];
  assert.deepEqual(enlargedIn(all), [all[0], all[1], all[3]]);
  for (const value of [null, "text", 3, []]) assert.deepEqual(enlargedIn(value), []);
});

test("a cell as text has captions, else paths", () => {
  assert.equal(plain([media({ caption: "a cat" }), media({})]), "a cat, media/a.png");
});

for (const [value, text] of [
  [null, ""],
  [undefined, ""],
  ["", ""],
  [0, "0"],
  [false, "false"],
  [1e21, "1e+21"],
  ["a\nb", "a\nb"],
] as const) {
  test(`a cell is written as it is: ${JSON.stringify(value)}`, () => assert.equal(plain(value), text));
}
