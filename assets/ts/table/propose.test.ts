import assert from "node:assert/strict";
import { test } from "node:test";
import type { Option } from "./combobox";
import { proposed } from "./propose";

test("what is proposed has each typed word in its name or in what it is", () => {
  const options: Option[] = [
    { value: "val/loss", text: "val/loss", label: "val/loss", hint: "metric" },
    { value: "lr", text: "lr", label: "lr" },
  ];
  assert.deepEqual(
    proposed(options, "METRIC val").map(({ value }) => value),
    ["val/loss"],
  );
  assert.equal(proposed(options, "").length, 2);
  assert.deepEqual(proposed(options, "lr"), []);
  assert.equal(
    proposed(
      Array.from({ length: 60 }, () => options[1] as Option),
      "l",
    ).length,
    50,
  );
});
