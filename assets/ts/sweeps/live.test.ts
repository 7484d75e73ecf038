import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutTokens } from "./live";

test("tokens against forgery and how long ago something was make no other part", () => {
  const part = (token: string, ago: string, runtime: string) =>
    `<form><input type="hidden" name="csrfmiddlewaretoken" value="${token}"></form>` +
    `<time class="x" datetime="2026-01-02" data-relative>${ago}</time>` +
    `<span data-running-since="2026-01-02" class="num">${runtime}</span>`;
  assert.equal(
    withoutTokens(part("abc", "1 minute ago", "1m 00s")),
    withoutTokens(part("x-yz", "now", "2m 00s")),
  );
});

test("another time, value or text makes another part", () => {
  const texts = [
    '<time datetime="2026-01-02">now</time>',
    '<time datetime="2026-01-03">now</time>',
    '<input name="other" value="1">',
    '<input name="other" value="2">',
    "<b>1</b>",
  ].map(withoutTokens);
  assert.equal(new Set(texts).size, texts.length);
});
