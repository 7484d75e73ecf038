import type { Patterns } from "../lib/patterns";
import { keysRead } from "./calculated";
import type { Section } from "./layout";
import type { Stage } from "./panel";
import type { PanelSpec } from "./spec";

/** Most keys that one panel's pattern draws, the first by name. */
export const MOST_MATCHES = 20;

type KeysOf = Stage["keysOf"];

/** The keys that a pattern matches, as far as that is known, and a word for why it is not. */
export function matching(
  text: string,
  keys: readonly string[],
  patterns: Patterns,
): { found: string[]; problem: string } {
  const { hits, isWaiting, problem } = patterns.look(text, "", text ? keys : []);
  const found = keys.filter((key) => hits.get(key)?.length);
  return problem
    ? { found: [], problem }
    : { found, problem: isWaiting && !found.length ? "patternWaits" : "" };
}

/** The panel with the keys that its pattern matches now, or that its expressions read. */
export function withKeys(spec: PanelSpec, keysOf: KeysOf, patterns: Patterns): PanelSpec {
  const { keysPattern, yExpression, xExpression } = spec;
  if (!keysPattern && !yExpression && !xExpression) return spec;
  if (!keysPattern) return { ...spec, keys: keysRead(spec) };
  const { found, problem } = matching(keysPattern, keysOf(spec.source), patterns);
  const keys = keysRead({ ...spec, keys: found.slice(0, MOST_MATCHES) });
  return { ...spec, keys, ...(problem ? { problem } : {}) };
}

export function sectionsWithKeys(
  sections: readonly Section[],
  keysOf: KeysOf,
  patterns: Patterns,
): Section[] {
  return sections.map((section) => ({
    ...section,
    panels: section.panels.map((spec) => withKeys(spec, keysOf, patterns)),
  }));
}
