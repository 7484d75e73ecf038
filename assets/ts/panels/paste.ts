import { recall, remember } from "../lib/store";
import { word } from "../lib/words";
import type { Section } from "./layout";
import { newId, type PanelSpec } from "./spec";

/** Where a copied panel is kept in this browser: pages without TLS can't read the clipboard. */
const STORE = "runyard-panel";
/** Tells a copied panel from other JSON. */
const MARK = "runyardPanel";
const MOST_CHARACTERS = 64 * 1024;

/** A panel as text for the clipboard; where it goes is said when it is pasted. */
export function copiedText(spec: PanelSpec): string {
  const { id: _id, section: _section, rank: _rank, group: _group, order: _order, ...panel } = spec;
  return JSON.stringify({ [MARK]: panel }, null, 2);
}

/** Keep a copied panel for `Paste panel`, in this and in other projects. */
export function keepCopied(text: string): void {
  remember(STORE, text);
}

/** The panel that was copied last, for a section; null while none was. */
export function lastCopied(section: Section | undefined): PanelSpec | null {
  return readCopied(recall<string>(STORE, ""), section);
}

/** A panel for a section from text; null where it says none. */
export function readCopied(text: string, section: Section | undefined): PanelSpec | null {
  if (!text.includes(MARK) || text.length > MOST_CHARACTERS) return null;
  try {
    const panel = (JSON.parse(text) as Record<string, Partial<PanelSpec>>)[MARK];
    if (!panel || typeof panel.kind !== "string" || typeof panel.title !== "string") return null;
    const { keys, source } = panel;
    return {
      ...(panel as PanelSpec),
      id: newId(),
      source: source === "system" ? "system" : "history",
      keys: Array.isArray(keys) ? keys.map(String) : [],
      section: section?.name ?? word("sectionCharts"),
      rank: section?.rank ?? 0,
    };
  } catch {
    return null;
  }
}
