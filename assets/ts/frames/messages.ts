/** What a page and the sandboxed frame of a viewer say to each other. */

/** Colours of the page's theme, as CSS. */
export interface Theme {
  scheme: "light" | "dark";
  text: string;
  axis: string;
  grid: string;
  surface: string;
  /** Lines and points without a colour of their own. */
  accent: string;
}

export interface ShownFile {
  /** Its name, which says by its ending what it is. */
  name: string;
  content: ArrayBuffer;
}

export type ToViewer = { type: "show"; file: ShownFile; theme: Theme } | { type: "recolor"; theme: Theme };

export type FromViewer =
  | { type: "ready" }
  | { type: "drawn" }
  | { type: "failed"; text: string }
  | { type: "escape" };
