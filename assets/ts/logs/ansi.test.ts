import assert from "node:assert/strict";
import { test } from "node:test";
import { ansiSpans, plainText } from "./ansi";

const ESC = "\u001b";

/** Write spans as `text{classes color/background}`. */
function written(line: string, raw = false): string[] {
  return ansiSpans(line, raw).map(({ text, classes, color, background }) => {
    const look = [...classes, color && `color ${color}`, background && `on ${background}`].filter(Boolean);
    return look.length ? `${text}{${look.join(" ")}}` : text;
  });
}

for (const [line, spans] of [
  ["", []],
  ["plain", ["plain"]],
  [`${ESC}[31mred${ESC}[0m plain`, ["red{ansi-fg-1}", " plain"]],
  [`${ESC}[31mred${ESC}[m plain`, ["red{ansi-fg-1}", " plain"]],
  [`${ESC}[97;104mbright`, ["bright{ansi-fg-15 ansi-bg-12}"]],
  [`${ESC}[1;4mboth${ESC}[22m line`, ["both{ansi-bold ansi-underline}", " line{ansi-underline}"]],
  [`${ESC}[1m${ESC}[2mdim bold${ESC}[22mnone`, ["dim bold{ansi-bold ansi-dim}", "none"]],
  [`${ESC}[32;41mx${ESC}[39my${ESC}[49mz`, ["x{ansi-fg-2 ansi-bg-1}", "y{ansi-bg-1}", "z"]],
  [`${ESC}[38;5;9mnamed`, ["named{ansi-fg-9}"]],
  [`${ESC}[38;5;196mred`, ["red{color #ff0000}"]],
  [`${ESC}[38;5;67mblue`, ["blue{color #5f87af}"]],
  [`${ESC}[48;5;232mgrey`, ["grey{on #080808}"]],
  [`${ESC}[38;5;255mgrey`, ["grey{color #eeeeee}"]],
  [`${ESC}[38;2;1;20;255mrgb`, ["rgb{color #0114ff}"]],
  [`${ESC}[38:2:1:20:255mrgb`, ["rgb{color #0114ff}"]],
  [`${ESC}[38;2;300;0;0mtoo much`, ["too much{color #ff0000}"]],
  [`${ESC}[38;5;196;1mbold, too`, ["bold, too{ansi-bold color #ff0000}"]],
  [`${ESC}[38;7mnothing known`, ["nothing known{ansi-inverse}"]],
  [`${ESC}[999mx`, ["x"]],
] as const) {
  test(`a line is coloured as its escapes say: ${JSON.stringify(line)}`, () => {
    assert.deepEqual(written(line), spans);
  });
}

for (const [line, text] of [
  [`${ESC}[2K${ESC}[1Gdone`, "done"],
  [`${ESC}]0;title\u0007text`, "text"],
  [`${ESC}]8;;https://example.org${ESC}\\link${ESC}]8;;${ESC}\\`, "link"],
  [`${ESC}Mup`, "up"],
  [`${ESC}[?25lhidden cursor${ESC}[?25h`, "hidden cursor"],
  [`${ESC}[>4;1mkeys`, "keys"],
  [`${ESC}[!preset`, "reset"],
  [`${ESC}[2 qcursor`, "cursor"],
  [`${ESC}(B${ESC}[mtput`, "tput"],
  [`${ESC}7saved${ESC}8${ESC}=`, "saved"],
] as const) {
  test(`escapes that are no colours are left out: ${JSON.stringify(line)}`, () => {
    assert.deepEqual(written(line), [text]);
    assert.equal(plainText(line), text);
  });
}

for (const cut of [`${ESC}`, `${ESC}[`, `${ESC}[31`, `${ESC}[31;`, `${ESC}[?2`, `${ESC}]0;title`]) {
  test(`a sequence that was cut off at the end of a line is left out: ${JSON.stringify(cut)}`, () => {
    assert.deepEqual(written(`${ESC}[32mok${cut}`), ["ok{ansi-fg-2}"]);
    assert.equal(plainText(`ok${cut}`), "ok");
  });
}

test("brackets and numbers that are no sequence stay", () => {
  for (const line of ["[31m", "?25l", "array[0]", "\\u001b[31m"]) assert.deepEqual(written(line), [line]);
});

test("a progress bar shows what it wrote last", () => {
  assert.deepEqual(written("10%\r50%\r100%"), ["100%"]);
  assert.deepEqual(written(`10%\r${ESC}[32m100%`), ["100%{ansi-fg-2}"]);
});

test("a carriage return at the end writes nothing over", () => {
  assert.equal(plainText("10%\r50%\r"), "50%\r");
});

test("the raw line shows all that was written over", () => {
  assert.deepEqual(written("10%\r100%", true), ["10%␍100%"]);
});

test("the spans of a line are its text", () => {
  const line = `<b>&amp; ${ESC}[31m日本 ${ESC}[1;48;2;9;9;9m🎉${ESC}[0m end`;
  const text = ansiSpans(line)
    .map((span) => span.text)
    .join("");
  assert.equal(text, "<b>&amp; 日本 🎉 end");
  assert.equal(text, plainText(line));
});

test("each line begins without a style", () => {
  ansiSpans(`${ESC}[31mred`);
  assert.deepEqual(written("plain"), ["plain"]);
});
