import type { Patterns } from "../../lib/patterns";
import { word } from "../../lib/words";
import { AXES } from "../calculated";
import { ExpressionError, parseExpression } from "../expression";
import { MOST_MATCHES, matching } from "../pattern";

/** What is said below a field: what is wrong with it, or what it means. */
export interface Remark {
  problem?: string;
  text?: string;
}

/** What a regular expression of keys matches now, as far as that is known. */
export function patternRemark(given: string, keys: readonly string[], patterns: Patterns): Remark {
  const typed = given.trim();
  const { found, problem } = matching(typed, keys, patterns);
  if (problem) return problem === "patternWaits" ? { text: word(problem) } : { problem: word(problem) };
  const shown = found.slice(0, MOST_MATCHES);
  const left = found.length - shown.length;
  const count = left
    ? word("patternMatchesFirst", { n: found.length, most: MOST_MATCHES })
    : word("patternMatches", { n: found.length });
  return { text: typed ? [count, shown.join(", ")].filter(Boolean).join(" ") : word("patternHelp") };
}

/** What is wrong with a formula over these keys; "" where nothing is. */
export function expressionProblem(value: string, keys: readonly string[]): string {
  if (!value.trim()) return "";
  try {
    const unknown = parseExpression(value).keys.find((key) => !keys.includes(key) && !AXES.includes(key));
    return unknown === undefined ? "" : word("expressionNoKey", { text: unknown });
  } catch (error) {
    return error instanceof ExpressionError ? word(error.word, { text: error.text }) : String(error);
  }
}
