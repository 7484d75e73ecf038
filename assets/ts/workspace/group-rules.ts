/** By path of a group: whether it is drawn, with all that is inside; the longest path decides. */
export type Rules = Record<string, boolean>;

/** The path of all runs. */
export const ROOT = "[]";
/** The server reads no more of them. */
const MOST_RULES = 100;

/** Whether a path leads into another one, or is the same. */
export function isInside(path: string, outer: string): boolean {
  const [steps, outside] = [JSON.parse(path) as string[], JSON.parse(outer) as string[]];
  return outside.every((step, at) => steps[at] === step);
}

/** What the rules say of a path; undefined where they say nothing. */
export function ruleOf(rules: Rules, path: string): boolean | undefined {
  const outer = Object.keys(rules).filter((other) => isInside(path, other));
  const longest = outer.sort((a, b) => JSON.parse(b).length - JSON.parse(a).length)[0];
  return longest === undefined ? undefined : rules[longest];
}

/** The rules after a click on the eye of a group: what is inside follows it. */
export function toggled(rules: Rules, path: string, isDrawn: boolean): Rules {
  const others = Object.fromEntries(Object.entries(rules).filter(([other]) => !isInside(other, path)));
  const isShownAnyway = ruleOf(others, path) ?? true;
  const hadRoom = isDrawn || Object.keys(others).length < Object.keys(rules).length;
  if (!isDrawn === isShownAnyway && hadRoom) return others;
  return Object.fromEntries([...Object.entries(others), [path, !isDrawn]].slice(-MOST_RULES));
}
