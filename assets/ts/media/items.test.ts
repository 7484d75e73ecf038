import assert from "node:assert/strict";
import { test } from "node:test";
import { itemsOf } from "./items";

test("a single value is one item, with its caption", () => {
  const value = { _type: "image-file", path: "media/a.png", caption: "a cat" };
  assert.deepEqual(itemsOf("image-file", value), [{ kind: "image-file", value, caption: "a cat" }]);
});

test("a text, a switch or a list of numbers is one item, too", () => {
  for (const value of ["hello", true, [1, 2], [], null])
    assert.deepEqual(itemsOf("string", value), [{ kind: "string", value: { text: value }, caption: "" }]);
});

test("pictures of one step share their size, and have masks, boxes and captions by place", () => {
  const value = {
    _type: "images/separated",
    filenames: ["media/0.png", "media/1.png"],
    captions: ["first"],
    width: 64,
    height: 32,
    all_masks: [null, { ground: {} }],
    all_boxes: [{ predictions: {} }],
  };
  const items = itemsOf("images/separated", value);
  assert.deepEqual(
    items.map(({ kind, caption }) => [kind, caption]),
    [
      ["image-file", "first"],
      ["image-file", ""],
    ],
  );
  assert.deepEqual(items[1]?.value, {
    path: "media/1.png",
    width: 64,
    height: 32,
    masks: { ground: {} },
    boxes: undefined,
  });
});

test("3D objects are named relative to their folder, or as a whole", () => {
  const paths = itemsOf("object3D", { filenames: ["a.glb", "media/object3D/b.glb"] }).map(
    ({ value }) => value.path,
  );
  assert.deepEqual(paths, ["media/object3D/a.glb", "media/object3D/b.glb"]);
});

test("sounds are whole values, whose own captions come first", () => {
  const audio = [{ path: "a.wav", caption: "own" }, { path: "b.wav" }, "broken", { path: "c.wav" }];
  const items = itemsOf("audio", { audio, captions: ["one", "two", "three"] });
  assert.deepEqual(
    items.map(({ kind, value, caption }) => [kind, value.path, caption]),
    [
      ["audio-file", "a.wav", "own"],
      ["audio-file", "b.wav", "two"],
      ["audio-file", "c.wav", "three"],
    ],
  );
});

test("a list of media is taken apart, each by its own kind", () => {
  const items = itemsOf("list", [
    { _type: "image-file", path: "a.png" },
    { _type: "images", filenames: ["b.png", "c.png"] },
  ]);
  assert.deepEqual(
    items.map(({ kind, value }) => [kind, value.path]),
    [
      ["image-file", "a.png"],
      ["image-file", "b.png"],
      ["image-file", "c.png"],
    ],
  );
});

test("a list in which one part is no medium stays a text", () => {
  const value = [{ _type: "image-file", path: "a.png" }, 3];
  assert.deepEqual(itemsOf("list", value), [{ kind: "list", value: { text: value }, caption: "" }]);
});

test("a broken list of the SDK is shown as it is", () => {
  const value = { filenames: "not a list", captions: 3, caption: 7 };
  assert.deepEqual(itemsOf("images", value), [{ kind: "images", value, caption: "7" }]);
  assert.deepEqual(itemsOf("images", { filenames: [] }), []);
});
