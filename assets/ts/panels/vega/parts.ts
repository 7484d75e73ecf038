/** What specifications of the presets are made of; rows carry the run's `name` and `color` besides their columns. */

export type Spec = Record<string, unknown>;

const SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json";
export const told = (name: string) => `\${string:${name}}`;
export const field = (name: string) => `\${field:${name}}`;
export const base = (rest: Spec): Spec => ({
  $schema: SCHEMA,
  data: { name: "wandb" },
  title: told("title"),
  ...rest,
});
export const byRun = { field: "name", type: "nominal", scale: { range: { field: "color" } }, legend: null };
export const numbers = (name: string, more: Spec = {}) => ({
  field: field(name),
  type: "quantitative",
  ...more,
});
export const tilted = { labelAngle: -30, labelLimit: 72 };
/** Drags move; the wheel alone scrolls the page, as it does over other charts. */
export const zoomable = [
  {
    name: "zoom",
    select: { type: "interval", zoom: "wheel![event.ctrlKey || event.metaKey]" },
    bind: "scales",
  },
];
/** Lines one finds by pointing beside them: the tip says what the nearest point holds. */
export const lines = (x: string, y: string, color: Spec, more: Spec = {}): Spec =>
  base({
    layer: [
      { params: zoomable, mark: { type: "line", interpolate: "linear" } },
      { mark: { type: "point", size: 90, opacity: 0, tooltip: { content: "data" } } },
    ],
    encoding: { x: numbers(x), y: numbers(y, { scale: { zero: false } }), color, ...more },
  });
export const perLine = (name: string): Spec => ({
  field: field(name),
  type: "nominal",
  legend: { title: null, orient: "bottom" },
});

/** Runs are told apart by dashes where colours tell something else. */
export const dashed = (name: string): Spec => ({ field: name, type: "nominal", legend: null });
