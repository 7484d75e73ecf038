import type { PanelsState } from "../panels/spec";
import type { SelectorState } from "./selector";

/** What the page begins with: the kept parts of a view. */
export interface Start {
  panels?: PanelsState;
  selector?: SelectorState;
  /** What the runs table keeps; its filter is the list's too. */
  runs?: Record<string, unknown>;
}

/** Read it from what the server left in the page. */
export function readStart(): Start {
  const text = document.getElementById("workspace-state")?.textContent;
  return text ? (JSON.parse(text) as Start) : {};
}
