import assert from "node:assert/strict";
import { test } from "node:test";
import type { BufferAttribute, LineSegments, Mesh, Points } from "three";
import type { ShownFile, Theme } from "./messages";
import { loaded } from "./model-files";

const THEME: Theme = {
  scheme: "light",
  text: "#000000",
  axis: "#222",
  grid: "#333",
  surface: "#fff",
  accent: "#ff0000",
};

function fileOf(name: string, content: unknown): ShownFile {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return { name, content: new TextEncoder().encode(text).buffer as ArrayBuffer };
}

async function partsOf(content: unknown) {
  const { object, up } = await loaded(fileOf("media/a.pts.json", content), THEME);
  return { parts: object.children, up };
}

function numbersOf(part: { geometry: { getAttribute(name: string): unknown } } | undefined, name: string) {
  return [...((part?.geometry.getAttribute(name) as BufferAttribute | undefined)?.array ?? [])];
}

test("a list of points is a cloud that stands on its z axis", async () => {
  const { parts, up } = await partsOf([
    [0, 0, 0],
    [1, 2, 3],
  ]);
  assert.deepEqual(numbersOf(parts[0] as Points, "position"), [0, 0, 0, 1, 2, 3]);
  assert.deepEqual(numbersOf(parts[0] as Points, "color"), [1, 0, 0, 1, 0, 0]);
  assert.deepEqual(up.toArray(), [0, 0, 1]);
});

test("points have their own colours, or those of their categories", async () => {
  const { parts } = await partsOf([
    [0, 0, 0, 255, 0, 0],
    [0, 0, 0, 1],
    [0, 0, 0, 8],
    [0, 0, 0, 999, -5, "x"],
  ]);
  const colors = numbersOf(parts[0] as Points, "color");
  assert.deepEqual(colors.slice(0, 3), [1, 0, 0]);
  assert.notDeepEqual(colors.slice(3, 6), colors.slice(6, 9));
  assert.deepEqual(colors.slice(9), [1, 0, 0]);
});

test("coordinates that are no numbers are zero, a point alone has a size", async () => {
  const { parts } = await partsOf([[null, "2", Number.NaN]]);
  assert.deepEqual(numbersOf(parts[0] as Points, "position"), [0, 2, 0]);
  assert.equal(((parts[0] as Points).material as unknown as { size: number }).size, 1);
});

const CORNERS = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => [n & 1 ? 1 : -1, n & 2 ? 1 : -1, n & 4 ? 1 : -1]);

test("a box has twelve edges, each along one axis", async () => {
  const { parts } = await partsOf({ boxes: [{ corners: CORNERS }] });
  const numbers = numbersOf(parts[0] as LineSegments, "position");
  assert.equal(numbers.length, 12 * 2 * 3);
  for (let at = 0; at < numbers.length; at += 6) {
    const [from, to] = [numbers.slice(at, at + 3), numbers.slice(at + 3, at + 6)];
    assert.equal(from.filter((value, axis) => value !== to[axis]).length, 1);
  }
});

test("a box without eight corners is left out, as are vectors without an end", async () => {
  const { parts } = await partsOf({
    boxes: [{ corners: CORNERS.slice(0, 7) }, {}],
    vectors: [{ start: [0, 0, 0] }, { end: [1, 1, 1] }],
  });
  assert.equal(parts.length, 0);
});

test("colours of boxes go to 255, or to 1 where none is more", async () => {
  const colorOf = async (color: number[]) => {
    const { parts } = await partsOf({ boxes: [{ corners: CORNERS, color }] });
    const material = (parts[0] as LineSegments).material as unknown as { color: { getHexString(): string } };
    return material.color.getHexString();
  };
  assert.equal(await colorOf([255, 0, 255]), "ff00ff");
  assert.equal(await colorOf([1, 0, 1]), "ff00ff");
  assert.equal(await colorOf([9, 9]), "000000");
});

test("vectors are lines from their start to their end", async () => {
  const { parts } = await partsOf({ vectors: [{ start: [0, 0, 0], end: [1, 2, 3] }] });
  assert.deepEqual(numbersOf(parts[0] as LineSegments, "position"), [0, 0, 0, 1, 2, 3]);
});

test("a scene without anything is empty", async () => {
  for (const content of [{}, [], null]) assert.equal((await partsOf(content)).parts.length, 0);
});

test("an OBJ is painted in the colour of the theme, and stands on its y axis", async () => {
  const { object, up } = await loaded(fileOf("a.OBJ", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), THEME);
  const mesh = object.children[0] as Mesh;
  assert.equal(
    (mesh.material as unknown as { color: { getHexString(): string } }).color.getHexString(),
    "ff0000",
  );
  assert.deepEqual(up.toArray(), [0, 1, 0]);
});

test("an STL in text is read, and stands on its z axis", async () => {
  const facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet";
  const { object, up } = await loaded(fileOf("a.stl", `solid a\n${facet}\nendsolid a\n`), THEME);
  assert.equal(numbersOf(object as Mesh, "position").length, 9);
  assert.deepEqual(up.toArray(), [0, 0, 1]);
});

test("a cloud that is no JSON is refused", async () => {
  await assert.rejects(loaded(fileOf("a.pts.json", "0 0 0\n1 1 1"), THEME), SyntaxError);
});
