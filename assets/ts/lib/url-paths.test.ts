import assert from "node:assert/strict";
import { test } from "node:test";
import { urlPath } from "./url-paths";

test("no segment of an address is resolved or dropped", () => {
  const written = {
    "media/a b.html": "media/a%20b.html",
    "./a": "%3A./a",
    "a//b/": "a/%3A/b/%3A",
    ":": "%3A%3A",
  };
  for (const [path, address] of Object.entries({ ...written, "n\nl": "n%0Al", "a:b": "a%3Ab" })) {
    assert.equal(urlPath(path), address);
    assert.equal(new URL(`http://host/files/${address}`).pathname, `/files/${address}`);
  }
});
