import type { PanelSpec } from "./spec";

/** Panels match whose title, keys or kind of media have every word, or match the text as a regular expression. */
export function matcherOf(search: string): (spec: PanelSpec) => boolean {
  const text = search.trim();
  if (!text) return () => true;
  const words = text.toLowerCase().split(/\s+/);
  let pattern: RegExp | null = null;
  try {
    pattern = new RegExp(text, "i");
  } catch {
    pattern = null; // half typed
  }
  return ({ kind, title, keys, section, text: about = "" }) => {
    const names = [
      title,
      ...keys,
      `${section}/${title}`,
      ...(kind === "media" || kind === "histogram" ? [about] : []),
    ];
    const whole = names.join(" ").toLowerCase();
    return words.every((one) => whole.includes(one)) || names.some((name) => pattern?.test(name));
  };
}
