/** By path of a group: whether it is drawn, with all that is inside; the longest path decides. */
export type Rules = Record<string, boolean>;

/** Which groups a person chose to draw; of the columns that they were chosen for. */
export interface GroupsState {
  by?: string[];
  /** By path: drawn or not, with all that is inside. */
  rules?: Rules;
  /** Ids of runs that are left out of their groups. */
  without?: string[];
}

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

/** The choice after a click on the eye of one run in the group at `path`: it is left out, or drawn, if need be with its group. */
export function runToggled(
  { rules = {}, without = [] }: GroupsState,
  path: string,
  uid: string,
  isDrawn: boolean,
): Omit<GroupsState, "by"> {
  const others = without.filter((other) => other !== uid);
  const isLeftOut = others.length < without.length;
  if (!isDrawn) return { rules: { ...rules, [path]: true }, without: others };
  return { without: isLeftOut ? others : [...others, uid] };
}
