import type { GroupsState } from "./run-groups";
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
