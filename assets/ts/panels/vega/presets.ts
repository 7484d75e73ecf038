import { entryOf } from "../../lib/record";
import {
  base,
  byRun,
  dashed,
  field,
  lines,
  numbers,
  perLine,
  type Spec,
  tilted,
  told,
  zoomable,
} from "./parts";
import { SKLEARN } from "./sklearn";

/** The charts of `wandb.plot` and `wandb.sklearn` as specifications, by name. */
const SPECS: Record<string, Spec> = {
  "wandb/line/v0": lines("x", "y", byRun, { strokeDash: dashed(field("stroke")) }),
  "wandb/lineseries/v0": lines("step", "lineVal", perLine("lineKey"), {
    strokeDash: dashed("name"),
    x: numbers("step", { title: told("xname") }),
    y: numbers("lineVal", { title: null, scale: { zero: false } }),
  }),
  "wandb/area-under-curve/v0": lines("x", "y", perLine("class"), {
    strokeDash: dashed("name"),
    x: numbers("x", { title: told("x-axis-title") }),
    y: numbers("y", { title: told("y-axis-title"), scale: { domain: [0, 1] } }),
  }),
  "wandb/scatter/v0": base({
    params: zoomable,
    mark: { type: "point", tooltip: { content: "data" } },
    encoding: {
      x: numbers("x", { scale: { zero: false } }),
      y: numbers("y", { scale: { zero: false } }),
      color: byRun,
    },
  }),
  "wandb/bar/v0": base({
    mark: { type: "bar", tooltip: { content: "data" } },
    encoding: {
      x: { field: field("label"), type: "nominal", sort: null, axis: tilted },
      xOffset: { field: "name" },
      y: numbers("value"),
      color: byRun,
    },
  }),
  "wandb/histogram/v0": base({
    mark: { type: "bar", opacity: 0.75, tooltip: true },
    encoding: {
      x: numbers("value", { bin: { maxbins: 30 } }),
      y: { aggregate: "count", stack: null },
      color: byRun,
    },
  }),
  "wandb/confusion_matrix/v1": confusion(),
  ...SKLEARN,
};
SPECS["wandb/confusion_matrix/v0"] = SPECS["wandb/confusion_matrix/v1"] as Spec;

function confusion(): Spec {
  return base({
    encoding: {
      x: { field: field("Predicted"), type: "nominal", sort: null, axis: tilted },
      y: { field: field("Actual"), type: "nominal", sort: null },
    },
    layer: [
      {
        mark: { type: "rect", tooltip: true },
        encoding: {
          color: {
            ...{ aggregate: "sum", ...numbers("nPredictions"), legend: null },
            scale: { scheme: "viridis" },
          },
        },
      },
      {
        mark: {
          type: "text",
          fontSize: 10,
          stroke: "#fff",
          strokeWidth: 2.5,
          strokeOpacity: 0.85,
          tooltip: true,
        },
        encoding: { text: { aggregate: "sum", ...numbers("nPredictions") } },
      },
      {
        mark: { type: "text", fontSize: 10, color: "#111", tooltip: true },
        encoding: { text: { aggregate: "sum", ...numbers("nPredictions") } },
      },
    ],
  });
}

/** The newest of each, for people to choose from. */
export const PRESETS = Object.keys(SPECS).filter((name) => name !== "wandb/confusion_matrix/v0");

/** The text of a preset; undefined for a name that is none. */
export function presetText(name: string): string | undefined {
  const spec =
    entryOf(SPECS, name) ??
    Object.entries(SPECS).find(([known]) => withoutVersion(known) === withoutVersion(name))?.[1];
  return spec && JSON.stringify(spec, null, 2);
}

function withoutVersion(name: string): string {
  return name.replace(/\/v\d+$/, "");
}
