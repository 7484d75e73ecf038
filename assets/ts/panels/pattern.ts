import { keysRead } from "./calculated";
import type { Section } from "./layout";
import type { Stage } from "./panel";
import type { PanelSpec } from "./spec";

/** Most keys that one panel's pattern draws, the first by name. */
export const MOST_MATCHES = 20;

type KeysOf = Stage["keysOf"];

/** A pattern of keys; null where it is no regular expression. */
export function patternOf(text: string): RegExp | null {
  try {
    return new RegExp(text);
  } catch {
    return null; // half typed
  }
}

export function matching(text: string, keys: readonly string[]): string[] {
  const pattern = text ? patternOf(text) : null;
  return pattern ? keys.filter((key) => pattern.test(key)) : [];
}

/** The panel with the keys that its pattern matches now, or that its expressions read. */
export function withKeys(spec: PanelSpec, keysOf: KeysOf): PanelSpec {
  const { keysPattern, yExpression, xExpression } = spec;
  if (!keysPattern && !yExpression && !xExpression) return spec;
  const keys = keysPattern ? matching(keysPattern, keysOf(spec.source)).slice(0, MOST_MATCHES) : spec.keys;
  return { ...spec, keys: keysRead({ ...spec, keys }) };
}

export function sectionsWithKeys(sections: readonly Section[], keysOf: KeysOf): Section[] {
  return sections.map((section) => ({
    ...section,
    panels: section.panels.map((spec) => withKeys(spec, keysOf)),
  }));
}
