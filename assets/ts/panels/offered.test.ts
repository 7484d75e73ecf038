import assert from "node:assert/strict";
import { test } from "node:test";
import { offeredOf } from "./offered";

test("columns of config and summary are offered first, then fields that can be drawn", () => {
  const column = (
    part: "field" | "config" | "summary",
    label: string,
    type: "number" | "text" | "time" | "boolean",
  ) => ({
    ...{ name: part === "field" ? label : `${part} ${label}`, label, part, type },
  });
  const found = offeredOf([
    column("field", "created", "time"),
    column("field", "name", "text"),
    column("field", "id", "text"),
    column("config", "lr", "number"),
    column("config", "_wandb", "number"),
    column("config", "opt", "text"),
    column("summary", "loss", "number"),
    column("summary", "done", "boolean"),
  ]);
  assert.deepEqual(found, {
    columns: ["config.lr", "config.opt", "summary.loss", "summary.done", "created"],
    numeric: ["config.lr", "summary.loss", "summary.done", "created"],
    metrics: ["summary.loss"],
  });
  assert.deepEqual(offeredOf([]), { columns: [], numeric: [], metrics: [] });
});
