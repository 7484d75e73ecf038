import { parse, type Spec, View } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile, type TopLevelSpec } from "vega-lite";
import { entryOf } from "../lib/record";
import type { Drawing, FromFrame, ToFrame } from "../panels/vega/messages";
import { hasAddress, isVega, tipRows } from "./vega-spec";

/** Runs in a sandboxed frame of no origin (metrics/views/frames.py): draws one specification with the rows it is given. */

const DATA = "wandb";
const box = document.getElementById("chart") as HTMLElement;
const words = box.dataset;
let view: View | undefined;
let drawn: Drawing | undefined;
let turn = 0;

function tell(message: FromFrame): void {
  parent.postMessage(message, "*");
}

/** Nothing is read from anywhere: neither data nor pictures, and no link leads out. */
const refuse = () => Promise.reject(new Error(words.noAddresses ?? ""));
const loader = { options: {}, fileAccess: false, load: refuse, sanitize: refuse, http: refuse, file: refuse };

interface VegaSpec extends Record<string, unknown> {
  data?: { name: string; values?: unknown }[];
}

/** Make what Vega runs of either language, with the rows as the data set `wandb`. */
function runnable({ spec, rows, config, titles }: Drawing): Spec {
  if (isVega(spec)) {
    const given = spec as VegaSpec;
    const others = (Array.isArray(given.data) ? given.data : []).filter(({ name }) => name !== DATA);
    const own = (Array.isArray(given.data) ? given.data : []).find(({ name }) => name === DATA);
    return {
      autosize: { type: "fit", contains: "padding" },
      width: innerWidth,
      height: innerHeight,
      ...given,
      data: [{ ...own, name: DATA, values: rows }, ...others],
    } as Spec;
  }
  const isSingle = "mark" in spec || "layer" in spec;
  const fitted = isSingle ? { width: "container", height: "container" } : {};
  const whole = {
    data: { name: DATA },
    ...fitted,
    ...spec,
    datasets: { ...(spec.datasets as object), [DATA]: rows },
  };
  const named = (title: unknown) => entryOf(titles, String(title)) ?? String(title);
  return compile(whole as unknown as TopLevelSpec, {
    config: config as object,
    logger: quiet() as never,
    fieldTitle: (field) => {
      const { aggregate, timeUnit, bin } = field as {
        aggregate?: unknown;
        timeUnit?: unknown;
        bin?: unknown;
      };
      const name = named((field as { field?: unknown }).field ?? "");
      if (aggregate === "count") return words.count ?? "";
      if (typeof aggregate === "string") return `${aggregate} (${name})`;
      if (typeof timeUnit === "string") return `${name} (${timeUnit})`;
      return bin ? `${name} (${words.binned ?? ""})` : name;
    },
  }).spec;
}

async function draw(given: Drawing): Promise<void> {
  turn += 1;
  const own = turn;
  drawn = given;
  document.documentElement.style.colorScheme = given.scheme;
  try {
    if (hasAddress(given.spec)) throw new Error(words.noAddresses ?? "");
    const spec = runnable(given);
    const config = isVega(given.spec) ? (given.config as never) : undefined;
    const next = new View(parse(spec, config, { ast: true }), {
      expr: expressionInterpreter,
      loader: loader as never,
      renderer: "canvas",
      container: box,
      hover: true,
      tooltip: (_handler: unknown, event: MouseEvent, _item: unknown, value: unknown) => tip(event, value),
      logLevel: 1,
      logger: quiet(),
    } as never);
    view?.finalize();
    view = next;
    await next.runAsync();
    if (own !== turn) return;
    box.querySelector("canvas")?.setAttribute("aria-label", given.label);
    tell({ type: "drawn" });
  } catch (error) {
    if (own === turn) fail(error);
  }
}

function fail(error: unknown): void {
  view?.finalize();
  view = undefined;
  box.replaceChildren();
  tell({ type: "failed", text: error instanceof Error ? error.message : String(error) });
}

/** What Vega reports while it runs reaches the page as words; the console stays quiet. */
function quiet(): object {
  const self: Record<string, unknown> = {};
  for (const name of ["warn", "info", "debug"]) self[name] = () => self;
  self.error = (...parts: unknown[]) => {
    tell({
      type: "failed",
      text: parts.map((part) => (part instanceof Error ? part.message : String(part))).join(" "),
    });
    return self;
  };
  self.level = () => 1;
  return self;
}

/** Tell the page what a tip says; it shows the tip, since here it would be cut off at the frame's edge. */
function tip(event: MouseEvent | null, value: unknown): void {
  const rows = tipRows(value, drawn?.titles ?? {});
  const place = rows && event ? { left: event.clientX, top: event.clientY } : { left: 0, top: 0 }; // none when it goes
  tell({ type: "tip", rows, ...place });
}

/** A file has the title that the page shows above the frame. */
async function picture(format: "png" | "svg"): Promise<void> {
  const shown = drawn;
  try {
    if (!view || !shown) throw new Error("nothing drawn");
    await draw({ ...shown, spec: { title: shown.label, ...shown.spec } });
    tell({ type: "picture", file: format === "svg" ? await svg(view) : await png(view, shown.background) });
  } catch {
    tell({ type: "picture", file: null });
  }
  if (shown) await draw(shown);
}

async function svg(chart: View): Promise<Blob> {
  return new Blob([await chart.toSVG()], { type: "image/svg+xml" });
}

async function png(chart: View, background: string): Promise<Blob | null> {
  const canvas = await chart.background(background).toCanvas(3);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

addEventListener("message", ({ source, data }: MessageEvent<ToFrame>) => {
  if (source !== parent) return;
  if (data.type === "draw") void draw(data);
  else void picture(data.format);
});
addEventListener("resize", () => {
  if (!view || !drawn) return;
  const { autosize, width, height } = drawn.spec as Record<string, unknown>;
  if (isVega(drawn.spec) && !autosize && !width && !height) {
    void view.width(innerWidth).height(innerHeight).runAsync();
  } // Vega-Lite's own follow their container
});
addEventListener("keydown", ({ key }) => {
  if (key === "Escape") tell({ type: "escape" });
});
document.addEventListener("mouseleave", () => tell({ type: "tip", rows: null, left: 0, top: 0 }));
tell({ type: "ready" });
