import { askJson } from "../table/server";

/** What the server says of the view that the page shows. */
export interface ViewState {
  /** 0: none, but one's own working state. */
  id: number;
  name: string;
  /** The version that the page began with. */
  version: number;
  edited: boolean;
  /** The page shows no view, and what is changed is kept nowhere. */
  bare: boolean;
  mayChange: boolean;
  /** Whether other projects of the team offer it. */
  template: boolean;
  /** Of the shared default; 0 where there is none. */
  default: number;
  /** Where views, the working state and the shared default are; each with entity and project. */
  urls: { views: string; working: string; default: string };
}

/** A view as the list has it. */
export interface SavedView {
  id: number;
  name: string;
  /** The project it is of. */
  project: string;
  shared: boolean;
  version: number;
  saved_by: string | null;
  saved_at: string;
}

/** Told by whoever keeps the working state, after each time. */
export interface Kept {
  edited: boolean;
}

/** What a page shows of views; null takes each away. */
export const NO_PARTS = { runs: null, panels: null, selector: null };

export type Spec = Record<string, object>;

/** What a page does for its views. */
export interface ViewKeeper {
  /** Keep at once what waits to be kept. */
  flush(): Promise<void>;
  /** What was changed of a page that keeps nothing. */
  unsaved(): Spec;
}

/** Where a view is, or its versions. */
export function urlOf({ urls }: ViewState, id: number, part = ""): string {
  return `${urls.views.split("?")[0]?.replace(/\/?$/, "/")}${id}${part}`;
}

/** Where the working state is that begins from another version. */
export function fromVersion(working: string, version: number): string {
  return working.replace(/base=\d+/, `base=${version}`);
}

/** Where the working state is, whatever version it began from. */
export function fromAnyVersion(working: string): string {
  return working.replace(/&base=\d+/, "");
}

/** Own and shared views, without what they hold. */
export function listViews({ urls }: ViewState): Promise<SavedView[]> {
  return listAt(urls.views);
}

/** What other projects of the team offer. */
export function listTemplates({ urls }: ViewState): Promise<SavedView[]> {
  return listAt(`${urls.views}&templates=1`);
}

async function listAt(url: string): Promise<SavedView[]> {
  const reply = await askJson<SavedView[] | { results: SavedView[] }>(url);
  return Array.isArray(reply) ? reply : reply.results;
}

/** The address of this page with a view; 0 for none. */
export function addressOf(id: number): string {
  return id ? `${location.pathname}?view=${id}` : location.pathname;
}

/** Tell the page that the working state was kept. */
export function tellKept(kept: Kept): void {
  document.dispatchEvent(new CustomEvent<Kept>("view-kept", { detail: kept }));
}
