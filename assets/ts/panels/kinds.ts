import { entryOf } from "../lib/record";
import { word } from "../lib/words";
import { LinePanel } from "./line";
import { note } from "./notes";
import type { MakePanel, Panel } from "./panel";
import type { PanelKind, PanelSpec } from "./spec";

/** Line charts come with the page, every other kind when the first panel of it comes into view. */
const LOADERS: Record<Exclude<PanelKind, "line">, () => Promise<MakePanel>> = {
  scatter: async () => (await import("./scatter")).makeScatter,
  bar: async () => (await import("./bar")).makeBar,
  parallel: async () => (await import("./parallel")).makeParallel,
  importance: async () => (await import("./importance")).makeImportance,
  table: async () => (await import("./table")).makeTable,
  media: async () => (await import("./media-panel")).makeMedia,
  histogram: async () => (await import("./histogram")).makeHistogram,
  compare: async () => (await import("./compare")).makeCompare,
  custom: async () => (await import("./custom")).makeCustom,
  markdown: async () => (await import("./written")).makeMarkdown,
  code: async () => (await import("./written")).makeCode,
  scalar: async () => (await import("./scalar")).makeScalar,
};

/** Names of kinds in layouts that were kept under former versions. */
const FORMER: Record<string, PanelKind> = { images: "media" };

export function makerOf({ kind: given, problem }: PanelSpec): MakePanel | Promise<MakePanel> {
  if (problem) return (body) => noteOf(body, problem);
  const kind = entryOf(FORMER, given) ?? given;
  if (kind === "line") return (body, spec, stage, head) => new LinePanel(body, spec, stage, head);
  return (entryOf(LOADERS, kind) ?? LOADERS.compare)();
}

/** A panel that only says why there is none. */
function noteOf(body: HTMLElement, problem: string): Panel {
  return { refresh: () => note(body, word(problem)), destroy: () => body.replaceChildren() };
}
