import type { Hit } from "../lib/hits";
import { isPattern, type Patterns } from "../lib/patterns";

/** Finds what is looked for in a text, as far as that is known; hits in one that was never asked for come later. */
export type Needle = (text: string) => readonly Hit[];

/**
 * What is looked for, as the browser's own expression, to mark hits; null where the two differ too much.
 *
 * @param patterns - Matches what a user typed as an expression, which may never end.
 */
export function needleOf(
  text: string,
  isRegex: boolean,
  isExact: boolean,
  patterns: Patterns,
): Needle | null {
  const flags = isExact ? "gu" : "giu";
  if (isRegex)
    return isPattern(text, flags)
      ? (within) => patterns.look(text, flags, [within]).hits.get(within) ?? []
      : null;
  const literal = new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), flags);
  return (within) => Array.from(within.matchAll(literal), (hit) => [hit.index, hit[0].length] as const);
}
