import type { GroupsState } from "./group-rules";
import type { ColorState } from "./selector-colors";

/** What a person chose: kept under `selector` of a view. */
export interface SelectorState extends ColorState {
  hidden?: string[];
  /** Drawn although they are not among the first. */
  shown?: string[];
  /** How many of the first runs are drawn. */
  first?: number;
  groups?: GroupsState;
  /** Listed first and drawn, whatever the list is filtered by. */
  pinned?: string[];
  runningFirst?: boolean;
  /** Of the list, pixels; 0 is the usual one. */
  width?: number;
}

/** Pinned runs, and the baseline with them. */
export function keptFirst({ pinned = [], baseline }: SelectorState): string[] {
  return baseline && !pinned.includes(baseline) ? [baseline, ...pinned] : pinned;
}

/** Which runs the list has, the first ones first. */
export interface ListedRuns {
  listed: readonly string[];
  /** Chosen ones that are not among those read so far. */
  others: readonly string[];
  isKnown(uid: string): boolean;
  /** More are never drawn. */
  most: number;
  /** How many of the first are drawn. */
  first: number;
}

/**
 * The runs that are drawn, in the order of the list. Those that somebody chose one by one come before those that are
 * merely among the first, where there is no room for all.
 */
export function drawnRuns(
  state: SelectorState,
  { listed, others, isKnown, most, first }: ListedRuns,
): string[] {
  const hidden = new Set(state.hidden);
  const kept = keptFirst(state);
  const shown = new Set([...(state.shown ?? []), ...kept]);
  const firsts = new Set([...kept, ...listed.slice(0, first)]);
  const all = [...new Set([...kept, ...listed, ...others])].filter((uid) => isKnown(uid) && !hidden.has(uid));
  let room = most - all.filter((uid) => shown.has(uid)).length;
  return all.filter((uid) => shown.has(uid) || (firsts.has(uid) && room-- > 0)).slice(0, most);
}

/** Draw no run, or only this one. */
export function onlyThis(state: SelectorState, shown: string[]): SelectorState {
  const hidden = keptFirst(state).filter((uid) => !shown.includes(uid));
  return { ...state, hidden, shown, first: 0 };
}

/** Hide a run that is drawn, or draw it; the first ones are drawn by themselves. */
export function toggled(
  state: SelectorState,
  uid: string,
  isDrawn: boolean,
  isFirst: boolean,
): SelectorState {
  const { hidden, shown } = state;
  return {
    ...state,
    hidden: isDrawn && isFirst ? [...without(hidden, uid), uid] : without(hidden, uid),
    shown: !isDrawn && !isFirst ? [...without(shown, uid), uid] : without(shown, uid),
  };
}

/** Pin a run, which draws it, or let it go. */
export function pinToggled(state: SelectorState, uid: string): SelectorState {
  const isPinned = state.pinned?.includes(uid) ?? false;
  const pinned = isPinned ? without(state.pinned, uid) : [...(state.pinned ?? []), uid];
  return { ...state, pinned, hidden: without(state.hidden, uid) };
}

export function baselineToggled(state: SelectorState, uid: string): SelectorState {
  const { baseline, ...others } = state;
  if (baseline === uid) return others;
  return { ...others, baseline: uid, hidden: without(state.hidden, uid) };
}

function without(uids: readonly string[] = [], uid: string): string[] {
  return uids.filter((other) => other !== uid);
}
