import assert from "node:assert/strict";
import { test } from "node:test";
import type { ColumnInfo } from "./catalogue";
import { groupColumns } from "./group-picker";

test("runs are grouped by the usual columns first, then by keys, never by what is unique", () => {
  const column = (name: string, part: ColumnInfo["part"]): ColumnInfo => ({
    name,
    label: name,
    part,
    type: "text",
  });
  const columns = [
    column("id", "field"),
    column("notes", "field"),
    column("tags", "field"),
    column("group", "field"),
    column("runtime", "field"),
    column("config.lr", "config"),
    column("summary.loss", "summary"),
  ];
  const names = groupColumns(columns).map(({ name }) => name);
  assert.deepEqual(names, ["group", "tags", "config.lr", "summary.loss", "notes"]);
});
