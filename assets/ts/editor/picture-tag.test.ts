import assert from "node:assert/strict";
import { test } from "node:test";
import { shownAt, tagOf } from "./picture-tag";

test("a picture is written without attributes that say nothing", () => {
  assert.equal(
    tagOf({ src: "https://a.b/c.png", alt: "", width: "50%" }),
    '<img src="https://a.b/c.png" width="50%">',
  );
  assert.equal(
    tagOf({ height: "9", width: "8", title: "t", alt: "a", src: "s" }),
    '<img src="s" alt="a" title="t" width="8" height="9">',
  );
});

test("what is written is text, whatever signs it has", () => {
  assert.equal(
    tagOf({ src: "s", alt: '"><script> & co' }),
    '<img src="s" alt="&quot;>&lt;script> &amp; co">',
  );
});

test("attributes that pictures do not have are left out", () => {
  assert.equal(tagOf({ src: "s", onerror: "alert(1)" }), '<img src="s">');
});

test("pictures of other hosts are shown through this server, others not at all", () => {
  assert.equal(
    shownAt("https://a.b/c.png?d=1&e"),
    "/pictures/external?url=https%3A%2F%2Fa.b%2Fc.png%3Fd%3D1%26e",
  );
  assert.equal(shownAt("HTTP://a.b"), "/pictures/external?url=HTTP%3A%2F%2Fa.b");
  for (const src of ["", "/local.png", "javascript:alert(1)", "data:image/png;base64,x", " https://a.b"])
    assert.equal(shownAt(src), "");
});
