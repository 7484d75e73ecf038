import { make } from "../lib/dom";

/** How text looks: a class for the sixteen named colours, a colour for all others. */
interface Style {
  fore: string;
  back: string;
  flags: Set<string>;
}

/** What ECMA-48 knows: control sequences with their parameters, commands to the terminal, and all others; also cut off. */
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
  /\u001b\[([0-?]*)[ -/]*([@-~]|$)|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|\u001b(?:[ -/]*[0-~]|$)/g;
const FLAGS: Record<number, string> = {
  1: "bold",
  2: "dim",
  3: "italic",
  4: "underline",
  7: "inverse",
  9: "strike",
};
const FLAG_ENDS: Record<number, string[]> = {
  22: ["bold", "dim"],
  23: ["italic"],
  24: ["underline"],
  27: ["inverse"],
  29: ["strike"],
};

/** A part of a line that looks alike throughout. */
export interface AnsiSpan {
  text: string;
  /** Classes for flags and for the sixteen named colours. */
  classes: string[];
  /** Any other colour of the text and behind it, as `#rrggbb`; "" for none. */
  color: string;
  background: string;
}

/**
 * Turn a line with ANSI escapes into elements; the line's text is only ever text.
 *
 * @param raw - Show also what carriage returns have written over, as progress bars do.
 */
export function ansiToNodes(line: string, raw = false): Node[] {
  return ansiSpans(line, raw).map(nodeOf);
}

/** Cut a line with ANSI escapes into parts that look alike. */
export function ansiSpans(line: string, raw = false): AnsiSpan[] {
  const spans: AnsiSpan[] = [];
  const style: Style = { fore: "", back: "", flags: new Set() };
  const text = visible(line, raw);
  let from = 0;
  for (const match of text.matchAll(SEQUENCE)) {
    push(spans, text.slice(from, match.index), style);
    from = match.index + match[0].length;
    const [, codes = "", command] = match;
    if (command === "m" && !/[<-?]/.test(codes)) apply(style, codes.split(/[;:]/).map(Number));
  }
  push(spans, text.slice(from), style);
  return spans;
}

/** The line without its escapes, as one would copy it. */
export function plainText(line: string, raw = false): string {
  return visible(line, raw).replace(SEQUENCE, "");
}

function visible(line: string, raw: boolean): string {
  return raw ? line.replaceAll("\r", "␍") : line.slice(line.lastIndexOf("\r", line.length - 2) + 1);
}

function push(spans: AnsiSpan[], text: string, { fore, back, flags }: Style): void {
  if (!text) return;
  const classes = [...flags].map((flag) => `ansi-${flag}`);
  const [color, background] = [fore, back].map((one) => (one.startsWith("#") ? one : "")) as [string, string];
  if (fore && !color) classes.push(`ansi-fg-${fore}`);
  if (back && !background) classes.push(`ansi-bg-${back}`);
  spans.push({ text, classes, color, background });
}

function nodeOf({ text, classes, color, background }: AnsiSpan): Node {
  if (!classes.length && !color && !background) return document.createTextNode(text);
  const span = make("span", classes.join(" "), text);
  if (color) span.style.color = readable(color, "color");
  if (background) span.style.backgroundColor = readable(background, "backgroundColor");
  return span;
}

/** Any colour may come; drawn towards the theme's text or surface it can be read in both themes. */
function readable(color: string, property: "color" | "backgroundColor"): string {
  return property === "color"
    ? `color-mix(in oklab, ${color} 55%, var(--text))`
    : `color-mix(in oklab, ${color} 25%, var(--surface))`;
}

function apply(style: Style, codes: number[]): void {
  for (let i = 0; i < codes.length; i += 1) {
    const code = codes[i] ?? 0;
    if (code === 0) Object.assign(style, { fore: "", back: "", flags: new Set() });
    else if (FLAGS[code]) style.flags.add(FLAGS[code]);
    else if (FLAG_ENDS[code]) for (const flag of FLAG_ENDS[code]) style.flags.delete(flag);
    else if (code >= 30 && code <= 37) style.fore = String(code - 30);
    else if (code >= 90 && code <= 97) style.fore = String(code - 90 + 8);
    else if (code === 39) style.fore = "";
    else if (code >= 40 && code <= 47) style.back = String(code - 40);
    else if (code >= 100 && code <= 107) style.back = String(code - 100 + 8);
    else if (code === 49) style.back = "";
    else if (code === 38 || code === 48) {
      const [color, used] = extended(codes.slice(i + 1));
      if (code === 38) style.fore = color;
      else style.back = color;
      i += used;
    }
  }
}

/** Read `5;n` or `2;r;g;b`; returns the colour and how many codes it took. */
function extended(codes: number[]): [string, number] {
  if (codes[0] === 5) return [paletteColor(codes[1] ?? 0), 2];
  if (codes[0] === 2) return [hex(codes.slice(1, 4)), 4];
  return ["", 0];
}

/** The 256 colours: sixteen named, a cube of 6×6×6, 24 greys. */
function paletteColor(n: number): string {
  if (n < 16) return String(n);
  if (n >= 232) return hex(Array(3).fill(8 + (n - 232) * 10));
  const level = (part: number) => (part === 0 ? 0 : 55 + part * 40);
  const cube = n - 16;
  return hex([level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)]);
}

function hex(parts: number[]): string {
  const byte = (part: number) => Math.max(0, Math.min(255, part || 0));
  return `#${[0, 1, 2]
    .map((i) =>
      byte(parts[i] ?? 0)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}
