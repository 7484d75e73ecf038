import type { KeyInfo, Kind } from "../charts/wire";
import { word } from "../lib/words";
import { isMedia, kindOf as mediaKind } from "../media/kinds";
import { CUSTOM_RANK, placeOf, roomyPlace } from "./places";
import type { PanelKind, PanelSpec } from "./spec";
import { chartOf } from "./vega/chart";

const KIND_OF_TYPE = new Map<string, PanelKind>([
  ["table-file", "table"],
  ["incremental-table-file", "table"],
  ["partitioned-table", "table"],
  ["joined-table", "table"],
  ["histogram", "histogram"],
]);
/** Of tables and media: room for columns side by side, and for a figure below the slider. */
const MEDIA_SIZE = { span: 2, height: 360 };
/** Within a section lines come first: they are of one height. */
const AFTER_LINES = 100;

/** The kind of panel that shows values of a type; undefined for numbers and what no panel shows. */
export function kindOfType(type: string): PanelKind | undefined {
  return KIND_OF_TYPE.get(type) ?? (isMedia(type) ? "media" : undefined);
}

/** Make a panel of every key not hidden: numbers become lines, tables, histograms and media their own kinds. */
export function panelsOf(kind: Kind, keys: readonly KeyInfo[], isRunPage: boolean): PanelSpec[] {
  const byId = new Map<string, PanelSpec>();
  for (const info of keys) {
    const panel = info.hidden ? null : kindOf(info);
    if (!panel) continue;
    const id = info.about ? `system:${info.about.id}` : info.key;
    const known = byId.get(id);
    if (known) known.keys.push(info.key);
    else
      byId.set(id, {
        id,
        kind: panel,
        source: kind,
        keys: [info.key],
        ...placeOf(kind, info, isRunPage),
        ...(panel === "line" ? {} : { order: AFTER_LINES }),
        ...(panel === "table" || panel === "media" ? roomyPlace(info.key, panel === "table") : {}),
        ...(panel === "table" ? MEDIA_SIZE : {}),
        ...(panel === "media" || panel === "histogram" ? partOf(panel, info) : {}),
      });
  }
  return [...byId.values()];
}

/** Make the panels of charts that `wandb.plot` and `wandb.sklearn` logged; their tables are no panels of their own then. */
export function customPanels(charts: Record<string, Record<string, unknown>>): PanelSpec[] {
  return Object.entries(charts).map(([key, chart]) => {
    const place = placeOf("history", { key }, true);
    return {
      ...place,
      id: `chart:${key}`,
      kind: "custom",
      source: "history",
      section: word("sectionCustom"),
      rank: CUSTOM_RANK,
      title: chartOf(key, chart).strings.title || place.title,
      keys: [key],
      chart,
    };
  });
}

/** Leave out tables that only carry the rows of custom charts. */
export function withoutChartTables(
  panels: PanelSpec[],
  charts: Record<string, Record<string, unknown>>,
): PanelSpec[] {
  const tables = new Set(Object.entries(charts).map(([key, chart]) => chartOf(key, chart).source.key));
  return panels.filter(({ kind, keys }) => kind !== "table" || !tables.has(keys[0] ?? ""));
}

function kindOf({ types, numbers }: KeyInfo): PanelKind | null {
  if (numbers) return "line";
  for (const type of types) {
    const kind = kindOfType(type);
    if (kind) return kind;
  }
  return null;
}

/** What is said of a panel with media or histograms, by which it is found too. */
function partOf(panel: PanelKind, { key, types }: KeyInfo): Partial<PanelSpec> {
  const [, name] = mediaKind(types.find(isMedia) ?? "");
  return { text: `${word(name)} · ${key}`, ...(panel === "media" ? MEDIA_SIZE : {}) };
}
