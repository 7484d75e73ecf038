import { word } from "../../lib/words";
import { shortColumn } from "../columns";
import type { PanelSpec } from "../spec";

/** What a panel is called where it has no title of its own. */
export function titleOf(spec: PanelSpec): string {
  const columns = (spec.columns ?? []).filter(Boolean).map(shortColumn);
  const { kind, keys } = spec;
  if (kind === "line") {
    const name = spec.yExpression || spec.keysPattern || keys.slice(0, 3).join(", ");
    return name || word("kind_line");
  }
  if (["histogram", "table", "media"].includes(kind)) return keys[0] ?? word(`kind_${kind}`);
  if (kind === "scatter" && columns.length > 1) return `${columns[1]} / ${columns[0]}`;
  if (kind === "importance") return [word("kind_importance"), ...columns].join(": ");
  return columns.length ? columns.slice(0, 3).join(", ") : word(`kind_${kind}`);
}

/** The word that says what a panel lacks before it can be drawn; "" where it lacks nothing. */
export function missingOf(spec: PanelSpec): string {
  const { kind, keys, columns = [], content = "" } = spec;
  const chosen = columns.filter(Boolean).length;
  if (kind === "line") return keys.length ? "" : "previewKeys";
  if (["histogram", "table", "media"].includes(kind)) return keys[0] ? "" : "previewKey";
  if (["scatter", "parallel"].includes(kind)) return chosen > 1 ? "" : "previewColumns";
  if (["bar", "scalar"].includes(kind)) return chosen ? "" : "previewColumn";
  if (kind === "markdown" || (kind === "code" && spec.content !== undefined)) {
    return content.trim() ? "" : "previewText";
  }
  return "";
}

/** A panel as it is kept: without what says nothing, with a title, in one of these sections, at its rank. */
export function keptOf(
  whole: PanelSpec,
  sections: readonly { readonly name: string; readonly rank: number }[],
): PanelSpec {
  const filled = Object.entries(whole).filter(
    ([, value]) => value !== undefined && value !== null && value !== "",
  );
  const spec = Object.fromEntries(filled) as unknown as PanelSpec;
  const section = sections.find(({ name }) => name === spec.section);
  const x = whole.x === "" ? { x: "" } : {};
  return {
    ...spec,
    ...x,
    title: spec.title || titleOf(spec),
    section: spec.section || word("sectionCharts"),
    rank: section?.rank ?? 1,
  };
}
