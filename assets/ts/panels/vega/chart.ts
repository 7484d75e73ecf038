import { getJson } from "../../lib/http";
import type { Stage } from "../panel";
import { presetText } from "./presets";

/** Where a custom chart's rows come from: a logged table, config and summary of each run, or history. */
export interface ChartSource {
  kind: "table" | "runs" | "history";
  /** Of the table. */
  key?: string;
  /** Of history. */
  keys?: string[];
}

/** What a custom chart is: what the SDK logged of it, or what somebody made in the editor. */
export interface Chart {
  /** A preset, or a stored chart, `entity/name`; empty where there is a specification. */
  definition: string;
  /** One's own specification as text. */
  spec: string;
  fields: Record<string, string>;
  strings: Record<string, string>;
  source: ChartSource;
}

interface PanelConfig {
  panelDefId?: unknown;
  fieldSettings?: unknown;
  stringSettings?: unknown;
  spec?: unknown;
  source?: ChartSource;
}

/** Read what a panel keeps. */
export function chartOf(key: string, kept: Record<string, unknown> | undefined): Chart {
  const config = (kept?.panel_config ?? {}) as PanelConfig;
  return {
    definition: typeof config.panelDefId === "string" ? config.panelDefId : "",
    spec: typeof config.spec === "string" ? config.spec : "",
    fields: textsOf(config.fieldSettings),
    strings: textsOf(config.stringSettings),
    source: config.source ?? { kind: "table", key },
  };
}

/** What a panel keeps of a chart, in the SDK's form. */
export function keptOf({ definition, spec, fields, strings, source }: Chart): Record<string, unknown> {
  const settings = { fieldSettings: fields, stringSettings: strings };
  return {
    panel_type: "Vega2",
    panel_config: { panelDefId: definition, ...(spec ? { spec } : {}), ...settings, source },
  };
}

function textsOf(settings: unknown): Record<string, string> {
  if (typeof settings !== "object" || settings === null) return {};
  return Object.fromEntries(
    Object.entries(settings).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** A chart that a team has stored under a name. */
export interface StoredChart {
  entity: string;
  name: string;
  display_name: string;
}

/** What an entity has stored, as far as this reader may see it. */
export async function storedCharts(url: string, entity: string): Promise<StoredChart[]> {
  const query = new URLSearchParams({ per_page: "500", entity });
  return (await getJson<{ results: StoredChart[] }>(`${url}?${query}`)).results;
}

const stored = new Map<string, Promise<string | null>>();

/** The text of a chart's specification; null where its definition is not there, or not for this reader. */
export async function specText({ definition, spec }: Chart, stage: Stage): Promise<string | null> {
  if (spec) return spec;
  const preset = presetText(definition);
  if (preset) return preset;
  if (!definition || definition.startsWith("wandb/")) return null;
  const name = definition.includes("/") ? definition : `${stage.urls.entity}/${definition}`;
  const known = stored.get(name) ?? storedText(stage.urls.charts, name);
  stored.set(name, known);
  return known;
}

/** Read stored charts anew: one was saved. */
export function forgetStored(): void {
  stored.clear();
}

async function storedText(url: string, name: string): Promise<string | null> {
  const [entity = "", own = ""] = name.split("/");
  if (!(await storedCharts(url, entity)).some((chart) => chart.name === own)) return null;
  const path = `${encodeURIComponent(entity)}/${encodeURIComponent(own)}`;
  return (await getJson<{ spec: string }>(`${url}${path}`)).spec;
}
