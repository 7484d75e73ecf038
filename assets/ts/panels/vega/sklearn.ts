import { base, byRun, dashed, field, numbers, perLine, type Spec, tilted, zoomable } from "./parts";

/** The charts of `wandb.sklearn`, each on the columns that the SDK's `wandb/integration/sklearn/calculate` makes. */

const all = { content: "data" };
const rounded = { cornerRadiusEnd: 2, tooltip: all };
/** Zero, a mean or a threshold, which data is held against. */
const reference = { type: "rule", strokeDash: [5, 4], opacity: 0.7, tooltip: false };
const point = { type: "point", opacity: 0.75, tooltip: all };
/** As many labels as there is room for. */
const crowded = { labelLimit: 130, labelOverlap: "greedy" };
const shapes = { field: "name", type: "nominal", legend: null };
const category = (name: string): Spec => ({ field: field(name), type: "nominal" });
/** In the order of the data: train before test. */
const dataset = { ...perLine("dataset"), sort: null };
const fitted = { scale: { zero: false } };

/** Bars that lie, so that long names can be read; those of several runs beside each other. */
const bars = (label: string, value: string, layer: Spec[] = []): Spec =>
  base({
    encoding: {
      y: { ...category(label), sort: { field: field(value), op: "max", order: "descending" }, axis: crowded },
      x: numbers(value),
      yOffset: { field: "name" },
      color: byRun,
    },
    layer: [{ mark: { type: "bar", ...rounded } }, ...layer],
  });

const among = (name: string, test: string) => ({ filter: `datum["${field(name)}"] ${test}` });
const model = {
  ...perLine("model"),
  legend: { title: null, orient: "bottom", columns: 2, symbolOpacity: 1 },
};
const perfect = '"Perfectly calibrated"';

/** Fraction of positives by prediction, above how many predictions there were in each of ten bins. */
const calibration = base({
  transform: [{ calculate: `datum["${field("edge_dict")}"] + 0.1`, as: "edge_end" }],
  resolve: { scale: { y: "independent" } },
  layer: [
    {
      mark: { type: "rect", opacity: 0.14, tooltip: all },
      transform: [among("hist_dict", "> 0")],
      encoding: {
        x: numbers("edge_dict", { title: null }),
        x2: { field: "edge_end" },
        y: numbers("hist_dict", { axis: { orient: "right", grid: false } }),
        y2: { datum: 0 },
        color: model,
      },
    },
    {
      encoding: {
        x: numbers("mean_predicted_value", { scale: { domain: [0, 1] } }),
        y: numbers("fraction_of_positives", { scale: { domain: [0, 1] } }),
      },
      layer: [
        { mark: { ...reference, type: "line" }, transform: [among("model", `== ${perfect}`)] },
        {
          mark: { type: "line", point: { size: 30 }, tooltip: all },
          transform: [among("model", `!= ${perfect}`)],
          encoding: { color: model, strokeDash: dashed("name") },
        },
      ],
    },
  ],
});

const elbow = base({
  encoding: { x: numbers("cluster_ranges", { ...fitted, axis: { tickMinStep: 1 } }), color: byRun },
  resolve: { scale: { y: "independent" } },
  layer: [
    {
      mark: { type: "line", point: { size: 30 }, strokeDash: [4, 4], opacity: 0.45, tooltip: all },
      encoding: { y: numbers("clustering_time", { axis: { orient: "right", grid: false } }) },
    },
    { mark: { type: "line", point: { size: 40 }, tooltip: all }, encoding: { y: numbers("errors") } },
  ],
});

const proportions = base({
  mark: { type: "bar", tooltip: all },
  encoding: {
    x: { ...category("class"), sort: null, axis: { ...tilted, ...crowded } },
    xOffset: { field: "name" },
    y: numbers("count"),
    color: dataset,
  },
});

const learning = base({
  layer: [
    { params: zoomable, mark: { type: "line", point: { size: 40 }, tooltip: all } },
    { mark: { type: "point", size: 90, opacity: 0, tooltip: all } },
  ],
  encoding: {
    x: numbers("train_size", fitted),
    y: numbers("score", fitted),
    color: dataset,
    strokeDash: dashed("name"),
  },
});

const boundaries = base({
  params: zoomable,
  mark: point,
  encoding: { x: numbers("x", fitted), y: numbers("y", fitted), color: perLine("color"), shape: shapes },
});

/** Cook's distance of each instance; those beyond the threshold stand out. */
const outliers = base({
  encoding: { x: numbers("instance_indicies"), color: byRun },
  layer: [
    {
      params: zoomable,
      mark: { type: "rule", tooltip: all },
      encoding: { y: numbers("distance"), y2: { datum: 0 }, opacity: { value: 0.5 } },
    },
    {
      mark: { ...point, opacity: 1 },
      transform: [among("distance", `>= datum["${field("influence_threshold")}"]`)],
      encoding: { y: numbers("distance") },
    },
    {
      mark: reference,
      encoding: { x: null, y: { aggregate: "mean", ...numbers("influence_threshold"), title: null } },
    },
  ],
});

const residuals = base({
  layer: [
    { mark: reference, encoding: { y: { datum: 0 } } },
    {
      params: zoomable,
      mark: point,
      encoding: {
        x: numbers("y_pred", fitted),
        y: numbers("residuals"),
        color: dataset,
        shape: shapes,
      },
    },
  ],
});

/** Each sample's score as a bar, cluster upon cluster; the mean over all is the dashed line. */
const silhouette = base({
  layer: [
    {
      mark: { type: "rule", strokeWidth: 1.5, opacity: 0.8, tooltip: all },
      encoding: {
        x: numbers("x1", { title: null }),
        x2: { field: field("x2") },
        y: numbers("y_sil", { title: null, axis: { labels: false, ticks: false, grid: false } }),
        color: perLine("color_sil"),
      },
    },
    {
      mark: reference,
      encoding: { x: { aggregate: "mean", ...numbers("silhouette_avg"), title: null } },
    },
  ],
});

/** Values beside bars, while few runs leave room for them. */
const written = {
  transform: [
    { joinaggregate: [{ op: "distinct", field: "name", as: "run_count" }] },
    { filter: "datum.run_count <= 2" },
  ],
  mark: { type: "text", align: "left", dx: 4, fontSize: 11, tooltip: false },
  encoding: { text: numbers("metric_value", { format: ".4~g" }), color: null },
};

export const SKLEARN: Record<string, Spec> = {
  "wandb/calibration/v1": calibration,
  "wandb/class_proportions/v1": proportions,
  "wandb/decision_boundaries/v1": boundaries,
  "wandb/elbow/v1": elbow,
  "wandb/feature_importances/v1": bars("feature_names", "importances"),
  "wandb/learning_curve/v1": learning,
  "wandb/metrics/v1": bars("metric_name", "metric_value", [written]),
  "wandb/outliers/v1": outliers,
  "wandb/residuals_plot/v1": residuals,
  "wandb/silhouette_/v1": silhouette,
};
