import { make } from "../lib/dom";

/** How text looks: a class for the sixteen named colours, a colour for all others. */
interface Style {
  fore: string;
  back: string;
  flags: Set<string>;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
const SEQUENCE = /\u001b\[([0-9;:]*)([A-Za-z])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-_]/g;
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

/**
 * Turn a line with ANSI escapes into elements; the line's text is only ever text.
 *
 * @param raw - Show also what carriage returns have written over, as progress bars do.
 */
export function ansiToNodes(line: string, raw = false): Node[] {
  const nodes: Node[] = [];
  const style: Style = { fore: "", back: "", flags: new Set() };
  const text = visible(line, raw);
  let from = 0;
  for (const match of text.matchAll(SEQUENCE)) {
    push(nodes, text.slice(from, match.index), style);
    from = match.index + match[0].length;
    if (match[2] === "m") apply(style, (match[1] ?? "").split(/[;:]/).map(Number));
  }
  push(nodes, text.slice(from), style);
  return nodes;
}

/** The line without its escapes, as one would copy it. */
export function plainText(line: string, raw = false): string {
  return visible(line, raw).replace(SEQUENCE, "");
}

function visible(line: string, raw: boolean): string {
  return raw ? line.replaceAll("\r", "␍") : line.slice(line.lastIndexOf("\r", line.length - 2) + 1);
}

function push(nodes: Node[], text: string, style: Style): void {
  if (!text) return;
  if (!style.fore && !style.back && style.flags.size === 0) {
    nodes.push(document.createTextNode(text));
    return;
  }
  const classes = [...style.flags].map((flag) => `ansi-${flag}`);
  const span = make("span", "", text);
  for (const [color, property] of [
    [style.fore, "color"],
    [style.back, "backgroundColor"],
  ] as const) {
    if (color.startsWith("#")) span.style[property] = readable(color, property);
    else if (color) classes.push(`ansi-${property === "color" ? "fg" : "bg"}-${color}`);
  }
  span.className = classes.join(" ");
  nodes.push(span);
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
