import { type DrawnLine, PLAIN } from "../charts/frame";
import { LineChart } from "../charts/line-chart";
import { COLORS, onRecolor } from "../charts/palette";
import { WHOLE } from "../charts/zoom";
import { make, one } from "../lib/dom";

const POINTS = 60;

/** Names of our tokens, from the style sheet itself: a list of them would fall behind. */
function tokenNames(): string[] {
  const names = new Set<string>();
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (!(rule instanceof CSSStyleRule) || rule.selectorText !== ":root") continue;
      for (const name of rule.style) if (name.startsWith("--")) names.add(name);
    }
  }
  return [...names].filter((name) => !/^--(tblr|glyph|font|shadow)|-mark$/.test(name));
}

function show(kind: "color" | "size", names: readonly string[]): void {
  const style = getComputedStyle(document.documentElement);
  const items = names.map((name) => {
    const item = make("li");
    const sample = make("i", kind === "color" ? "style-token" : "style-length");
    if (kind === "color") sample.style.background = `var(${name})`;
    else sample.style.width = `min(var(${name}), 4rem)`;
    item.append(
      sample,
      make("code", "", name),
      make("span", "muted num", style.getPropertyValue(name).trim()),
    );
    return item;
  });
  one(`[data-tokens=${kind}]`).replaceChildren(...items);
}

function showTokens(): void {
  const style = getComputedStyle(document.documentElement);
  const isColor = (name: string) => CSS.supports("color", style.getPropertyValue(name).trim());
  const names = tokenNames();
  show("color", names.filter(isColor));
  show(
    "size",
    names.filter((name) => !isColor(name) && CSS.supports("width", style.getPropertyValue(name).trim())),
  );
}

function sampleLine(color: number): DrawnLine {
  const x = Float64Array.from({ length: POINTS }, (_, at) => at);
  const y = x.map(
    (at) => 0.25 * color * 0.4 + Math.exp(-at / (8 + 3 * color)) + 0.02 * Math.sin(at * (1 + color)),
  );
  return {
    id: String(color),
    owner: String(color),
    label: `run ${color}`,
    color,
    dash: 0,
    x,
    y,
    raw: null,
    low: null,
    high: null,
  };
}

const chart = new LineChart(
  one("[data-sample-chart]"),
  { ...PLAIN, axis: "step", xName: "Step" },
  { zoom: () => {}, pointed: () => {}, axisName: () => "Step" },
);
const lines = Array.from({ length: COLORS }, (_, color) => sampleLine(color));
const draw = () => chart.show(lines, { ...PLAIN, axis: "step", xName: "Step" }, WHOLE);
chart.describe("Eight lines in the colors of runs");
draw();
showTokens();
onRecolor(() => {
  draw();
  showTokens();
});
