import type { Patterns } from "../lib/patterns";
import type { PanelSpec } from "./spec";

const SPECIAL = /[\\^$.*+?()[\]{}|]/;

/**
 * Panels match whose title, keys or kind of media have every word, or match the text as a regular expression, as far
 * as that is known.
 */
export function matcherOf(search: string, patterns: Patterns): (spec: PanelSpec) => boolean {
  const text = search.trim();
  if (!text) return () => true;
  const words = text.toLowerCase().split(/\s+/);
  const isPattern = SPECIAL.test(text);
  return ({ kind, title, keys, section, text: about = "" }) => {
    const names = [
      title,
      ...keys,
      `${section}/${title}`,
      ...(kind === "media" || kind === "histogram" ? [about] : []),
    ];
    const whole = names.join(" ").toLowerCase();
    if (words.every((one) => whole.includes(one))) return true;
    if (!isPattern) return false;
    const { hits } = patterns.look(text, "i", names);
    return names.some((name) => hits.get(name)?.length);
  };
}
