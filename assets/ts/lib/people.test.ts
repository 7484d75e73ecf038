import assert from "node:assert/strict";
import { test } from "node:test";
import { withPerson } from "./people";

test("a person is added on a line of their own, and only once", () => {
  assert.equal(withPerson("", "ada"), "ada");
  assert.equal(withPerson("grace, alan;bob\n", "ada"), "grace\nalan\nbob\nada");
  assert.equal(withPerson("grace, ada", "ada"), "grace, ada");
});
