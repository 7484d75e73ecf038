import assert from "node:assert/strict";
import { test } from "node:test";
import { makeLine } from "../charts/fixtures";
import { makeSpec } from "./fixtures";
import { styled } from "./line-styles";

const styles = { loss: { title: "All", color: 3, width: 4 }, "a/loss": { title: "Mine", dash: 2 } };

test("a line's own style overrides its key's style, which overrides the default", () => {
  const line = (id: string) => ({ ...makeLine([1], { id, label: id, color: 8, dash: 1 }), key: "loss" });
  const [mine, other] = styled([line("a/loss"), line("b/loss")], makeSpec({ lineStyles: styles }));
  assert.deepEqual([mine?.label, mine?.color, mine?.dash, mine?.width], ["Mine", 3, 2, 4]);
  assert.deepEqual([other?.label, other?.color, other?.dash, other?.width], ["All", 3, 1, 4]);
});

test("a chosen dash is exact even if the color has its own dash", () => {
  const line = { ...makeLine([1], { id: "x", color: 8 }), key: "k" };
  const dashOf = (dash: number) => styled([line], makeSpec({ lineStyles: { k: { dash } } }))[0]?.dash;
  assert.equal(dashOf(1), 0);
  assert.equal(dashOf(0), 4);
});

test("without styles lines are unchanged", () => {
  const lines = [{ ...makeLine([1]), key: "k" }];
  assert.deepEqual(styled(lines, makeSpec()), lines);
});
