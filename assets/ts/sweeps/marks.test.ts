import assert from "node:assert/strict";
import { test } from "node:test";
import type { Surface } from "../charts/surface";
import { paintMark } from "./marks";

/** What is painted of a mark, command by command. */
function painted(state: string): string {
  const commands: string[] = [];
  const record =
    (name: string) =>
    (...args: number[]) =>
      commands.push(`${name} ${args.join(" ")}`.trim());
  const surface = Object.fromEntries(
    ["beginPath", "moveTo", "lineTo", "arc", "rect", "fill", "stroke"].map((name) => [name, record(name)]),
  );
  paintMark(surface as unknown as Surface, state, "red", { x: 10, y: 20, r: 4 });
  return commands.join(", ");
}

test("states differ by shape", () => {
  const shapes = ["finished", "running", "failed", "crashed", "killed"].map(painted);
  assert.equal(new Set(shapes).size, 5);
});

test("runs that go on are rings, and so are those of an unknown state", () => {
  assert.equal(painted("running"), "beginPath, moveTo 14 20, arc 10 20 4 0 6.283185307179586, stroke");
  assert.equal(painted("preempting"), painted("running"));
  assert.equal(painted("unknown"), painted("running"));
});

test("every shape stays within its place", () => {
  for (const state of ["failed", "crashed", "killed"]) {
    const numbers = [...painted(state).matchAll(/(?:moveTo|lineTo) (\d+) (\d+)/g)];
    for (const [, x, y] of numbers) assert.ok(Math.abs(Number(x) - 10) <= 4 && Math.abs(Number(y) - 20) <= 4);
  }
});
