/** What a page and the sandboxed frame of a custom chart say to each other. */

export type Row = Record<string, unknown>;

export interface Drawing {
  type: "draw";
  spec: Record<string, unknown>;
  rows: Row[];
  /** Colours and type of the theme, as Vega's `config`. */
  config: Record<string, unknown>;
  scheme: "light" | "dark";
  /** Behind the picture of an export. */
  background: string;
  /** Names of fields as people know them, where the rows call them otherwise. */
  titles: Record<string, string>;
  /** Said to screen readers. */
  label: string;
}

export type ToFrame = Drawing | { type: "picture"; format: "png" | "svg" };

export type FromFrame =
  | { type: "ready" }
  | { type: "drawn" }
  | { type: "failed"; text: string }
  | { type: "tip"; rows: [string, string][] | null; left: number; top: number }
  | { type: "picture"; file: Blob | null }
  | { type: "escape" };
