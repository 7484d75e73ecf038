import type { Kind } from "../charts/wire";
import { one } from "../lib/dom";
import { word } from "../lib/words";
import { shortColumn } from "./columns";
import { amount, choice, type Field, several, text, threeWay } from "./fields";
import { groupField } from "./group-field";
import type { Section } from "./layout";
import { NOTHING_OFFERED } from "./offered";
import type { Stage } from "./panel";
import { GROUP_BANDS, GROUP_LINES, newId, OWN_AXIS, type PanelKind, type PanelSpec } from "./spec";
import { ChartEditor } from "./vega/editor";

/** What the editor gives back to the page. */
export interface EditorStage extends Stage {
  put(spec: PanelSpec): void;
  arranged(): readonly Section[];
}

interface Names {
  history: string[];
  system: string[];
  columns: string[];
  numeric: string[];
  metrics: string[];
}

type Fields = Record<string, Field<unknown>>;

const ADDABLE: PanelKind[] = [
  "line",
  "scatter",
  "bar",
  "histogram",
  "parallel",
  "importance",
  "compare",
  "custom",
];

/** A panel that somebody is about to add to a section. */
export function blankPanel(section: Section | undefined): PanelSpec {
  return {
    id: newId(),
    kind: "line",
    source: "history",
    section: section?.name ?? word("sectionCharts"),
    rank: section?.rank ?? 0,
    title: "",
    keys: [],
  };
}

/** Let somebody change what a panel shows. */
export async function openEditor(spec: PanelSpec, stage: EditorStage): Promise<void> {
  const dialog = one<HTMLDialogElement>("#panel-dialog");
  const form = one<HTMLFormElement>("form", dialog);
  const body = one<HTMLElement>("[data-fields]", dialog);
  const isNew = !stage.arranged().some(({ panels }) => panels.some(({ id }) => id === spec.id));
  one("h2", dialog).textContent = word(isNew ? "addPanel" : "editPanel");
  const { columns, numeric, metrics } = await stage.offered().catch(() => NOTHING_OFFERED);
  const names: Names = {
    history: stage.keysOf("history"),
    system: stage.keysOf("system"),
    columns: [...columns],
    numeric: [...numeric],
    metrics: [...metrics],
  };
  let draft = spec;
  let fields: Fields = {};
  const show = () => {
    letGo(fields);
    fields = fieldsOf(draft, stage, names);
    dialog.classList.toggle("is-large", draft.kind === "custom");
    const kinds = ADDABLE.includes(draft.kind) ? ADDABLE : [draft.kind];
    const kind = choice(
      word("kind"),
      kinds.map((name) => [name, word(`kind_${name}`)]),
      draft.kind,
    );
    one("select", kind.element).addEventListener("change", () => {
      draft = { ...draft, ...readAll(fields), kind: kind.read() as PanelKind, columns: [], keys: [] };
      show();
    });
    body.replaceChildren(kind.element, ...Object.values(fields).map(({ element }) => element));
  };
  show();
  form.onsubmit = () => {
    const made = { ...draft, ...readAll(fields) };
    stage.put(tidy({ ...made, title: made.title || titleOf(made) }, stage));
  };
  dialog.addEventListener("close", () => letGo(fields), { once: true });
  dialog.showModal();
  one<HTMLElement>("input, select", body).focus();
}

/** A preview stops when its form goes. */
function letGo({ chart }: Fields): void {
  if (chart instanceof ChartEditor) chart.destroy();
}

function readAll(fields: Fields): Partial<PanelSpec> {
  const read = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.read()]));
  const { key, xColumn, yColumn, shade, smoothingKind, smoothingAmount, ...rest } = read as Record<
    string,
    unknown
  >;
  const spec = rest as Partial<PanelSpec>;
  if (key !== undefined) spec.keys = key ? [key as string] : [];
  if (xColumn !== undefined) spec.columns = [xColumn, yColumn ?? "", shade ?? ""] as string[];
  if (smoothingKind) {
    spec.smoothing = { kind: smoothingKind as "ema", amount: (smoothingAmount as number | null) ?? 0 };
  } else if (smoothingKind === "") delete spec.smoothing;
  return spec;
}

/** Take out what says no more than the workspace; a section goes by the rank it has. */
function tidy(spec: PanelSpec, stage: EditorStage): PanelSpec {
  const kept = Object.fromEntries(
    Object.entries(spec).filter(([, value]) => value !== undefined && value !== null && value !== "inherit"),
  ) as unknown as PanelSpec;
  const section = stage.arranged().find(({ name }) => name === kept.section);
  return { ...kept, section: kept.section || word("sectionCharts"), rank: section?.rank ?? 1 };
}

function titleOf(spec: PanelSpec): string {
  const columns = (spec.columns ?? []).filter(Boolean).map(shortColumn);
  if (spec.kind === "line") return spec.keys.slice(0, 3).join(", ") || word("kind_line");
  if (spec.kind === "histogram") return spec.keys[0] ?? word("kind_histogram");
  if (spec.kind === "scatter" && columns.length > 1) return `${columns[1]} / ${columns[0]}`;
  if (spec.kind === "importance") return [word("kind_importance"), ...columns].join(": ");
  return columns.length ? columns.slice(0, 3).join(", ") : word(`kind_${spec.kind}`);
}

function fieldsOf(spec: PanelSpec, stage: EditorStage, names: Names): Fields {
  const sections = stage.arranged().map(({ name }) => [name, name] as const);
  const common: Fields = {
    title: text(word("title"), spec.title, titleOf(spec)),
    section: choice(word("section"), sections, spec.section),
  };
  if (spec.kind === "line") return { ...common, ...lineFields(spec, names, stage.isRunPage) };
  if (spec.kind === "scatter") return { ...common, ...scatterFields(spec, names) };
  if (spec.kind === "bar") return { ...common, ...barFields(spec, names) };
  if (spec.kind === "histogram") {
    const {
      keys: [key = ""],
    } = spec;
    return { ...common, key: columnChoice(word("key"), stage.histogramKeys(), key, "–") };
  }
  if (spec.kind === "parallel") {
    const start = spec.columns?.length ? spec.columns : [];
    return { ...common, columns: several(word("columns"), names.columns, start) };
  }
  if (spec.kind === "importance") {
    const [metric = ""] = spec.columns ?? [];
    return { ...common, xColumn: columnChoice(word("metric"), names.metrics, metric, "–") };
  }
  if (spec.kind === "custom") return { ...common, chart: new ChartEditor(spec, stage, names.history) };
  return common;
}

function columnChoice(label: string, columns: readonly string[], value: string, none: string): Field<string> {
  return choice(label, [["", none], ...columns.map((name) => [name, name] as const)], value);
}

function lineFields(spec: PanelSpec, names: Names, isRunPage: boolean): Fields {
  const kind: Kind = spec.source;
  const axes = [
    ["inherit", word("asWorkspace")],
    ...(kind === "history"
      ? ([
          [OWN_AXIS, word("ownAxis")],
          ["_step", word("step")],
        ] as const)
      : []),
    ["_runtime", word("relativeTime")],
    ["_timestamp", word("wallTime")],
    ...(kind === "history" ? names.history.map((name) => [name, name] as const) : []),
  ] as const;
  const smoothings = [
    ["", word("asWorkspace")],
    ...["none", "ema", "time", "gaussian", "average"].map(
      (name) => [name, word(`smoothing_${name}`)] as const,
    ),
  ] as const;
  return {
    keys: several(word("keys"), names[kind], spec.keys),
    x: choice(word("axisX"), axes, spec.x ?? "inherit"),
    yMin: amount(word("yMin"), spec.yMin),
    yMax: amount(word("yMax"), spec.yMax),
    logX: threeWay(word("logX"), spec.logX),
    logY: threeWay(word("logY"), spec.logY),
    smoothingKind: choice(word("smoothing"), smoothings, spec.smoothing?.kind ?? ""),
    smoothingAmount: amount(word("smoothingAmount"), spec.smoothing?.amount),
    original: threeWay(word("original"), spec.original),
    band: threeWay(word("band"), spec.band),
    withoutOutliers: threeWay(word("withoutOutliers"), spec.withoutOutliers),
    ...(isRunPage ? {} : groupFields(spec, names)),
    ...(kind === "system" ? systemFields(spec) : {}),
  };
}

function groupFields(spec: PanelSpec, names: Names): Fields {
  const lines = GROUP_LINES.map((name) => [name, word(`groupLine_${name}`)] as const);
  const bands = GROUP_BANDS.map((name) => [name, word(`groupBand_${name}`)] as const);
  const inherit = ["inherit", word("asWorkspace")] as const;
  return {
    groupBy: groupField(names.columns, spec.groupBy),
    groupLine: choice(word("groupLine"), [inherit, ...lines], spec.groupLine ?? "inherit"),
    groupBand: choice(word("groupBand"), [inherit, ...bands], spec.groupBand ?? "inherit"),
  };
}

function systemFields(spec: PanelSpec): Fields {
  const names = ["auto", "each", "node", "all"].map((name) => [name, word(`devices_${name}`)] as const);
  const devices = [["inherit", word("asWorkspace")], ...names] as const;
  return {
    devices: choice(word("devices"), devices, spec.devices ?? "inherit"),
    totals: threeWay(word("asTotal"), spec.totals),
  };
}

function scatterFields(spec: PanelSpec, names: Names): Fields {
  const [x = "", y = "", shade = ""] = spec.columns ?? [];
  return {
    xColumn: columnChoice(word("axisX"), names.columns, x, "–"),
    yColumn: columnChoice(word("axisY"), names.columns, y, "–"),
    shade: columnChoice(word("colorBy"), names.numeric, shade, word("byRun")),
    logX: threeWay(word("logX"), spec.logX),
    logY: threeWay(word("logY"), spec.logY),
  };
}

function barFields(spec: PanelSpec, names: Names): Fields {
  return {
    xColumn: columnChoice(word("column"), names.numeric, spec.columns?.[0] ?? "", "–"),
    ...groupFields(spec, names),
  };
}
